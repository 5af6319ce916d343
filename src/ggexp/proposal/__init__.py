"""From an undescribed file to a configuration."""
