"""The command ``ggexp``: the library at a terminal."""
