"""Verdicts on claims, with results made up for each test."""

import re
from math import nan

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

import ggexp.companions.claims  # noqa: F401  (registers further tests)
from ggexp import calibration
from ggexp.claims.check import VERDICT_COLUMNS, check_claims, read_claims
from ggexp.claims.evidence import Comparison, Results, judge, nearest
from ggexp.claims.registry import TESTS, claim_test
from ggexp.figures import tabulate_theory
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.post_hoc import clamped_pdp_delta
from ggexp.run.fingerprint import imported

CLAIMS = ROOT / "reference/claims.yaml"


def summary(**means):
    """Return a summary of one metric: mechanism -> {(ε, δ): mean}; se is 0.1, sd is the mean."""
    rows = [
        ("moths", name.replace("_", "-"), epsilon, delta, "l1", 100, mean, mean, 0.1)
        for name, points in means.items()
        for (epsilon, delta), mean in points.items()
    ]
    columns = ["dataset", "mechanism", "epsilon", "delta", "metric", "repeats", "mean", "sd", "se"]
    return pd.DataFrame(rows, columns=columns)


def verdict(test, tables, tolerance=3, **parameters):
    """Return the verdict of one test and its evidence; None if the claim is omitted."""
    if isinstance(tables, pd.DataFrame):
        tables = Results(summary=tables, scales=pd.DataFrame())
    claim = {
        "id": "x",
        "claim": "",
        "source": "",
        "test": test,
        "parameters": parameters,
        "tolerance": tolerance,
        "expected": "confirmed",
    }
    table = check_claims([claim], tables)
    assert tuple(table.columns) == VERDICT_COLUMNS
    return None if table.empty else tuple(table[["verdict", "evidence"]].iloc[0])


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([1, 2], "confirmed"),
        ([-1, -2], "refuted"),
        ([1, -2], "partly"),
        ([1, 0.2], "partly"),
        ([-1, 0.2], "refuted"),
        ([0.2, -0.2], "undecided"),
    ],
)
def test_judge(differences, expected):
    comparisons = [Comparison("a < b", f"at {d}", d, 0.1) for d in differences]
    actual, evidence = judge(comparisons, 3)
    assert actual == expected
    for d in differences:  # every comparison that does not agree is named
        assert (f"at {d}" in evidence) == (d < 0.3 or d == min(differences) > 0)


def test_an_unknown_error_is_undecided():
    assert judge([Comparison("a < b", "here", 5, nan)], 3)[0] == "undecided"


def test_evidence_counts_comparisons():
    agrees, disagrees = Comparison("a < b", "x", 1), Comparison("a < b", "y", -1)
    for comparisons, count in (
        ([agrees] * 3, "All 3"),
        ([disagrees, disagrees], "Both"),
        ([agrees, disagrees, disagrees], "1 of 3"),
    ):
        assert count in judge(comparisons, 3)[1]


def test_claims_by_construction_are_not_confirmed():
    agrees, disagrees = Comparison("a = b", "", 1), Comparison("a = b", "", -1)
    assert judge([agrees], 0, by_construction=True)[0] == "by construction"
    assert judge([disagrees], 0, by_construction=True)[0] == "refuted"


def test_nearest():
    sure, close = Comparison("a < b", "", 5, 0.1), Comparison("a > c", "", 1, 0.1)
    assert nearest(sure, close) is close
    assert nearest(sure, Comparison("a > c", "", 9)) is sure  # without error it is certain
    opposite, unknown = Comparison("a > c", "", -1), Comparison("a > c", "", 9, nan)
    assert nearest(close, opposite) is opposite
    assert nearest(close, unknown) is unknown


