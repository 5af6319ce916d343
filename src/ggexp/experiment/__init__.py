"""The experiments: from a design to measured releases and what they amount to."""
