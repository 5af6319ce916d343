"""Verdicts on claims, with results made up for each test."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from mutations import claims, full_run, results_for

import ggexp.companions.claims  # noqa: F401  (registers further tests)
from ggexp.claims.check import Claim, compare, read_claims
from ggexp.claims.evidence import TESTS, Comparison, Results, Splits, claim_test, judge
from ggexp.claims.experiment import tally_of_table
from ggexp.claims.sd_errors import sd_error
from ggexp.run.fingerprint import imported

CLAIMS = ROOT / "reference/claims.yaml"


def results(se=0.1, metric="l1", **datasets):
    """Return results with means: data set -> mechanism -> {(ε, δ): mean}.

    moths has 10 records, any other data set 100.
    """
    rows = [
        (dataset, name.replace("_", "-"), epsilon, delta, metric, 100, mean, mean, se)
        for dataset, mechanisms in datasets.items()
        for name, points in mechanisms.items()
        for (epsilon, delta), mean in points.items()
    ]
    columns = ["dataset", "mechanism", "epsilon", "delta", "metric", "repeats", "mean", "sd", "se"]
    tallies = {
        dataset: tally_of_table(pd.DataFrame({"count": [0, 10 if dataset == "moths" else 100]}))
        for dataset in datasets
    }
    return Results(pd.DataFrame(rows, columns=columns), pd.DataFrame(), tallies=tallies)


def verdict(test, tables, tolerance=3, **parameters):
    comparisons = compare(Claim.model_construct(test=test, parameters=parameters, group=""), tables)
    return judge(comparisons, tolerance)[0] if comparisons else None


@pytest.mark.parametrize(
    ("differences", "expected", "numbers"),
    [
        ([1, 2, 3], "confirmed", [3, 1, 1, 0.1]),
        ([-1, -2], "refuted", [-1, 1, 0.1, -2, 2, 0.1]),
        ([1, -2, -3], "partly", [1, 3, 2, -2, 2, 0.1, -3, 3, 0.1]),
        ([1, 0.2], "partly", [1, 2, 1, 3, 0.2, 0.2, 0.1]),
        ([-1, 0.2], "refuted", [0, 2, 1, -1, 1, 0.1, 1, 3, 0.2, 0.2, 0.1]),
        ([0.2, -0.2], "undecided", [0, 2, 2, 3, 0.2, 0.2, 0.1, -0.2, -0.2, 0.1]),
    ],
)
def test_judge(differences, expected, numbers):
    """numbers: of comparisons that agree, or not, and of the closest or worst of them."""
    comparisons = [Comparison("a < b", f"at {d}", d, 0.1) for d in differences]
    actual, words = judge(comparisons, 3)
    assert actual == expected
    assert [*map(float, re.findall(r"[-+]?\d+\.?\d*", words))] == numbers
    by_construction = judge(comparisons, 3, by_construction=True)[0]
    assert by_construction == ("by construction" if expected == "confirmed" else expected)


@pytest.mark.parametrize(("sd", "expected"), [(0.0005, "confirmed"), (0.002, "undecided")])
@pytest.mark.parametrize("pair", [("laplace", "gaussian-adp"), ("gaussian-adp", "laplace")])
def test_losses_are_judged_by_the_splits_too(sd, expected, pair):
    """A margin of 1 point: 7 standard errors, and 20 or 5 of the sd over splits."""
    accuracies = {"laplace": {(1, None): 0.84}, "gaussian_adp": {(1, 0.1): 0.84}}
    tables = results(0.001, "accuracy", moths=accuracies)
    row = ("moths", *pair, 1.0, 0.1, 6, sd)
    columns = ["dataset", "mechanism", "other", "epsilon", "delta", "splits", "sd"]
    losses = pd.DataFrame([row, ("moths", pair[0], "original", 1.0, 0.1, 6, 9.0)], columns=columns)
    claim = {"mechanism": "gaussian-adp", "others": ["laplace"], "margin": 0.01}
    tables = replace(tables, losses=losses)
    assert verdict("no_worse", tables, dataset="moths", **claim) == expected
    (comparison,) = TESTS["no_worse"](tables, dataset="moths", **claim)
    assert comparison.splits == (6, sd)
    # on another data set, the noise alone
    tables = replace(tables, losses=losses.assign(dataset="bees"))
    (comparison,) = TESTS["no_worse"](tables, dataset="moths", **claim)
    assert (comparison.splits.number, comparison.outcome(3)) == (1, "agrees")


def false_alarms(share, number, *, own_split, factor=1.0, tries=20_000):
    """Return how often a difference of 0 counts at three standard errors.

    share: the noise's share of its variance, which is 1. own_split: whether the split of the run
    is one of those from which the sd is computed.
    """
    rng = np.random.default_rng(3)
    splits = rng.normal(0, np.sqrt(1 - share), (number + 1, tries))
    sds = factor * splits[:number].std(axis=0, ddof=1)
    differences = splits[0 if own_split else number] + rng.normal(0, np.sqrt(share), tries)
    outcomes = (
        Comparison("", "", difference, share**0.5, Splits(number, sd)).outcome(3)
        for difference, sd in zip(differences, sds, strict=True)
    )
    return sum(outcome != "undecided" for outcome in outcomes) / tries


@pytest.mark.parametrize(("share", "number"), [(0, 6), (0.8, 6), (0.5, 2)])
def test_the_noise_and_the_splits_together_have_the_false_alarms_of_the_tolerance(share, number):
    """At most 0.27 %, plus four standard errors of a simulation (a false alarm once in 30,000)."""
    for own_split in (False, True):
        assert false_alarms(share, number, own_split=own_split) < 0.0027 + 4 * 0.00037
    # by the noise alone, and with an sd that is 30 % too small, there are more
    if 0 < share < 0.9:
        assert false_alarms(share, number, own_split=False, factor=0) > 0.0027 + 8 * 0.00037
    if share == 0:
        assert false_alarms(share, number, own_split=False, factor=0.7) > 0.0027 + 8 * 0.00037
        assert false_alarms(share, number, own_split=False) > 0.0027 - 4 * 0.00037


def test_the_committed_losses_are_of_the_claims():
    """They have every loss that the claims on the paper's design judge."""
    names = {"loss_of_accuracy", "no_worse", "loss_of_equal_counts"}
    numbers = {
        name: {comparison.splits.number for comparison in compare(claim, results_for(claim))}
        for name, claim in claims("claims.yaml").items()
        if claim.test in names
    }
    assert numbers.pop("equal-adult-laplace-accuracy") == {1}
    assert numbers == {name: {6} for name in numbers}
    assert len(numbers) > 5


