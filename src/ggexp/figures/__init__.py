"""The figures: a style, and one drawing function for each kind of figure."""
