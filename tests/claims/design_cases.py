"""Mutations that change the verdict of each claim about a design that is not the paper's."""

from mutations import claims, scales, summary, times
from paper_cases import accuracy

from ggexp.claims.check import DESIGNS


def with_mean(mean, claim):
    """Set the mean of a claim's mechanism to the same value at each grid point."""
    keys = ("dataset", "metric", "mechanism")
    dataset, metric, mechanism = (claim["parameters"][key] for key in keys)
    return summary(dataset, metric, lambda values, rows: mean, mechanism=mechanism)


def case_of_smallest_error(claim):
    """Return the mutation for a claim that a mechanism has the smallest error.

    A mean of 0 is the smallest at every grid point, a large mean at none.
    """
    if claim["expected"] == "confirmed":
        return with_mean(1e9, claim), "refuted"
    return with_mean(0.0, claim), "confirmed"


def multiplied(factor, domain, metric, mechanism):
    return summary(domain, metric, times(factor), mechanism=mechanism)


def sd(factor, mechanism):
    return scales("sd", factor, mechanism=mechanism)


CASES = {
    name: case_of_smallest_error(claim)
    for name, claim in claims("claims.yaml").items()
    if claim["group"] in DESIGNS and claim["test"] == "smallest"
} | {
    "equal-adult-laplace-accuracy": (accuracy(-0.03, mechanism="gg-1"), "refuted"),
    "equal-best-order-noise": (sd(1.01, "gg-best"), "partly"),
    "equal-truncated-noise": (sd(1.05, "truncated-laplace"), "partly"),
    "equal-gaussian-noise": (sd(2, "gg-2"), "refuted"),
    "equal-optimal-noise": (sd(1.03, "optimal"), "partly"),
    "replaced-gaussian-noise": (sd(2, "gg-2-replaced"), "refuted"),
    "replaced-order-noise": (sd(1.1, "gg-1.25-replaced"), "partly"),
    "replaced-canonical-noise": (sd(3, "canonical-replaced"), "refuted"),
    "empty-nothing-left": (multiplied(2, "adult-threshold", "kept", "ggm-3"), "partly"),
    "empty-laplace-two-cells": (multiplied(3, "adult-threshold", "kept", "laplace"), "partly"),
    "empty-five-columns": (multiplied(2, "five-columns-threshold", "l1", "laplace"), "refuted"),
}
