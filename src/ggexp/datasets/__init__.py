"""The data sets: from files to histograms, cells and their counts."""
