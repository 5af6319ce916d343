"""Tests of the claims in reference/companions.yaml; an import of this package registers them.

Each test returns the comparisons of a claim.
"""

from ggexp.companions.claims import (  # noqa: F401  (each module registers its tests)
    approximate_dp,
    audit,
    best_possible,
    compound_guesses,
    definitions,
    exercises,
    first_version,
    guessing,
    histograms,
    lectures,
    many_queries,
    many_releases,
)
