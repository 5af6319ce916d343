"""Tests of claims on the results of a run: a verdict on each claim, with its evidence."""
