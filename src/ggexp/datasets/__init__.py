"""The data sets: how each histogram, its cells and counts, is made."""
