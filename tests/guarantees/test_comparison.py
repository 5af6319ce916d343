"""The table of all rules and orders, against the library's functions and quadrature."""

from math import sinh

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gennorm

import ggexp
from ggexp import best_order, calibration, noise_table
from ggexp.guarantees import advantage as guessing
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

POINTS = [(0.5, 0.01), (0.1, 1e-6)]


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
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


def continuous(table):
    """The rows of generalized Gaussian noise and of truncated Laplace noise."""
    families = [calibration.RULES[name].family for name in table["calibration"]]
    return table[[family in (GeneralizedGaussian, TruncatedLaplace) for family in families]]


def density(row, x):
    """The density of the noise of a row, truncated if its rule has a bound."""
    noise = gennorm(row["order"], scale=row["scale"])
    if row["bound"] is None:
        return noise.pdf(x)
    inside = 1 - 2 * noise.sf(row["bound"])
    return np.where(np.abs(x) <= row["bound"], noise.pdf(x) / inside, 0)


def bound_of(row, epsilon, delta):
    """The bound of the noise of a row, or None."""
    if row["calibration"] not in ("adp-truncated", "pdp-truncated"):
        return None
    return calibration.calibrate("adp-truncated", order=1, epsilon=epsilon, delta=delta).bound


def posteriors(with_record, without, prior):
    """The posterior probability, for each x, that the record is in the table; the density of x."""
    marginal = prior * with_record + (1 - prior) * without
    with np.errstate(invalid="ignore"):
        return np.where(marginal > 0, prior * with_record / marginal, prior), marginal


def test_the_advantage_is_the_mean_change_at_the_worst_prior():
    epsilon, delta = 0.5, 0.1
    x = np.arange(-40, 40, 1e-3) + 5e-4  # midpoints
    for row in continuous(noise_table(epsilon, delta)).to_dict("records"):
        if row["order"] == "best":
            row["order"] = round(best_order(epsilon=epsilon, delta=delta).order, 3)
        row["bound"] = bound_of(row, epsilon, delta)
        with_record, without = density(row, x), density(row, x + 1)
        for prior in (0.5, 0.05, 0.9):
            posterior, marginal = posteriors(with_record, without, prior)
            change = (marginal * np.abs(posterior - prior)).sum() * 1e-3
            right = (marginal * np.maximum(posterior, 1 - posterior)).sum() * 1e-3
            gain = right - max(prior, 1 - prior)
            if prior == 0.5:
                assert change == pytest.approx(row["advantage"], abs=1e-4)
                assert gain == pytest.approx(row["advantage"], abs=1e-4)
            assert change <= row["advantage"] + 1e-4
            assert gain <= row["advantage"] + 1e-4
        allowed = guessing.mean(epsilon=row["exact_epsilon"], delta=delta, prior=None)
        assert row["advantage"] < allowed


def test_a_row_that_violates_its_guarantee_warns_and_has_none():
    with pytest.warns(UserWarning, match=r"'adp-classical'.* exact delta is 0.1379"):
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
    truncated = table.set_index("calibration").loc["pdp-truncated"]
    if epsilon == 0.5:
        assert truncated["guarantee"] == "(ε, δ)-pDP"
        assert truncated["sd"] == pytest.approx(2.370, abs=5e-4)


@pytest.mark.slow
def test_noise_with_too_many_values_is_omitted():
    rules = set(noise_table(1e-5, 1e-9)["calibration"])
    assert {"pure-integer", "pure-staircase-absolute", "adp-exact"} <= rules
    assert "adp-exact-integer" not in rules
