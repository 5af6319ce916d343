"""The audit: it must pass what is right, and catch what is not.

The bounds of a right mechanism are wrong with probability 0.001 for each table here, by Bonferroni.
The seeds are fixed, so a pass stays a pass.
"""

import inspect
from dataclasses import replace
from importlib import import_module
from itertools import product
from pkgutil import iter_modules

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from ggexp import mechanisms
from ggexp.experiment.audit_table import audited, tabulate_audit
from ggexp.experiment.audited import BOUNDED, EVERY_CELL, Audited
from ggexp.guarantees import audit
from ggexp.mechanisms.calibration import RULES
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
from ggexp.releases import unlisted
from ggexp.releases.kinds import STABILITY, THRESHOLD
from ggexp.releases.threshold import Threshold


def point(mechanism, order, calibration, epsilon, delta=None):
    named = {"mechanism": mechanism, "order": order, "calibration": calibration}
    return {**named, "epsilon": epsilon, "delta": delta}


PAPER = [
    point("laplace", 1, "pure", 2),
    point("gaussian-pdp", 2, "pdp", 2, 0.25),
    point("ggm-3", 3, "pdp", 2, 0.25),
]


@pytest.fixture(scope="module")
def table():
    """An audit at (2, 0.25), where few releases tell much, with 1/20 of the full number."""
    return tabulate_audit(PAPER, seed=2, share=0.05)


#: Rules of ε-DP whose noise has no order.
WITHOUT_ORDER = ("pure-integer", "pure-staircase-absolute", "pure-staircase-variance")


def is_less(table):
    return table["made_for"] > 1


@pytest.mark.slow
def test_what_is_right_passes(table):
    claimed = table[table["claimed"]]
    assert not is_less(claimed).any()
    assert not claimed["exceeds"].any()
    assert set(claimed["guarantee"]) == {"ε-DP", "(ε, δ)-aDP", "(ε, δ)-pDP"}
    assert set(claimed["records"]) == {0, 100}
    tight = claimed[(claimed["records"] > 0) & (claimed["released"] == EVERY_CELL)]
    tight = tight[tight["calibration"].isin(["pure", "adp-exact", "adp-truncated"])]
    assert len(tight) == 6
    assert (tight["epsilon_low"] > 0.8 * tight["epsilon"]).all()


def test_every_calibration_rule_is_audited_and_every_kind_of_release(table):
    claimed = table[table["claimed"]]
    every_cell = claimed[claimed["released"] == EVERY_CELL]
    assert set(every_cell["calibration"]) == set(RULES)
    orders = every_cell.groupby("calibration")["order"].agg(set)
    assert orders["adp-exact"] == {1, 1.375, 2, 3}  # 1.375 is the best
    assert orders["pdp"] == orders["pdp-exact"] == {2, 3}
    assert set(claimed["released"]) == {EVERY_CELL, STABILITY, THRESHOLD, *BOUNDED}
    assert {*claimed.loc[claimed["released"].isin(BOUNDED), "order"]} == {1, 2, 3}


def test_noise_that_is_made_for_a_larger_epsilon_is_caught(table):
    less = table[is_less(table)]
    assert not less["claimed"].any()
    assert less["exceeds"].all()
    assert set(less["released"]) == {EVERY_CELL, STABILITY, THRESHOLD, *BOUNDED}
    conservative = {"pdp", "adp-classical", "adp-lecture", "zcdp"}
    of_every_cell = less.loc[less["released"] == EVERY_CELL, "calibration"]
    assert set(of_every_cell) == RULES.keys() - conservative
    assert set(less["order"].dropna()) == {1, 1.375, 2, 3}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_noise_that_is_made_for_a_slightly_larger_epsilon_is_refused(rule):
    """At 1.05 ε, for each tight rule and each rule of whole numbers, by the exact privacy loss."""
    orders = (1.5, 2, 3) if rule.order == "any" else (rule.order,)
    refused = 0
    for order, epsilon, delta in product(orders, (0.5, 1, 2), (0.01, 0.05, 0.1, 0.25)):
        at = (epsilon, delta if rule.uses_delta else None)
        one = Audited(EVERY_CELL, "any", order, rule.name, *at, 1.0, 100)
        assert all(
            one.guarantees()[one_of] for one_of in {rule.guarantee} & one.guarantees().keys()
        )
        less = replace(one, made_for=1.05)
        is_refused = not any(less.guarantees().values())
        assert is_refused or not rule.is_tight
        assert is_refused or less.made_noise != one.noise or not less.made_noise.is_whole
        refused += is_refused
    assert refused or not rule.is_tight


