"""Mutations that change the verdict of each claim about empty cells."""

from mutations import summary, times

ALL_CELLS, STABILITY, FIVE = "adult-threshold", "adult-stability", "five-columns-threshold"


def multiplied(factor, dataset, metric, **where):
    return summary(dataset, metric, times(factor), **where)


CASES = {
    "empty-nothing-left": (multiplied(2, ALL_CELLS, "kept", mechanism="ggm-3"), "partly"),
    "empty-laplace-two-cells": (multiplied(3, ALL_CELLS, "kept", mechanism="laplace"), "partly"),
    "empty-laplace-l1": (multiplied(0.9, ALL_CELLS, "l1", mechanism="laplace"), "confirmed"),
    "empty-stability-laplace-l1": (
        multiplied(1.1, STABILITY, "l1", mechanism="laplace", epsilon=2),
        "partly",
    ),
    "empty-five-columns": (multiplied(2, FIVE, "l1", mechanism="laplace"), "refuted"),
}
