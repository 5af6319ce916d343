"""Private modes: simulated shares against exact probabilities."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from ggexp.figures import tabulate_mode
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint

COUNTS = np.array([16, 11, 7, 4, 4, *[3] * 3, *[1] * 13, *[0] * 43])
EPSILONS, DRAWS = [0.5, 1.0, 2.0], 10_000
NOISY = {"laplace": (1, "pure", None), "gaussian-pdp": (2, "pdp", 0.05), "ggm-3": (3, "pdp", 0.05)}


def points():
    return [
        NoisyPoint(
            GridPoint("made-up", name, order, rule, epsilon, delta),
            Mechanism(order, rule).noise(epsilon=epsilon, delta=delta),
        ).parameters()
        for name, (order, rule, delta) in NOISY.items()
        for epsilon in EPSILONS
    ]


def tabulate(counts=COUNTS, points=points, seed=5, neighbours="add-remove"):
    histogram = pd.DataFrame({"count": counts})
    with patch.object(tabulate_mode, "DRAWS", DRAWS):
        return tabulate_mode.mode(histogram, points(), seed=seed, neighbours=neighbours)


@pytest.mark.slow
def test_shares_of_draws_agree_with_exact_probabilities():
    """Each of the 15 shares is beyond 5 standard errors with probability 6e-7."""
    table = tabulate()
    assert list(table["mechanism"].unique()) == ["exponential", "exponential-one-sided", *NOISY]
    assert len(table) == 15
    wrong = table["wrong"]
    se = np.sqrt(wrong * (1 - wrong) / DRAWS)
    np.testing.assert_allclose(table["se"], se)
    np.testing.assert_allclose(table["exact"], 1 - wrong)
    assert (abs(table["right"] - table["exact"]) <= 5 * se + 1 / DRAWS).all()
    # the shares differ from the exact probabilities at a neighbouring ε
    by_name = table.pivot_table(index="mechanism", columns="epsilon", values=["right", "exact"])
    assert (abs(by_name["right"][1.0] - by_name["exact"][0.5]) > 0.02).all()


def test_the_exponential_mechanism_by_its_definition():
    rows = tabulate(points=lambda: points()[:3]).set_index(["mechanism", "epsilon"])
    for epsilon in EPSILONS:
        for name, factor in (("exponential", 0.5), ("exponential-one-sided", 1.0)):
            weights = np.exp(factor * epsilon * (COUNTS - 16))
            assert rows.loc[(name, epsilon), "exact"] == pytest.approx(weights[0] / weights.sum())


@pytest.mark.slow
def test_one_sided_is_not_private_where_a_record_is_replaced():
    """One cell's u falls and another's rises: e^ε is exceeded, so it is not in the table."""
    replaced = tabulate(neighbours="replace-one")
    assert set(replaced["mechanism"]) == {"exponential", *NOISY}


@pytest.mark.slow
def test_either_cell_of_a_tie_is_right():
    tied = tabulate(np.array([5, 5, 0]), seed=1)
    assert (tied["exact"] > 0.6).all()
    assert (abs(tied["right"] - tied["exact"]) <= 5 * tied["se"] + 1 / DRAWS).all()


@pytest.mark.slow
def test_streams_do_not_depend_on_the_order_of_the_mechanisms():
    tables = tabulate(), tabulate(points=lambda: points()[::-1]), tabulate(seed=6)
    first, reversed_table, reseeded = (
        table.sort_values(["mechanism", "epsilon"], ignore_index=True) for table in tables
    )
    pd.testing.assert_frame_equal(first, reversed_table)
    assert (first["right"] != reseeded["right"]).any()
