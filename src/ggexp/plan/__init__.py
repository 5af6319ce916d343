"""The plan of a run: which files its rules make, from which files, and with which parameters."""
