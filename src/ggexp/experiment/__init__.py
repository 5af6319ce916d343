"""The experiments: from a design to measured releases and their results."""
