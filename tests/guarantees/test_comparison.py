"""The table of all rules and orders, against the library's functions and quadrature."""

import doctest
from itertools import pairwise
from math import exp, sinh, tanh

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import gennorm

import ggexp
from ggexp import Mechanism, best_order, calibration, noise_table, privacy_loss
from ggexp.guarantees import approximate_advantage, comparison
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.integer_valued import IntegerValuedNoise
from ggexp.mechanisms.staircase import Staircase
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

KEYS = [
    *("order", "calibration", "guarantee", "scale", "sd", "mean_absolute", "above_best"),
    *("exact_delta", "exact_epsilon", "advantage"),
]
POINTS = [(0.5, 0.01), (1, 0.25), (0.1, 1e-6)]


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_rows_agree_exactly_with_the_library(epsilon, delta):
    table = noise_table(epsilon, delta)
    assert list(table.columns) == KEYS
    for row in table.to_dict("records"):
        if row["order"] == "best":
            best = best_order(epsilon=epsilon, delta=delta)
            assert row["sd"] == pytest.approx(best.sd, rel=1e-6)
        noise = Mechanism(row["order"], row["calibration"]).noise(epsilon=epsilon, delta=delta)
        assert (row["sd"], row["mean_absolute"]) == (noise.sd, noise.mean_absolute)
        assert row["scale"] == noise.numbers.get("scale") or pd.isna(row["scale"])
        if noise.family in ("truncated Laplace", "discrete canonical"):
            assert row["exact_delta"] == pytest.approx(delta, rel=1e-12)
            assert row["exact_epsilon"] == pytest.approx(epsilon, rel=1e-9)
        elif isinstance(noise, IntegerValuedNoise | Staircase):
            assert row["exact_delta"] == noise.delta(epsilon=epsilon) <= delta
            assert noise.delta(epsilon=row["exact_epsilon"]) == pytest.approx(delta, rel=1e-8)
        else:
            loss = {"order": noise.order, "scale": noise.scale}
            assert row["exact_delta"] == privacy_loss.delta(**loss, epsilon=epsilon)
            assert row["exact_epsilon"] == privacy_loss.epsilon(**loss, delta=delta)
        assert row["guarantee"] == calibration.RULES[row["calibration"]].guarantee


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


@pytest.mark.slow
def test_exact_delta_and_epsilon_by_summing_densities():
    """δ(ε) = ∫ max(f(x) - e^ε f(x + 1), 0) dx, at the given ε and at the exact ε."""
    step = 2e-4
    shift = round(1 / step)
    x = np.arange(-30, 31, step) + step / 2  # noise of scale 2 is outside with probability exp(-15)
    table = continuous(noise_table(0.5, 0.1))
    for row in table[table["order"] != "best"].to_dict("records"):
        row["bound"] = bound_of(row, 0.5, 0.1)
        pairs = [(0.5, row["exact_delta"])]
        if row["exact_epsilon"] > 0:
            pairs.append((row["exact_epsilon"], 0.1))
        densities = density(row, x)
        for epsilon, expected in pairs:
            excess = densities[:-shift] - exp(epsilon) * densities[shift:]
            delta = np.maximum(excess, 0).sum() * step
            # the error is half a step times the largest density, because bounds lie within steps
            assert delta == pytest.approx(expected, abs=1e-4), (row, epsilon)


def test_truncated_noise_does_not_satisfy_a_slightly_smaller_epsilon():
    bound = calibration.calibrate("adp-truncated", order=1, epsilon=0.5, delta=0.1).bound
    noise = gennorm(1, scale=2)
    inside = 1 - 2 * noise.sf(bound)

    def delta(epsilon):
        def excess(x):
            shifted = noise.pdf(x + 1) if x + 1 <= bound else 0
            return max((noise.pdf(x) - exp(epsilon) * shifted) / inside, 0)

        ends = [-bound, -1, 0, bound - 1, bound]
        return sum(quad(excess, *pair)[0] for pair in pairwise(ends))

    assert delta(0.5) == pytest.approx(0.1, rel=1e-9)
    assert delta(0.499) > 0.1 + 1e-4


def posteriors(with_record, without, prior):
    """The posterior probability, for each x, that the record is in the table; the density of x."""
    marginal = prior * with_record + (1 - prior) * without
    with np.errstate(invalid="ignore"):
        return np.where(marginal > 0, prior * with_record / marginal, prior), marginal


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.1), (2, 0.1)])
def test_the_advantage_is_the_mean_change_at_the_worst_prior(epsilon, delta):
    x = np.arange(-40, 40, 1e-3) + 5e-4  # midpoints
    for row in continuous(noise_table(epsilon, delta)).to_dict("records"):
        if row["order"] == "best":
            row["order"] = round(best_order(epsilon=epsilon, delta=delta).order, 3)
        row["bound"] = bound_of(row, epsilon, delta)
        with_record, without = density(row, x), density(row, x + 1)
        for prior in (0.5, 0.05, 0.3, 0.45, 0.52, 0.9):
            posterior, marginal = posteriors(with_record, without, prior)
            change = (marginal * np.abs(posterior - prior)).sum() * 1e-3
            right = (marginal * np.maximum(posterior, 1 - posterior)).sum() * 1e-3
            gain = right - max(prior, 1 - prior)
            if prior == 0.5:
                assert change == pytest.approx(row["advantage"], abs=1e-4)
                assert gain == pytest.approx(row["advantage"], abs=1e-4)
            assert change <= row["advantage"] + 1e-4
            assert gain <= row["advantage"] + 1e-4
        allowed = approximate_advantage.mean(epsilon=row["exact_epsilon"], delta=delta, prior=None)
        assert row["advantage"] < allowed


def test_a_single_release_exceeds_the_advantage_of_its_epsilon_more_often_than_delta():
    """At (0.5, 0.01) and prior 1/2. Therefore no such bound holds with probability 1 - δ."""
    x = np.arange(-150, 150, 1e-3) + 5e-4
    table = noise_table(0.5, 0.01).set_index(["order", "calibration"])
    for key, expected in {(1, "pure"): 0.81, (2, "adp-exact"): 0.114}.items():
        row = {**table.loc[key], "order": key[0], "calibration": key[1], "bound": None}
        bound = tanh(row["exact_epsilon"] / 4)
        with_record = density(row, x)
        posterior, _ = posteriors(with_record, density(row, x + 1), 0.5)
        share = with_record[np.abs(posterior - 0.5) > bound].sum() * 1e-3
        assert share == pytest.approx(expected, abs=2e-3)


def test_a_row_that_violates_its_guarantee_warns_and_has_none():
    with pytest.warns(UserWarning, match=r"'adp-classical'.* exact delta is 0.1379"):
        table = ggexp.noise_table(6.5, 0.1)
    without = table[table["guarantee"].isna()]
    assert without["calibration"].tolist() == ["adp-classical"]
    assert without["exact_delta"].item() == pytest.approx(0.1379, abs=5e-5)


def test_truncated_noise_needs_a_delta_of_at_most_one_half():
    assert {"adp-truncated", "pdp-truncated"} <= set(noise_table(1, 0.5)["calibration"])
    assert not {"adp-truncated", "pdp-truncated"} & set(noise_table(1, 0.51)["calibration"])


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


def test_the_docstring_example_runs():
    results = doctest.testmod(comparison)
    assert results.attempted >= 3
    assert not results.failed
