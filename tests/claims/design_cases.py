"""Mutations that change the verdict of each claim about a design that is not the paper's."""

from mutations import claims, scales, summary

from ggexp.claims.check import DESIGNS


def case_of_smallest_error(claim):
    """Return the mutation for a claim that a mechanism has the smallest error.

    A mean of 0 is the smallest at every grid point, a large mean at none.
    """
    mean, verdict = ("1e9", "refuted") if claim["expected"] == "confirmed" else ("0", "confirmed")
    keys = ("dataset", "metric", "mechanism")
    dataset, metric, mechanism = (claim["parameters"][key] for key in keys)
    return summary(dataset, metric, f"mean = {mean}", mechanism=mechanism), verdict


def sd(factor, mechanism):
    return scales(f"sd = {factor} * sd", mechanism=mechanism)


def mean(factor, dataset, metric, mechanism):
    return summary(dataset, metric, f"mean = {factor} * mean", mechanism=mechanism)


LESS_ACCURATE = summary("adult", "accuracy", "mean = mean - 0.03", mechanism="gg-1")
CASES = {
    name: case_of_smallest_error(claim)
    for name, claim in claims("claims.yaml").items()
    if claim["group"] in DESIGNS and claim["test"] == "smallest"
} | {
    "equal-adult-laplace-accuracy": (LESS_ACCURATE, "refuted"),
    "equal-best-order-noise": (sd(1.01, "gg-best"), "partly"),
    "equal-truncated-noise": (sd(1.05, "truncated-laplace"), "partly"),
    "equal-gaussian-noise": (sd(2, "gg-2"), "refuted"),
    "equal-optimal-noise": (sd(1.03, "optimal"), "partly"),
    "replaced-gaussian-noise": (sd(2, "gg-2-replaced"), "refuted"),
    "replaced-order-noise": (sd(1.1, "gg-1.25-replaced"), "partly"),
    "replaced-canonical-noise": (sd(3, "canonical-replaced"), "refuted"),
    "empty-nothing-left": (mean(2, "adult-threshold", "kept", "ggm-3"), "partly"),
    "empty-laplace-two-cells": (mean(3, "adult-threshold", "kept", "laplace"), "partly"),
    "empty-five-columns": (mean(2, "five-columns-threshold", "l1", "laplace"), "refuted"),
}