def test_whole_number_noise_has_at_most_its_delta_in_exact_arithmetic(table):
    whole = table[table["exact_delta"].notna()]
    assert set(whole["calibration"]) == {
        name for name, rule in RULES.items() if rule.family.is_whole
    }
    allowed = whole["delta"].where(whole["guarantee"] != "ε-DP", 0)
    assert (whole["exact_delta"] <= allowed).equals(whole["claimed"])
    optimal = whole[whole["claimed"] & (whole["calibration"] == "adp-optimal")]
    assert (optimal["exact_delta"] == optimal["delta"]).all()


def test_truncated_laplace_noise_is_audited_with_its_bound(table):
    rows = table[table["calibration"] == "adp-truncated"]
    bound = np.log1p(np.expm1(2) / (2 * 0.25)) / 2
    np.testing.assert_allclose(rows["bound"], bound)
    assert list(rows["made_for"]) == [1, 1, 1.25]
    others = ~table["calibration"].isin(["adp-truncated", "pdp-truncated"])
    assert table.loc[others, "bound"].isna().all()
    whole = Audited(EVERY_CELL, "any", 1, "adp-truncated", 2, 0.25, 1.0, 100)
    assert isinstance(whole.noise, TruncatedLaplace)
    released = whole.release(whole.counts, np.random.default_rng(1), 10_000)[:, 0]
    assert 0.9 * bound < np.abs(released - 100).max() < bound + 0.001  # rescaled


def test_a_threshold_of_stability_that_is_too_low_is_caught(table):
    stability = table[table["released"] == STABILITY]
    assert set(stability["mechanism"]) == {"laplace", "gaussian-pdp", "ggm-3"}
    assert (stability["delta"] == 0.25).all()  # also of Laplace noise, which has no δ elsewhere
    assert set(stability["guarantee"]) == {"(ε, δ)-aDP"}
    assert stability["claimed"].equals(~stability["exceeds"])
    assert len(stability) == 9
    assert stability["exceeds"].sum() == 3


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2])
def test_bounding_by_n_before_the_threshold_is_caught(epsilon, monkeypatch):
    """Then a cell with a record is never released if the threshold exceeds n."""
    one = Audited(THRESHOLD, "any", 1, "pure", epsilon, None, 1.0, 0, total=1, cells=5_000)
    cuts, rng = one.cuts(), np.random.default_rng(6)
    assert Threshold(one.cells).threshold(one.noise, None) > one.total

    def bound():
        found = audit.tally(one.release, one.counts, cuts, releases=50_000, rng=rng)
        return audit.pure_bound(found, error=0.001)

    assert bound() < epsilon
    right = unlisted.noisy_counts

    def wrong(*args, total, threshold, **kwargs):
        released = np.minimum(right(*args, total=np.inf, threshold=0, **kwargs), total)
        return np.where(released > threshold, released, 0)

    monkeypatch.setattr(unlisted, "noisy_counts", wrong)
    assert bound() > epsilon + 1


def test_probabilistic_dp_is_caught_as_not_pure(table):
    against = table[(table["guarantee"] == "ε-DP") & ~table["claimed"] & table["delta"].notna()]
    assert set(against["mechanism"]) >= {"gaussian-pdp", "ggm-3"}
    assert against["exceeds"].all()


