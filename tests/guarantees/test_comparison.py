"""The table of all rules and orders, against the library's functions and quadrature."""

from math import sinh

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gennorm

import ggexp
from ggexp import calibration, noise_table
from ggexp.guarantees import advantage as guessing
from ggexp.mechanisms import integer_valued
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.optimal_integer import Canonical


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.5, 0.01), pytest.param(0.1, 1e-6, marks=pytest.mark.slow)]
)
def test_rows_are_all_rules_and_orders_sorted_by_standard_deviation(epsilon, delta):
    table = noise_table(epsilon, delta)
    pairs = set(zip(table["order"], table["calibration"], strict=True))
    any_order = {name for name, rule in calibration.RULES.items() if rule.order == "any"}
    expected = {(order, name) for order in (1, 1.5, 2, 3) for name in any_order}
    expected |= {(r.order, name) for name, r in calibration.RULES.items() if r.order != "any"}
    assert pairs == expected | {("best", "adp-exact")}
    assert len(table) == len(pairs)
    assert table["sd"].is_monotonic_increasing
    best = table.loc[table["order"] == "best", "sd"].item()
    exact = table.loc[table["calibration"] == "adp-exact", "sd"]
    assert best <= exact.min() * (1 + 1e-6)


def test_the_advantage_is_half_the_total_variation():
    """The total variation between GG noise and the noise shifted by 1 is Pr(|e| < 1/2)."""
    table = noise_table(0.5, 0.1)
    families = [calibration.RULES[name].family for name in table["calibration"]]
    rows = table[np.equal(families, GeneralizedGaussian) & (table["order"] != "best")]
    for row in rows.to_dict("records"):
        inside = 1 - 2 * gennorm.sf(0.5, row["order"], scale=row["scale"])
        assert row["advantage"] == pytest.approx(inside / 2, rel=1e-9)
    allowed = [guessing.mean(Budget(x, 0.1), prior=None) for x in table["exact_epsilon"]]
    assert (table["advantage"] < allowed).all()


def test_a_row_that_violates_its_guarantee_warns_and_has_none():
    with pytest.warns(UserWarning, match=r"'adp-classical'.* exact δ is 0.1379"):
        table = ggexp.noise_table(6.5, 0.1)
    without = table[table["guarantee"].isna()]
    assert without["calibration"].tolist() == ["adp-classical"]
    assert without["exact_delta"].item() == pytest.approx(0.1379, abs=5e-5)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (2, 0.25)])
def test_no_noise_beats_the_smallest_possible_for_its_guarantee(epsilon, delta):
    table = noise_table(epsilon, delta)
    least = {"ε-DP": 1 / sinh(epsilon), "(ε, δ)-aDP": Canonical(epsilon, delta).mean_absolute}
    for row in table.to_dict("records"):
        if row["guarantee"] == "(ε, δ)-pDP":
            assert pd.isna(row["above_best"])
        else:
            share = row["mean_absolute"] / least[row["guarantee"]] - 1
            assert row["above_best"] == pytest.approx(share, abs=1e-9)
            is_best = row["calibration"] in ("pure-integer", "adp-optimal")
            assert (row["above_best"] == 0) if is_best else (row["above_best"] > 0)
    if epsilon == 0.5:
        truncated = table.set_index("calibration").loc["adp-truncated"]
        assert truncated["sd"] == pytest.approx(2.370, abs=5e-4)


def test_noise_with_too_many_values_is_omitted(monkeypatch):
    assert "adp-exact-integer" in set(noise_table(0.5, 0.01)["calibration"])
    monkeypatch.setattr(integer_valued, "MAX_VALUES", 30)
    rules = set(noise_table(0.5, 0.01)["calibration"])
    assert {"pure-integer", "adp-exact"} <= rules
    assert "adp-exact-integer" not in rules
