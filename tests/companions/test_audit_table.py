"""The audit must pass correct mechanisms and catch faulty ones.

The bounds of correct mechanisms are wrong with probability 0.001 for each table, by Bonferroni. The
seeds are fixed, so that the results do not change.
"""

import inspect
import re
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
from conftest import ROOT

from ggexp import companions, mechanisms
from ggexp.companions import audit
from ggexp.companions.audit_table import Point, audited, tabulate_audit
from ggexp.companions.audited import BOUNDED, EVERY_CELL, Audited
from ggexp.companions.rules import RULES
from ggexp.releases.kinds import STABILITY, THRESHOLD
from ggexp.releases.simulate import noisy_counts
from ggexp.releases.unlisted import Threshold

PAPER = [
    Point("laplace", 1, "pure", 2, None),
    Point("gaussian-pdp", 2, "pdp", 2, 0.25),
    Point("ggm-3", 3, "pdp", 2, 0.25),
]


@pytest.fixture(scope="module")
def table():
    """An audit with 1/20 of all releases, at (2, 0.25), for which few releases suffice."""
    return tabulate_audit(PAPER, seed=2, share=0.05)


def is_insufficient(table):
    return table["made_for"] > 1


@pytest.mark.slow
def test_correct_mechanisms_pass(table):
    claimed = table[table["claimed"]]
    assert not is_insufficient(claimed).any()
    assert not claimed["exceeds"].any()
    assert set(claimed["guarantee"]) == {"ε-DP", "(ε, δ)-aDP", "(ε, δ)-pDP"}
    assert set(claimed["records"]) == {0, 100}
    tight = claimed[(claimed["records"] > 0) & (claimed["released"] == EVERY_CELL)]
    tight = tight[tight["calibration"].isin(["pure", "adp-exact", "adp-truncated"])]
    assert len(tight) == 6
    not_pure = table[(table["guarantee"] == "ε-DP") & ~table["claimed"] & table["delta"].notna()]
    assert set(not_pure["mechanism"]) >= {"gaussian-pdp", "ggm-3"}
    assert not_pure["exceeds"].all()
    assert (tight["epsilon_low"] > 0.8 * tight["epsilon"]).all()


def test_every_calibration_rule_and_every_kind_of_release_is_audited(table):
    claimed = table[table["claimed"]]
    every_cell = claimed[claimed["released"] == EVERY_CELL]
    assert set(every_cell["calibration"]) == set(RULES)
    orders = every_cell.groupby("calibration")["order"].agg(set)
    assert orders["adp-exact"] == {1, 1.375, 2, 3}  # 1.375 is the best
    assert orders["pdp"] == orders["pdp-exact"] == {2, 3}
    assert set(claimed["released"]) == {EVERY_CELL, STABILITY, THRESHOLD, *BOUNDED}
    assert {*claimed.loc[claimed["released"].isin(BOUNDED), "order"]} == {1, 2, 3}


def test_noise_and_thresholds_for_a_larger_epsilon_are_caught(table):
    insufficient = table[is_insufficient(table)]
    assert not insufficient["claimed"].any()
    assert insufficient["exceeds"].all()
    assert set(insufficient["released"]) == {EVERY_CELL, STABILITY, THRESHOLD, *BOUNDED}
    tight = {n for n, rule in RULES.items() if rule.is_tight or rule.family.is_integer_valued}
    rules = insufficient.loc[insufficient["released"] == EVERY_CELL, "calibration"]
    assert set(rules) == tight
    assert RULES.keys() - tight >= {"pdp", "adp-classical", "adp-lecture", "zcdp"}
    assert len(tight) >= 11
    assert set(insufficient["order"].dropna()) == {1, 1.375, 2, 3}
    stability = table[table["released"] == STABILITY]
    assert set(stability["mechanism"]) == {"laplace", "gaussian-pdp", "ggm-3"}
    # also for Laplace noise, which has no δ in other releases
    assert (stability["delta"] == 0.25).all()
    assert set(stability["guarantee"]) == {"(ε, δ)-aDP"}
    assert stability["claimed"].equals(~stability["exceeds"])
    assert len(stability) == 9
    assert stability["exceeds"].sum() == 3


