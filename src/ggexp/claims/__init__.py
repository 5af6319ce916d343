"""What the paper says, put to the test in a run: a verdict on each claim, with its evidence."""
