"""Mutations for the claims of many queries and of the two lectures, as in test_mutations.py."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from ggexp.claims import exercises, lectures
from ggexp.claims.evidence import Results
from ggexp.claims.registry import check_claims, read_claims
from ggexp.figures import tabulate_queries
from ggexp.guarantees import composition, renyi
from ggexp.mechanisms import calibration

CLAIMS = {
    claim["id"]: claim
    for claim in read_claims(Path(__file__).parents[2] / "reference/guarantees.yaml")
    if claim["id"].startswith(("queries-", "composition-", "lecture-", "cs208-"))
}


@pytest.fixture(scope="module")
def results():
    with pytest.MonkeyPatch.context() as patch:  # fewer points
        patch.setattr(tabulate_queries, "KS", (1, 3, 5, 7, 8, 10, 12, 30))
        patch.setattr(tabulate_queries, "SIMULATED", (3, 30))
        patch.setattr(tabulate_queries, "RELEASES", (2, 20, 35, 200))
        figures = {"s5": tabulate_queries.tabulate("s5", seed=1)}
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures, seed=1)


# ---- mutations: functions of the results and a monkeypatch, which return other results


def table(column, change, **where):
    """Change a column of the table where others have these values."""

    def mutate(results, patch):
        changed = results.figures["s5"].copy()
        here = np.logical_and.reduce([changed[name] == value for name, value in where.items()])
        assert np.any(here)
        changed[column] = changed[column].astype(float)
        changed.loc[here, column] = change(changed.loc[here, column])
        if column == "k":
            changed["k"] = changed["k"].astype(int)
        return replace(results, figures={"s5": changed})

    return mutate


def patched(module, name, change):
    """Replace a function of a module by change(function)."""

    def mutate(results, patch):
        patch.setattr(module, name, change(getattr(module, name)))
        return results

    return mutate


def times(factor):
    """Multiply what a function returns, or the first of two."""

    def change(function):
        def changed(*arguments, **named):
            found = function(*arguments, **named)
            return (factor * found[0], *found[1:]) if isinstance(found, tuple) else factor * found

        return changed

    return change


def rule(name, factor):
    """Multiply the scale of a calibration rule."""

    def change(function):
        def changed(calibration, **named):
            return (factor if calibration == name else 1) * function(calibration, **named)

        return changed

    return patched(calibration, "scale", change)


class Rng:
    """A generator whose noise is changed: multiplied, shifted, or of another shape."""

    def __init__(self, rng, factor=1.0, shift=0.0, other=False):
        self.rng, self.factor, self.shift, self.other = rng, factor, shift, other
        self.integers = rng.integers

    def laplace(self, location, scale, size):
        return self.factor * self.rng.laplace(location, scale, size) + self.shift

    def normal(self, location, scale, size):
        draw = self.rng.laplace if self.other else self.rng.normal
        return self.factor * draw(location, scale, size) + self.shift


def noise(**changes):
    return patched(
        np.random, "default_rng", lambda function: lambda seed: Rng(function(seed), **changes)
    )


def another_seed(results, patch):
    return replace(results, seed=results.seed + 1)


def bounded(function):
    """A Rényi divergence that stops growing with α."""
    return lambda *, alpha, **named: function(alpha=min(alpha, 100), **named)


def growing(function):
    return lambda *, alpha, **named: alpha * function(alpha=alpha, **named)


def steeper(function):
    """A σ that rises faster with the sensitivity than it should."""
    return lambda rule, epsilon, delta, move: function(rule, epsilon, delta, move) * move**0.5


def constant(function):
    return lambda rule, epsilon, delta, move: function(rule, epsilon, delta, 1.0)


class Case(NamedTuple):
    changes: object
    to: str
    keeps: object


GREATER = table("value", lambda x: 2 * x, panel="queries")
CASES = {
    "queries-crossing": Case(
        table("k", lambda k: k + 1, kind="crossing", way="gaussian", delta=1e-6), "refuted", GREATER
    ),
    "queries-crossing-larger-delta": Case(
        table("k", lambda k: k - 1, kind="crossing", way="gaussian", delta=1e-3), "refuted", GREATER
    ),
    "queries-accountant": Case(
        table("k", lambda k: k + 20, kind="crossing", way="gaussian-exact"), "refuted", GREATER
    ),
    "queries-condition": Case(
        table("value", lambda x: 2 * x, kind="curve", way="laplace"), "confirmed", GREATER
    ),
    "queries-growth": Case(
        table("value", lambda x: 3 * x, kind="curve", way="gaussian"),
        "partly",
        table("value", lambda x: 3 * x, kind="curve", way="gaussian-exact"),
    ),
    "queries-simulated": Case(
        table("value", lambda x: 1.1 * x, kind="simulated"),
        "refuted",
        table("error", lambda x: 2 * x, kind="simulated"),
    ),
    "composition-exact": Case(
        table("value", lambda x: 1.1 * x, panel="composition", way="exact"),
        "partly",
        table("value", lambda x: 2 * x, panel="composition"),
    ),
    "lecture-gaussian": Case(rule("adp-lecture", 0.2), "partly", rule("adp-lecture", 1.1)),
    "lecture-converse": Case(rule("adp-exact", 3), "refuted", rule("adp-exact", 1.01)),
    "lecture-normal-vector": Case(noise(other=True), "refuted", another_seed),
    "cs208-approximate": Case(rule("adp-exact", 3), "confirmed", rule("adp-exact", 1.01)),
    "cs208-zcdp-tail": Case(
        patched(calibration, "zcdp_scale", times(0.2)),
        "refuted",
        patched(calibration, "zcdp_scale", times(1.5)),
    ),
    "cs208-zcdp-pure": Case(
        patched(renyi, "divergence", bounded), "confirmed", patched(renyi, "divergence", times(2))
    ),
    "cs208-renyi-pure": Case(
        patched(renyi, "divergence", growing), "refuted", patched(renyi, "divergence", times(2))
    ),
    "cs208-gaussian": Case(rule("adp-classical", 0.2), "partly", rule("adp-classical", 1.1)),
    "cs208-normal-tail": Case(
        patched(lectures, "ndtr", lambda _: lambda t: ndtr(t / 2)),
        "refuted",
        patched(lectures, "ndtr", times(0.9)),
    ),
    "cs208-mean": Case(
        patched(exercises, "_largest_move", times(2)),
        "refuted",
        patched(exercises, "_largest_move", times(0.9)),
    ),
    "cs208-advanced": Case(
        patched(composition, "advanced", times(0.5)),
        "refuted",
        patched(composition, "advanced", times(1.1)),
    ),
    "cs208-advanced-from": Case(
        patched(composition, "advanced", times(1.2)),
        "partly",
        patched(composition, "advanced", times(1.001)),
    ),
    "cs208-points": Case(
        patched(exercises, "_sigma", constant), "refuted", patched(exercises, "_sigma", times(2))
    ),
    "cs208-points-ratio": Case(
        patched(exercises, "_sigma", steeper), "confirmed", patched(exercises, "_sigma", times(2))
    ),
    "cs208-points-ratio-right": Case(
        patched(exercises, "_sigma", steeper), "refuted", patched(exercises, "_sigma", times(2))
    ),
    "cs208-squares": Case(
        patched(exercises, "_largest_move", times(1.5)),
        "refuted",
        patched(renyi, "divergence", times(0.9)),
    ),
    "cs208-gram-entry": Case(
        patched(np, "ones", lambda function: lambda n: function(n) / np.sqrt(n)),
        "confirmed",
        another_seed,
    ),
    "cs208-gram-psd": Case(patched(calibration, "zcdp_scale", times(0)), "undecided", another_seed),
    "cs208-histogram": Case(patched(np, "bincount", times(2)), "refuted", another_seed),
    "cs208-histogram-queries": Case(noise(factor=2), "partly", another_seed),
    "cs208-clamping": Case(noise(shift=-3), "partly", another_seed),
}


def verdict(claim, results):
    return check_claims([CLAIMS[claim]], results)["verdict"].item()


def test_every_claim_has_a_mutation():
    assert set(CASES) == set(CLAIMS)


@pytest.mark.parametrize("claim", CASES)
def test_verdicts(claim, results):
    assert verdict(claim, results) == CLAIMS[claim]["expected"]


@pytest.mark.parametrize("claim", CASES)
def test_a_change_changes_the_verdict(claim, results, monkeypatch):
    case = CASES[claim]
    assert case.to != CLAIMS[claim]["expected"]
    assert verdict(claim, case.changes(results, monkeypatch)) == case.to


@pytest.mark.parametrize("claim", CASES)
def test_another_does_not(claim, results, monkeypatch):
    changed = CASES[claim].keeps(results, monkeypatch)
    assert verdict(claim, changed) == CLAIMS[claim]["expected"]


@pytest.mark.parametrize("claim", [name for name in CASES if name.startswith("queries-")])
def test_a_run_without_the_figure_leaves_the_claim_out(claim, results):
    assert check_claims([CLAIMS[claim]], replace(results, figures={})).empty
