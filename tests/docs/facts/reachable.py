"""What the digits of noisy counts tell: docs/guide.md."""

import pytest
from conftest import load_study

from facts import fact
from ggexp import Mechanism


@fact
@pytest.mark.slow
def reachable():
    """By ε and release the share of each count's that the next cannot give; right guesses."""
    study = load_study("reachable_counts")
    table = [[(), (), *((count,) for count in study.COUNTS)]]
    for epsilon in study.EPSILONS:
        for clamped in (False, True):
            found = [
                study.of_floating_point(epsilon, count, study.DRAWS, clamped=clamped)
                for count in study.COUNTS
            ]
            table.append([epsilon, (), *(one.certain for one in found)])
        whole = [
            study.of_whole_numbers(epsilon, None, count, study.DRAWS, rule="pure-integer")
            for count in study.COUNTS
        ]
        assert {one.certain for one in whole} == {0}
        table.append([epsilon, (), *(one.certain for one in whole)])
    noise = Mechanism(None, "pure-integer").noise(epsilon=2)
    right = 1 - noise.upper_tail(0)  # they say c + 1 if the release is above c
    assert right == pytest.approx(study.allowed(2).right, rel=1e-12)
    return {"table": table, "right": right, "certain": table[4][2]}
