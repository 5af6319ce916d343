"""Mutations that change the verdict of each claim about replaced records."""

from equal_privacy_cases import case_of_smallest_error
from mutations import claims, scales

CLAIMS = claims("claims.yaml", "replaced-")

CASES = {
    name: case_of_smallest_error(claim)
    for name, claim in CLAIMS.items()
    if claim["test"] == "smallest"
} | {
    "replaced-gaussian-noise": (scales("sd", 2, mechanism="gg-2-replaced"), "refuted"),
    "replaced-order-noise": (scales("sd", 1.1, mechanism="gg-1.25-replaced"), "partly"),
    "replaced-canonical-noise": (scales("sd", 3, mechanism="canonical-replaced"), "refuted"),
}
