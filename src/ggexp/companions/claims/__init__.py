"""Tests of the claims in reference/companions.yaml; an import of this package registers them."""

from ggexp.companions.claims import (  # noqa: F401  (each module registers its tests)
    compound_guesses,
    cs208,
    guessing,
    lectures,
    noise,
    rows,
)