@pytest.mark.slow
def test_the_table_does_not_depend_on_threads():
    one, three = (tabulate_audit(PAPER, seed=1, share=0.001, threads=threads) for threads in (1, 3))
    pd.testing.assert_frame_equal(one, three)


def test_all_that_is_audited_has_a_stream_of_its_own():
    all_ = audited(PAPER)
    assert len({one.stream(seed).random() for one in all_ for seed in (1, 2)}) == 2 * len(all_)


def test_nothing_is_audited_twice():
    run = [
        point("one", 1, "adp-exact", 5, 0.1),
        point("best", 1.0, "adp-exact", 5, 0.1),  # which is 1 there
        point("one", 1, "adp-exact", 5, 0.1),  # of another data set
        point("laplace", 1, "pure", 5, 0.1),  # its releases by stability have a δ
        point("laplace", 1, "pure", 5),
        point("bounded", 1, "adp-truncated", 5, 0.1),
    ]
    found = audited(run)
    assert len({*found}) == len(found)
    names = {one.mechanism for one in found if one.released == EVERY_CELL}
    assert {"one", "best", "laplace", "bounded", "order-2-adp-exact"} <= names
    left_out = ("order-1-adp-exact", "order-best-adp-exact", "order-1-pure")
    assert not {*left_out, "order-1-adp-truncated"} & names
    sparse_ones = [one for one in found if one.released in (STABILITY, THRESHOLD)]
    assert {one.mechanism for one in sparse_ones} == {"one", "best", "laplace", *WITHOUT_ORDER}
    assert {one.delta for one in found if one.mechanism == "laplace"} == {None, 0.1}


def test_without_a_delta_and_with_one_that_noise_with_a_bound_does_not_have():
    found = audited([point("laplace", 1, "pure", 1)])
    assert {one.calibration for one in found} == {
        *("pure", *WITHOUT_ORDER, "definition-5", "definition-6")
    }
    found = audited([point("gg", 2, "adp-exact", 1, 0.6)])
    assert {*RULES} - {one.calibration for one in found} == {*("adp-truncated", "pdp-truncated")}


def test_mechanisms_that_are_not_audited_are_listed_by_name():
    """What draws in `ggexp.mechanisms` is audited, or the page says that it is not."""
    page = (ROOT / "docs/audit.md").read_text("utf-8")
    audited_ones = {"distribution", "mechanism", "bounded"}
    drawing = {
        module.name
        for module in iter_modules(mechanisms.__path__)
        for name, function in vars(import_module(f"ggexp.mechanisms.{module.name}")).items()
        if inspect.isfunction(function) and "rng" in inspect.signature(function).parameters
    }
    assert drawing - audited_ones == {
        "exponential",
        "lp_ball",
        "noisy_argmax",
        "several_coordinates",
    }
    assert [
        name for name in drawing - audited_ones if f"`ggexp.mechanisms.{name}" not in page
    ] == []


@pytest.mark.filterwarnings("ignore:noise of calibration 'adp-classical'")
@pytest.mark.parametrize(
    ("order", "rule", "epsilon", "expected"),
    [
        (2, "adp-classical", 6.5, {"(ε, δ)-aDP": False}),  # its exact δ is 0.138
        (2, "adp-classical", 2, {"(ε, δ)-aDP": True}),
        (2, "pdp", 2, {"(ε, δ)-pDP": True, "ε-DP": False}),
        (1, "pdp", 2, {"(ε, δ)-pDP": True, "ε-DP": True}),
        (1, "pure", 2, {"ε-DP": True}),
    ],
)
def test_releases_are_held_against_what_the_noise_satisfies(order, rule, epsilon, expected):
    delta = 0.1 if RULES[rule].uses_delta else None
    far = Audited(EVERY_CELL, "own", order, rule, epsilon, delta, 1.0, 100)
    assert far.guarantees() == expected
    assert not any(replace(far, made_for=2.0).guarantees().values())
    clamped = replace(far, records=0).guarantees()
    assert clamped == ({"(ε, δ)-aDP": True} if rule == "pdp" else expected)
