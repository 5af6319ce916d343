"""The experiments: designs, errors and accuracies of releases, summaries, recommendations."""
