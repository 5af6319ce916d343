"""Each claim at equal privacy: what changes its verdict in a full run, and what does not."""

from mutations import Case, claims, scales, summary
from paper_cases import accuracy, in_other_units

CLAIMS = claims("claims.yaml", "equal-")


def with_mean(mean, claim):
    """Give the mechanism of a claim this mean everywhere."""
    dataset, metric, mechanism = (
        claim["parameters"][key] for key in ("dataset", "metric", "mechanism")
    )
    return summary(dataset, metric, lambda values, rows: mean, mechanism=mechanism)


def of_errors(claim):
    """A mean of 0 is the smallest everywhere, a large one nowhere; other units change nothing."""
    parameters = claim["parameters"]
    units = in_other_units(parameters["dataset"], parameters["metric"])
    if claim["expected"] == "confirmed":
        return Case(with_mean(1e9, claim), "refuted", units)
    return Case(with_mean(0.0, claim), "confirmed", units)


OF_ERRORS = [name for name, claim in CLAIMS.items() if claim["test"] == "smallest"]
CASES = {name: of_errors(CLAIMS[name]) for name in OF_ERRORS} | {
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
    "equal-optimal-noise": Case(
        scales("sd", 1.03, mechanism="optimal"),
        "partly",
        scales("sd", 0.995, mechanism="optimal"),
    ),
}
