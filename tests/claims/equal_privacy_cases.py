"""Mutations that change the verdict of each claim at equal privacy."""

from mutations import claims, scales, summary
from paper_cases import accuracy

CLAIMS = claims("claims.yaml", "equal-")


def with_mean(mean, claim):
    """Set the mean of a claim's mechanism to the same value at each grid point."""
    dataset, metric, mechanism = (
        claim["parameters"][key] for key in ("dataset", "metric", "mechanism")
    )
    return summary(dataset, metric, lambda values, rows: mean, mechanism=mechanism)


def case_of_smallest_error(claim):
    """Return the mutation for a claim that a mechanism has the smallest error.

    A mean of 0 is the smallest at every grid point, a large mean at none.
    """
    if claim["expected"] == "confirmed":
        return with_mean(1e9, claim), "refuted"
    return with_mean(0.0, claim), "confirmed"


SMALLEST_ERROR_CLAIMS = [name for name, claim in CLAIMS.items() if claim["test"] == "smallest"]
CASES = {name: case_of_smallest_error(CLAIMS[name]) for name in SMALLEST_ERROR_CLAIMS} | {
    "equal-adult-laplace-accuracy": (accuracy(0.03, mechanism="gg-1"), "confirmed"),
    "equal-best-order-noise": (scales("sd", 1.01, mechanism="gg-best"), "partly"),
    "equal-truncated-noise": (scales("sd", 1.05, mechanism="truncated-laplace"), "partly"),
    "equal-gaussian-noise": (scales("sd", 2, mechanism="gg-2"), "refuted"),
    "equal-optimal-noise": (scales("sd", 1.03, mechanism="optimal"), "partly"),
}