@pytest.mark.parametrize(
    ("gaussian", "expected"),
    [
        ({(1, 0.1): 5, (1, 0.2): 4}, "confirmed"),
        ({(1, 0.1): 5, (1, 0.2): 2}, "partly"),
        ({(1, 0.1): 3.2, (1, 0.2): 2.8}, "undecided"),
        ({(1, 0.1): 2, (1, 0.2): 3.1}, "refuted"),
    ],
)
def test_ordered(gaussian, expected):
    table = summary(laplace={(1, None): 3}, gaussian_pdp=gaussian)
    mechanisms = ["laplace", "gaussian-pdp", "ggm-3"]  # ggm-3 was not run
    actual, evidence = verdict(
        "ordered", table, dataset="moths", metric="l1", mechanisms=mechanisms
    )
    assert actual == expected
    if expected == "partly":
        assert re.search(r"laplace < gaussian-pdp.* fails at .*\(1, 0.2\) by 1 ± 0.14", evidence)


def test_claims_are_omitted_without_their_data_set():
    table = summary(laplace={(1, None): 3})
    claim = {"dataset": "czech", "metric": "l1"}
    assert verdict("ordered", table, **claim, mechanisms=["laplace", "gaussian-pdp"]) is None
    assert verdict("steps", table, **claim, mechanisms=["laplace"], below=1.5) is None
    assert verdict("delta_matters_less", table, **claim, mechanisms=["laplace"]) is None
    assert verdict("varies_more_at_small_epsilon", table, **claim) is None
    assert verdict("loss_of_accuracy", table, dataset="czech", at_most=0.01) is None
    assert verdict("counts", table, dataset="czech", quantity="test", printed=1) is None
    for test in ("ratio_of_bounds", "fall_and_rebound", "rebound_above_one"):
        assert verdict(test, table) is None


def test_steps():
    flat = summary(laplace={(0.5, None): 30, (1, None): 20, (2, None): 10})
    steep = summary(laplace={(0.5, None): 30, (1, None): 12, (2, None): 10})
    claim = {"dataset": "moths", "metric": "l1", "mechanisms": ["laplace"]}
    assert verdict("steps", flat, **claim, below=1.5)[0] == "confirmed"
    assert verdict("steps", flat, **claim, above=1.5)[0] == "refuted"
    assert verdict("steps", steep, **claim, above=1.5)[0] == "confirmed"
    # not linear or steep: the first decrease is much smaller than the second, or a mean increases
    late = summary(laplace={(0.5, None): 30, (1, None): 28, (2, None): 10})
    up = summary(laplace={(0.5, None): 10, (1, None): 20, (2, None): 30})
    hump = summary(laplace={(0.5, None): 10, (1, None): 30, (2, None): 10})
    dip = summary(laplace={(0.5, None): 30, (1, None): 10, (2, None): 12})
    for table in (late, up, hump, dip):
        assert verdict("steps", table, **claim, below=1.5)[0] == "refuted"
        assert verdict("steps", table, **claim, above=1.5)[0] == "refuted"
    # equal decreases over two steps, the second of which is twice as wide in ε
    assert verdict("steps", flat, **claim, below=1.5, spacing="epsilon")[0] == "refuted"


def test_delta_matters_less():
    def table(largest):
        return summary(x={(1, 0.1): 20, (1, 0.2): largest, (2, 0.1): 10, (2, 0.2): largest - 10})

    claim = {"dataset": "moths", "metric": "l1", "mechanisms": ["x"]}
    assert verdict("delta_matters_less", table(15), **claim)[0] == "confirmed"
    assert verdict("delta_matters_less", table(10.1), **claim)[0] == "undecided"
    assert verdict("delta_matters_less", table(5), **claim)[0] == "refuted"
    # an increase counts too
    assert verdict("delta_matters_less", table(35), **claim)[0] == "refuted"


def test_similar():
    claim = {"dataset": "moths", "metric": "l1", "mechanisms": ["a", "b"]}
    claim |= {"within": 0.1, "epsilon": 2, "delta": 0.1}
    table = summary(a={(1, 0.1): 9.5, (1, 0.01): 1}, b={(1, 0.1): 10, (1, 0.01): 10})
    assert verdict("similar", table, **claim)[0] == "confirmed"
    means = {(1, 0.1): 10, (2, 0.1): 10}
    table = summary(a=means | {(2, 0.1): 12}, b=means)
    assert verdict("similar", table, **claim)[0] == "partly"