def test_similar_kl_divergences():
    """Within 10 % of l1 are 21 % of a quadratic function of it."""
    for metric, expected in (("l1", "refuted"), ("kl", "confirmed")):
        tables = results(0.1, metric, moths={"a": {(2, 0.1): 120}, "b": {(2, 0.1): 100}})
        claim = {"dataset": "moths", "metric": metric, "mechanisms": ["a", "b"], "within": 0.1}
        assert verdict("similar", tables, **claim, epsilon=2, delta=0.1) == expected


def test_the_error_of_a_standard_deviation():
    """It is that of samples, also of values that are far from normal (of kurtosis 9)."""
    samples = pd.DataFrame(np.random.default_rng(1).exponential(size=(200, 1000)))
    errors = samples.apply(sd_error)
    assert errors.mean() == pytest.approx(samples.std().std(), rel=0.1)
    assert errors.mean() > 1.5 * (samples.std() / np.sqrt(2 * 199)).mean()


TWO = {"datasets": ["bees", "moths"], "metric": "l1", "mechanisms": ["laplace", "gaussian-pdp"]}


def test_nears_faster():
    slow = {(0.5, 0.1): 20, (0.5, 0.2): 18, (2, 0.1): 10, (2, 0.2): 9}
    fast = {(0.5, 0.1): 20, (0.5, 0.2): 10, (2, 0.1): 5, (2, 0.2): 2}
    laplace = {(0.5, None): 30, (2, None): 20}
    moths = {"gaussian_pdp": slow, "laplace": laplace}
    bees = {"gaussian_pdp": fast, "laplace": {point: 10 * mean for point, mean in laplace.items()}}
    tables = results(moths=moths, bees=bees, se=0.5)
    epsilon = [*TESTS["nears_faster"](tables, **TWO, along="epsilon")]
    assert [comparison.where for comparison in epsilon] == [
        "(0.5, 0.1) to (2, 0.1)",
        "(0.5, 0.2) to (2, 0.2)",
        "ε=0.5 to ε=2",
    ]
    assert epsilon[2].difference == pytest.approx(0)  # the units cancel
    # of a share 10/20 and a share 5/20, each mean with a standard error of 0.5
    shares = [(0.5, 20, 10), (0.25, 20, 5)]
    squares = (share**2 * ((0.5 / start) ** 2 + (0.5 / end) ** 2) for share, start, end in shares)
    assert epsilon[0].error == pytest.approx(sum(squares) ** 0.5)
    # Laplace noise has no δ
    assert len([*TESTS["nears_faster"](tables, **TWO, along="delta")]) == 2
    of_0 = {"laplace": {(1, None): 20, (2, None): 0}}
    tables = results(moths=of_0, bees=of_0)
    assert verdict("nears_faster", tables, **TWO, along="epsilon") == "undecided"


def test_claims_need_their_tables():
    claims = [claim for claim in read_claims(CLAIMS) if claim.id.startswith("figure-")]
    of_figures = [claim for claim in claims if not claim.id.endswith("in-general")]
    assert [compare(claim, results()) for claim in of_figures] == [[]] * 14
    same = {"mechanism": "gg-1", "others": ["gg-1"], "within": 0}
    comparisons = [*TESTS["no_more_noise"](full_run("equal_privacy"), **same)]
    assert {comparison.difference for comparison in comparisons} == {0}


@pytest.mark.parametrize(
    ("package", "file"), [("ggexp.claims", "check.py"), ("ggexp.companions.claims", "__init__.py")]
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
        yield Comparison("", "", 1)

    with pytest.raises(ValueError, match="'ordered'"):
        claim_test(ordered)
    assert TESTS["ordered"].__module__ == "ggexp.claims.experiment"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("test: lemma_11\n", "test: lemma_12\n", "claim 'lemma-11'.test: .*ordered,"),
        ("{counts: 100}", "{count: 9}", "clamping: .*argument.* 'counts'"),
        ("expected: refuted", "expected: no", "expected: must be one of 'confirmed', 'by constr"),
        ("  range: &experiments {epsilon: [0.5, 2]", "  says: &experiments {e: [0.5, 2]", "range"),
        ("id: redrawing", "id: clamping", "claim 'clamping': the id occurs twice"),
        ("  source: section 4, Figure 7\n", "", "claim .*source: Field required"),
    ],
)
def test_errors_in_claims(tmp_path, old, new, message):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(ValueError, match=message):
        read_claims(path)
