"""The experiments: the grid and its seeds, sanitizing, metrics, summaries."""
