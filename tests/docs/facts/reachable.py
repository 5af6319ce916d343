"""Disclosure by the digits of noisy counts: docs/guide.md."""

import pytest
from conftest import load_study

from facts import fact
from ggexp import Mechanism


@fact
@pytest.mark.slow
def reachable():
    """The share of releases of each count that are impossible for the next count, by ε and release.

    "right": the share of correct guesses from whole-number releases.
    """
    study = load_study("reachable_counts")
    table = [[(), (), *((count,) for count in study.COUNTS)]]
    for epsilon in study.EPSILONS:
        for clamped in (False, True):
            successes = [
                study.of_floating_point(epsilon, count, study.DRAWS, clamped=clamped)
                for count in study.COUNTS
            ]
            table.append([epsilon, (), *(success.certain for success in successes)])
        successes = [
            study.of_whole_numbers(epsilon, None, count, study.DRAWS, rule="pure-integer")
            for count in study.COUNTS
        ]
        assert {success.certain for success in successes} == {0}
        table.append([epsilon, (), *(success.certain for success in successes)])
    noise = Mechanism(None, "pure-integer").noise(epsilon=2)
    right = 1 - noise.upper_tail(0)  # the adversary guesses c + 1 if the release is above c
    assert right == pytest.approx(study.allowed(2).right, rel=1e-12)
    return {"table": table, "right": right, "certain": table[4][2]}
