"""Tests of claims against the results of a run: a verdict on each claim, with its evidence."""
