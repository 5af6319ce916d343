"""Mutations that change, or keep, the verdict of each claim about empty cells."""

from mutations import Case, summary, times

ALL_CELLS, STABILITY, FIVE = "adult-threshold", "adult-stability", "five-columns-threshold"


def multiplied(factor, dataset, metric, **where):
    return summary(dataset, metric, times(factor), **where)


CASES = {
    "empty-nothing-left": Case(
        multiplied(2, ALL_CELLS, "kept", mechanism="ggm-3"),
        "partly",
        multiplied(1.5, ALL_CELLS, "kept"),
    ),
    "empty-laplace-two-cells": Case(
        multiplied(3, ALL_CELLS, "kept", mechanism="laplace"),
        "partly",
        multiplied(1.2, ALL_CELLS, "kept", mechanism="laplace"),
    ),
    "empty-laplace-l1": Case(
        multiplied(0.9, ALL_CELLS, "l1", mechanism="laplace"),
        "confirmed",
        multiplied(0.9, ALL_CELLS, "l1"),
    ),
    "empty-stability-laplace-l1": Case(
        multiplied(1.1, STABILITY, "l1", mechanism="laplace", epsilon=2),
        "partly",
        multiplied(0.9, STABILITY, "l1"),
    ),
    "empty-five-columns": Case(
        multiplied(2, FIVE, "l1", mechanism="laplace"),
        "refuted",
        multiplied(1.1, FIVE, "l1", mechanism="laplace"),
    ),
}