def test_variability():
    table = summary(x={(1, 0.1): 20, (2, 0.1): 10, (4, 0.1): 10.2})
    actual, evidence = verdict("varies_more_at_small_epsilon", table, dataset="moths", metric="l1")
    assert actual == "partly"
    assert "1 of 2" in evidence
    assert re.search("ε=4.* at δ=0.1: -0.2 ± ", evidence)


def test_accuracy():
    accuracy = summary(laplace={(1, None): 84.5}, gaussian_adp={(1, 0.1): 84})
    accuracy["metric"] = "accuracy"
    accuracy[["mean", "se"]] /= 100
    baseline = pd.DataFrame({"dataset": "moths", "model": ["original"], "accuracy": [0.85]})
    tables = Results(accuracy, pd.DataFrame(), baseline)
    assert verdict("loss_of_accuracy", tables, dataset="moths", at_most=0.02)[0] == "confirmed"
    actual, evidence = verdict(
        "loss_of_accuracy", tables, dataset="moths", at_least=0.008, at_most=0.02
    )
    assert actual == "undecided"
    assert "0.80%" in evidence
    gained = Results(accuracy, pd.DataFrame(), baseline.assign(accuracy=0.80))
    assert verdict("loss_of_accuracy", gained, dataset="moths", at_most=0.02)[0] == "refuted"


def test_no_worse():
    accuracy = summary(laplace={(1, None): 84.5}, gaussian_adp={(1, 0.1): 84})
    accuracy["metric"] = "accuracy"
    accuracy[["mean", "se"]] /= 100

    def verdict_of(original, share):
        baseline = pd.DataFrame({"dataset": "moths", "model": ["original"], "accuracy": [original]})
        tables = Results(accuracy, pd.DataFrame(), baseline)
        parameters = {"dataset": "moths", "mechanism": "gaussian-adp", "share": share}
        return verdict("no_worse", tables, 1, **parameters)[0]

    assert verdict_of(0.85, 0) == "refuted"  # losses of 1 and 0.5 points
    assert verdict_of(0.85, 0.2) == "refuted"
    assert verdict_of(0.85, 2) == "confirmed"
    assert verdict_of(0.845, 2) == "refuted"  # the share does not apply to a loss of 0
    assert verdict_of(0.8, 2) == "refuted"  # nor to a gain


def test_counts():
    tally = pd.DataFrame({"quantity": ["test", "cells"], "count": [5, 900]})
    tables = Results(pd.DataFrame(), pd.DataFrame(), tallies={"moths": tally})
    claim = {"dataset": "moths", "tolerance": 0}
    assert verdict("counts", tables, **claim, quantity="test", printed=5)[0] == "confirmed"
    assert verdict("counts", tables, **claim, quantity="test", printed=6)[0] == "refuted"
    assert verdict("counts", tables, **claim, quantity="test", printed=20, unit=10)[0] == "refuted"
    assert verdict("counts", tables, **claim, quantity="test", printed=8, unit=8)[0] == "confirmed"
    claim |= {"quantity": "cells", "sd": 29}
    assert verdict("counts", tables, **claim, printed=850)[0] == "confirmed"
    assert verdict("counts", tables, **claim, printed=800)[0] == "refuted"


@pytest.fixture(scope="module")
def figures():
    tables = {figure: tabulate_theory.tabulate(f"{figure:02}", seed=1) for figure in (3, 4, 5)}
    return tables | {2: tabulate_theory.corollary_7(np.random.default_rng(1), draws=20_000)}


@pytest.mark.parametrize(
    ("test", "parameters", "expected"),
    [
        ("ratio_of_bounds", {}, "confirmed"),
        ("trend_of_bounds", {"along": "epsilon"}, "confirmed"),
        ("trend_of_bounds", {"along": "delta"}, "partly"),
        ("trend_of_scales", {"along": "delta", "rises": False}, "confirmed"),
        ("trend_of_scales", {"along": "delta", "rises": True}, "refuted"),
        ("fall_and_rebound", {}, "confirmed"),
        ("rebound_above_one", {}, "confirmed"),
        ("later_rebound", {"along": "epsilon"}, "confirmed"),
        ("later_rebound", {"along": "delta"}, "confirmed"),
        ("cost_falls_with_delta", {}, "confirmed"),
    ],
)
def test_theory(figures, test, parameters, expected):
    tables = Results(pd.DataFrame(), pd.DataFrame(), figures=figures)
    assert verdict(test, tables, 3, **parameters)[0] == expected


