"""Mutations that change, or keep, the verdict of each claim about replaced records."""

from equal_privacy_cases import case_of_smallest_error
from mutations import Case, claims, scales

CLAIMS = claims("claims.yaml", "replaced-")

CASES = {
    name: case_of_smallest_error(claim)
    for name, claim in CLAIMS.items()
    if claim["test"] == "smallest"
} | {
    "replaced-gaussian-noise": Case(
        scales("sd", 2, mechanism="gg-2-replaced"),
        "refuted",
        scales("sd", 0.9, mechanism="gg-2-replaced"),
    ),
    "replaced-order-noise": Case(
        scales("sd", 1.1, mechanism="gg-1.25-replaced"),
        "partly",
        scales("sd", 0.9, mechanism="gg-1.25-replaced"),
    ),
    "replaced-canonical-noise": Case(
        scales("sd", 3, mechanism="canonical-replaced"),
        "refuted",
        scales("sd", 1.01, mechanism="canonical-replaced"),
    ),
}