def test_in_exact_arithmetic_integer_valued_noise_has_at_most_its_delta(table):
    whole = table[table["exact_delta"].notna()]
    rules = {name for name, rule in RULES.items() if rule.family.is_integer_valued}
    assert set(whole["calibration"]) == rules
    allowed = whole["delta"].where(whole["guarantee"] != "ε-DP", 0)
    assert (whole["exact_delta"] <= allowed).equals(whole["claimed"])
    optimal = whole[whole["claimed"] & (whole["calibration"] == "adp-optimal")]
    assert (optimal["exact_delta"] == optimal["delta"]).all()


@pytest.mark.parametrize("epsilon", [0.1, 2])
def test_bounding_by_n_before_the_threshold_is_caught(epsilon, monkeypatch):
    """With this fault, a cell with a record is never released if the threshold exceeds n."""
    release = Audited(THRESHOLD, "any", 1, "pure", epsilon, None, 1.0, 0, total=1, cells=5_000)
    cuts, rng = release.cuts(), np.random.default_rng(6)
    assert Threshold(release.cells).threshold(release.noise, None) > release.total

    def bound():
        tally = audit.tally(release.release, release.histograms, cuts, releases=50_000, rng=rng)
        return audit.pure_bound(tally, error=0.001)

    assert bound() < epsilon

    def faulty(*args, total, threshold, **kwargs):
        released = np.minimum(noisy_counts(*args, total=np.inf, threshold=0, **kwargs), total)
        return np.where(released > threshold, released, 0)

    monkeypatch.setattr("ggexp.companions.audited.noisy_counts", faulty)
    assert bound() > epsilon + 1


def test_mechanisms_that_are_not_audited_are_listed_by_name():
    """Modules that draw noise are audited, or the page names them."""
    page = (ROOT / "docs/companions/audit.md").read_text("utf-8")
    modules = [
        f"{package.__name__}.{module.name}"
        for package in (mechanisms, companions)
        for module in iter_modules(package.__path__)
        if not module.ispkg
    ]
    sampling = {
        name
        for name in modules
        for function in vars(import_module(name)).values()
        if inspect.isfunction(function) and "rng" in inspect.signature(function).parameters
    }
    used = re.compile(r"ggexp\.(mechanisms\.(distribution|mechanism|bounded)|companions\.audit.*)")
    unaudited = {name for name in sampling if not used.fullmatch(name)}
    names = "mechanisms.selection", "companions.lp_ball", "mechanisms.several_coordinates"
    assert unaudited == {f"ggexp.{name}" for name in names}
    assert [name for name in unaudited if f"`{name}" not in page] == []


@pytest.mark.slow
def test_the_audit_of_replaced_records():
    """Sufficient noise stays below its ε, and noise for twice the ε is detected."""
    points = [Point("laplace", 1, "pure", 1.0, None), Point("own", 1.5, "adp-exact", 1.0, 0.05)]
    table = tabulate_audit(points, seed=8, share=0.1, neighbours="replace-one")
    assert set(table["neighbours"]) == {"replace-one"}
    assert {*RULES} <= {*table["calibration"]}
    assert not (table["claimed"] & table["exceeds"]).any()
    insufficient = table[table["made_for"] == 2]
    assert {"pure", "adp-exact", "adp-optimal", "adp-truncated"} <= {*insufficient["calibration"]}
    assert insufficient["exceeds"].all()


def test_without_a_delta_and_with_a_delta_too_large_for_truncated_noise():
    releases = audited([Point("laplace", 1, "pure", 1, None)])
    pure = {name for name, rule in RULES.items() if not rule.guarantee.has_delta}
    assert pure >= {"pure-integer", "pure-staircase-absolute", "pure-staircase-variance"}
    assert {release.calibration for release in releases} == {"definition-5", "definition-6", *pure}
    releases = audited([Point("gg", 2, "adp-exact", 1, 0.6)])
    missing = {*RULES} - {release.calibration for release in releases}
    assert missing == {*("adp-truncated", "pdp-truncated")}