def test_theory_can_be_refuted(figures):
    def changed(number, column, change):
        table = figures[number].assign(**{column: change(figures[number][column])})
        return Results(pd.DataFrame(), pd.DataFrame(), figures={number: table})

    up = changed(3, "ratio", lambda ratio: ratio + 1)
    assert verdict("ratio_of_bounds", up, 0)[0] == "refuted"
    monotone = changed(4, "ratio", lambda ratio: -np.arange(len(ratio), dtype=float))
    assert verdict("fall_and_rebound", monotone, 0)[0] == "refuted"
    reverse = changed(5, "ratio", lambda ratio: -ratio)
    assert verdict("cost_falls_with_delta", reverse, 0)[0] == "refuted"


def scales(*mechanisms, epsilons=(0.5,), deltas=(0.01,)):
    """Return a table of the scales of some mechanisms: (name, order, calibration)."""
    rows = []
    for name, order, rule in mechanisms:
        for epsilon in epsilons:
            for delta in [None] if rule == "pure" else deltas:
                b = calibration.calibrate(rule, order=order, epsilon=epsilon, delta=delta).scale
                sd = GeneralizedGaussian(order, b).sd
                rows.append((name, order, rule, epsilon, delta, b, sd))
    columns = ["mechanism", "order", "calibration", "epsilon", "delta", "scale", "sd"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(
    ("package", "file"),
    [("ggexp.claims", "check.py"), ("ggexp.companions.claims", "__init__.py")],
)
def test_every_module_of_claim_tests_is_imported(package, file):
    """The fingerprint of the script that tests claims follows these imports."""
    folder = ROOT / "src" / package.replace(".", "/")
    modules = {
        f"{package}.{file.stem}"
        for file in folder.glob("*.py")
        if "@claim_test" in file.read_text("utf-8")
    }
    assert modules <= imported(folder / file)
    registered = {test.__module__ for test in TESTS.values()}
    assert {name for name in registered if name.startswith(f"{package}.")} == modules


def test_two_claim_tests_cannot_have_the_same_name():
    def ordered(results):
        return []

    with pytest.raises(ValueError, match="'ordered'"):
        claim_test(ordered)
    assert TESTS["ordered"].__module__ == "ggexp.claims.experiment"


def test_bounds_and_lemma_11():
    laplace, pdp, adp = ("l", 1, "pure"), ("p", 2, "pdp"), ("a", 2, "adp-classical")
    tables = Results(pd.DataFrame(), scales(laplace, pdp, adp, deltas=(0.01, 0.25)))
    assert verdict("tighter", tables, 0, mechanisms=["p", "a"])[0] == "confirmed"
    assert verdict("tighter", tables, 0, mechanisms=["a", "p"])[0] == "refuted"
    assert verdict("lemma_11", tables, 0)[0] == "confirmed"
    actual, evidence = verdict("lemma_11_samples", tables, 3, draws=10_000)
    assert actual == "confirmed"
    assert "(0.5, 0.01)" in evidence
    assert "0.25" not in evidence  # δ = 0.25 is not below 0.157
    too_wide = tables.scales.assign(scale=lambda t: t["scale"].where(t["mechanism"] != "l", 20))
    swapped = Results(pd.DataFrame(), too_wide)
    assert verdict("lemma_11_samples", swapped, 3, draws=10_000)[0] == "refuted"


def test_bounding():
    tables = Results(pd.DataFrame(), scales(("p", 2, "pdp")))
    actual, evidence = verdict("clamping", tables, 0, counts=30)
    assert actual == "refuted"
    assert "(0.5, 0.01), count 12 against 13" in evidence
    assert "0.0152" in evidence  # docs/bounding.md


def test_redrawing():
    tables = Results(pd.DataFrame(), scales(("p", 2, "pdp")))
    claim = {"orders": [2, 3], "counts": 30, "bounds": [70]}
    actual, evidence = verdict("redrawing", tables, 0, **claim)
    assert actual == "confirmed"
    assert "(0.5, 0.01), [0, 70]" in evidence
    actual, evidence = verdict("redrawing", tables, 0, **claim, points=[[0.1, 0.5]])
    assert actual == "partly"
    assert "p=3" in evidence
    assert "(0.1, 0.5), [0, 70]" in evidence


def test_pdp_and_adp_at_small_delta():
    tables = Results(pd.DataFrame(), scales(("p", 2, "pdp")))
    # errata.md: σ = 5.1755 and 3.1469 at (0.5, 0.01)
    assert verdict("same_noise", tables, 0, deltas=[0.01], within=0.65)[0] == "confirmed"
    actual, evidence = verdict("same_noise", tables, 0, deltas=[0.01], within=0.64)
    assert actual == "refuted"
    assert f"(0.5, 0.01) by {5.1755 / 3.1469 - 1.64:.2g}" in evidence
    assert verdict("more_alike", tables, 0, deltas=[0.1, 0.01, 1e-9])[0] == "confirmed"
    assert verdict("more_alike", tables, 0, deltas=[0.1, 1e-9, 0.01])[0] == "partly"
    assert verdict("same_delta", tables, 0, deltas=[0.01], factor=27)[0] == "confirmed"
    assert verdict("same_delta", tables, 0, deltas=[0.01], factor=26)[0] == "refuted"


def test_beyond_lemma_11():
    run = scales(("l", 1, "pure"), ("p", 2, "pdp"), epsilons=(0.5, 1), deltas=(0.01, 0.25))
    tables = Results(pd.DataFrame(), run)
    actual, evidence = verdict("beyond_lemma_11", tables, 0, wider=False)
    assert actual == "confirmed"
    assert "1 of 2 points: (0.5, 0.25)" in evidence
    actual, evidence = verdict("beyond_lemma_11", tables, 0, wider=True)
    assert "1 of 2 points: (1, 0.25)" in evidence
    below = Results(pd.DataFrame(), run[run["delta"] != 0.25])
    assert verdict("beyond_lemma_11", below, 0, wider=True) is None


def test_clamping_agrees_with_samples():
    epsilon, delta, count, draws = 0.5, 0.05, 4, 400_000
    b = calibration.calibrate("pdp", order=2, epsilon=epsilon, delta=delta).scale
    noise = GeneralizedGaussian(2, b)
    released = np.maximum(count + noise.sample(np.random.default_rng(3), draws), 0)
    loss = ((released - count - 1) ** 2 - (released - count) ** 2) / b**2
    loss_at_0 = np.log(noise.scipy.cdf(-count) / noise.scipy.cdf(-count - 1))
    loss[released == 0] = loss_at_0
    share = (np.abs(loss) > epsilon).mean()
    expected = clamped_pdp_delta(order=2, scale=b, epsilon=epsilon, count=count)
    assert abs(share - expected) < 5 * np.sqrt(expected / draws)


def test_the_claims_are_well_formed():
    claims = read_claims(CLAIMS)
    assert len(claims) > 30


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "test: lemma_11\n",
            "test: lemma_12\n",
            "claim 'lemma-11': test .*ordered,",
        ),
        (
            "{counts: 100}",
            "{count: 9}",
            "clamping: .*argument.* 'counts'",
        ),
        ("expected: refuted", "expected: no", "expected must be one of confirmed, by constr"),
        ("id: redrawing", "id: clamping", "claim 'clamping': the id occurs twice"),
        ("  source: section 4, Figure 7\n", "", "the keys must be id, claim, source"),
    ],
)
def test_errors_in_claims(tmp_path, old, new, message):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(ValueError, match=message):
        read_claims(path)
