"""Disclosure by the digits of noisy counts: docs/guide.md."""

import pytest
from conftest import load_study

from facts import fact
from ggexp import Mechanism


@fact
@pytest.mark.slow
def reachable():
    """Certainty about an empty cell from Laplace noise; correct guesses from whole-number noise."""
    study = load_study("reachable_counts")
    laplace = study.of_floating_point(2, 0, study.DRAWS, clamped=False)
    whole = study.of_whole_numbers(2, None, 0, study.DRAWS, rule="pure-integer")
    assert whole.certain == 0
    noise = Mechanism(None, "pure-integer").noise(epsilon=2)
    right = 1 - noise.upper_tail(0)  # the adversary guesses c + 1 if the release is above c
    assert right == pytest.approx(study.allowed(2).right, rel=1e-12)
    return {"certain": laplace.certain, "right": right}
