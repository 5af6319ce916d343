"""Mutations that change, or keep, the verdict of each claim at equal privacy."""

from mutations import Case, claims, scales, summary
from paper_cases import accuracy, in_other_units

CLAIMS = claims("claims.yaml", "equal-")


def with_mean(mean, claim):
    """Set the mean of a claim's mechanism to the same value at each grid point."""
    dataset, metric, mechanism = (
        claim["parameters"][key] for key in ("dataset", "metric", "mechanism")
    )
    return summary(dataset, metric, lambda values, rows: mean, mechanism=mechanism)


def case_of_smallest_error(claim):
    """Return the mutations for a claim that a mechanism has the smallest error.

    A mean of 0 is the smallest at every grid point, a large mean at none; other units change no
    verdict.
    """
    parameters = claim["parameters"]
    units = in_other_units(parameters["dataset"], parameters["metric"])
    if claim["expected"] == "confirmed":
        return Case(with_mean(1e9, claim), "refuted", units)
    return Case(with_mean(0.0, claim), "confirmed", units)


SMALLEST_ERROR_CLAIMS = [name for name, claim in CLAIMS.items() if claim["test"] == "smallest"]
CASES = {name: case_of_smallest_error(CLAIMS[name]) for name in SMALLEST_ERROR_CLAIMS} | {
    "equal-adult-laplace-accuracy": Case(
        accuracy(0.03, mechanism="gg-1"), "confirmed", accuracy(-0.001, mechanism="gg-3")
    ),
    "equal-best-order-noise": Case(
        scales("sd", 1.01, mechanism="gg-best"), "partly", scales("sd", 1.2, mechanism="gg-3")
    ),
    "equal-truncated-noise": Case(
        scales("sd", 1.05, mechanism="truncated-laplace"),
        "partly",
        scales("sd", 1.01, mechanism="truncated-laplace"),
    ),
    "equal-gaussian-noise": Case(
        scales("sd", 2, mechanism="gg-2"), "refuted", scales("sd", 1.001, mechanism="gg-2")
    ),
    "equal-optimal-noise": Case(
        scales("sd", 1.03, mechanism="optimal"),
        "partly",
        scales("sd", 0.995, mechanism="optimal"),
    ),
}
