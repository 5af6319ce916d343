"""The command-line interface ``ggexp``."""
