"""The command ``ggexp``: what the library can tell at a terminal, and one release of a table."""
