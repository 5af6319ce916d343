"""The table of all rules and orders, against the library's functions and against quadrature."""

import doctest
from itertools import pairwise
from math import exp, tanh

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gennorm

import ggexp
from ggexp import Mechanism, best_order, calibration, noise_table, privacy_loss
from ggexp.guarantees import comparison

KEYS = ["order", "calibration", "scale", "sd", "exact_delta", "exact_epsilon", "advantage"]
POINTS = [(0.5, 0.01), (1, 0.25), (0.1, 1e-6)]

pytestmark = pytest.mark.filterwarnings("ignore:the proof of")


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_it_is_the_library_to_the_last_digit(epsilon, delta):
    table = noise_table(epsilon, delta)
    assert list(table.columns) == KEYS
    for row in table.to_dict("records"):
        if row["order"] == "best":
            noise = best_order(epsilon=epsilon, delta=delta)
        else:
            noise = Mechanism(row["order"], row["calibration"]).noise(epsilon=epsilon, delta=delta)
        assert (row["scale"], row["sd"]) == (noise.scale, noise.sd)
        if row["calibration"] == "adp-truncated":
            assert (row["exact_delta"], row["exact_epsilon"]) == (delta, epsilon)
        else:
            loss = {"order": noise.order, "scale": noise.scale}
            assert row["exact_delta"] == privacy_loss.delta(**loss, epsilon=epsilon)
            assert row["exact_epsilon"] == privacy_loss.epsilon(**loss, delta=delta)
        assert row["advantage"] == tanh(row["exact_epsilon"] / 4)


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_every_rule_with_every_order_that_it_fits_and_the_least_noise_first(epsilon, delta):
    table = noise_table(epsilon, delta)
    found = set(zip(table["order"], table["calibration"], strict=True))
    any_order = {name for name, rule in calibration.RULES.items() if rule.order is None}
    expected = {(order, name) for order in (1, 1.5, 2, 3) for name in any_order}
    expected |= {(r.order, name) for name, r in calibration.RULES.items() if r.order is not None}
    assert found == expected | {("best", "adp-exact")}
    assert len(table) == len(found)
    assert table["sd"].is_monotonic_increasing
    best = table.loc[table["order"] == "best", "sd"].item()
    exact = table.loc[table["calibration"] == "adp-exact", "sd"]
    assert best <= exact.min() * (1 + 1e-9)


def density(row, x):
    """The density of the noise of a row, within a bound where its rule has one."""
    noise = gennorm(row["order"], scale=row["scale"])
    if row["calibration"] != "adp-truncated":
        return noise.pdf(x)
    bound = calibration.bound("adp-truncated", order=1, epsilon=0.5, delta=0.1)
    return np.where(np.abs(x) <= bound, noise.pdf(x) / (1 - 2 * noise.sf(bound)), 0)


def test_exact_delta_and_epsilon_by_summing_densities():
    """δ(ε) = ∫ max(f(x) - e^ε f(x + 1), 0) dx, at the ε asked for and at the exact one."""
    x = np.linspace(-60, 60, 600_001) + 1e-5  # midpoints of steps of 2e-4
    table = noise_table(0.5, 0.1)
    for row in table[table["order"] != "best"].to_dict("records"):
        pairs = [(0.5, row["exact_delta"])]
        if row["exact_epsilon"] > 0:
            pairs.append((row["exact_epsilon"], 0.1))
        for epsilon, expected in pairs:
            excess = density(row, x) - exp(epsilon) * density(row, x + 1)
            delta = np.maximum(excess, 0).sum() * 2e-4
            # 1e-4 is half a step of the densest noise, which ends within a step
            assert delta == pytest.approx(expected, abs=1e-4), (row, epsilon)


def test_an_epsilon_a_little_smaller_would_not_hold_the_truncated_noise():
    bound = calibration.bound("adp-truncated", order=1, epsilon=0.5, delta=0.1)
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


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (1, 0.25)])
def test_the_noise_says_no_more_than_a_release_of_epsilon_that_tells_all_with_delta(epsilon, delta):
    """What the advantage rests on: by Blackwell's theorem somebody who sees the second can make the
    first, as its δ(x) is nowhere larger; with δ all is told, else by randomized response of ε."""
    table = noise_table(epsilon, delta)
    for row in table[table["calibration"] != "adp-truncated"].to_dict("records"):
        order = best_order(epsilon=epsilon, delta=delta).order if row["order"] == "best" else None
        at, exact = np.linspace(0, 2, 21), row["exact_epsilon"]
        noise = privacy_loss.delta(order=order or row["order"], scale=row["scale"], epsilon=at)
        response = np.maximum(np.exp(exact) - np.exp(at), 0) / (1 + np.exp(exact))
        allowed = delta + (1 - delta) * response
        assert (noise <= allowed * (1 + 1e-9)).all()
        # the largest change of a prior v is where v = 1 / (1 + e^(ε/2)): on a grid, for odds e^ε
        v = np.linspace(0.001, 0.999, 9999)
        posterior = v * np.exp(exact) / (1 - v + v * np.exp(exact))
        assert (posterior - v).max() == pytest.approx(row["advantage"], abs=1e-6)


def test_there_is_no_bound_for_a_delta_above_one_half():
    assert "adp-truncated" in set(noise_table(1, 0.5)["calibration"])
    assert "adp-truncated" not in set(noise_table(1, 0.51)["calibration"])


@pytest.mark.parametrize(
    ("epsilon", "delta", "named"),
    [(0, 0.1, "epsilon"), (-1, 0.1, "epsilon"), (np.nan, 0.1, "epsilon"), (1, 1, "delta")],
)
def test_bad_arguments_are_named(epsilon, delta, named):
    with pytest.raises(ValueError, match=f"{named} must be"):
        noise_table(epsilon, delta)


def test_a_rule_beyond_its_proof_is_told():
    with pytest.warns(UserWarning, match="needs epsilon < 1"):
        ggexp.noise_table(1, 0.1)


def test_the_example_of_help_runs():
    tried = doctest.testmod(comparison)
    assert tried.attempted >= 3
    assert not tried.failed
