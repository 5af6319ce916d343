"""A test of the tests: each claim has a change of the results that changes its verdict.

And one that does not. The results are those of a full run (tests/data/README.md). A claim that no
change moves would not be a claim.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from ggexp.claims.registry import check_claims, read_claims
from ggexp.mechanisms import bounded, calibration, exponential, sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian

ALL = read_claims(Path(__file__).parents[2] / "reference/claims.yaml")
# those of equal privacy are in test_equal_privacy_claims.py
CLAIMS = {claim["id"]: claim for claim in ALL if not claim["id"].startswith("equal-")}

# ---- mutations: functions of the results and a monkeypatch, which return other results


def summary(dataset, metric, change, columns=("mean",), **where):
    """Change columns of the summary's rows of a metric, and of mechanism=…, epsilon=…, delta=…."""

    def mutate(results, patch):
        table = results.summary.copy()
        here = (table["dataset"] == dataset) & (table["metric"] == metric)
        for name, value in where.items():
            here &= table[name] == value
        assert here.any()
        for column in columns:
            table.loc[here, column] = change(table[here].assign(value=table.loc[here, column]))
        return replace(results, summary=table)

    return mutate


def in_other_units(dataset, metric):
    return summary(dataset, metric, lambda t: 2 * t["value"], columns=("mean", "sd", "se"))


def as_ordered(dataset, metric, *mechanisms):
    """Make the means those of the first mechanism, twice that, and so on."""
    return summary(dataset, metric, lambda t: 100.0 * t["mechanism"].map(mechanisms.index) + 100)


def over_epsilon(dataset, metric, low, middle, high):
    """Give the means at the three ε, whatever the mechanism and δ."""
    return summary(
        dataset, metric, lambda t: t["epsilon"].map({0.5: low, 1: middle, 2: high}).astype(float)
    )


def tally(quantity, count, dataset="adult"):
    def mutate(results, patch):
        table = results.tallies[dataset].copy()
        table.loc[table["quantity"] == quantity, "count"] = count
        return replace(results, tallies={**results.tallies, dataset: table})

    return mutate


def accuracy(change, **where):
    return summary("adult", "accuracy", lambda t: t["value"] + change, **where)


def baseline(change):
    def mutate(results, patch):
        table = results.baseline
        return replace(results, baseline=table.assign(accuracy=table["accuracy"] + change))

    return mutate


def scales(column, factor, **where):
    def mutate(results, patch):
        table = results.scales.copy()
        here = np.logical_and.reduce([table[name] == value for name, value in where.items()])
        assert np.any(here)
        table.loc[here, column] *= factor
        return replace(results, scales=table)

    return mutate


def figure(number, **changes):
    """Change columns of a figure's table: name=function of the table."""

    def mutate(results, patch):
        table = results.figures[number].assign(**changes)
        return replace(results, figures={**results.figures, number: table})

    return mutate


def another_seed(results, patch):
    return replace(results, seed=results.seed + 1)


def rule(name, change, order=None):
    """Change the scale of a calibration rule in the library: (scale, order, ε, δ) -> scale."""

    def mutate(results, patch):
        right = calibration.scale

        def wrong(calibration, *, order, epsilon, delta=None):
            b = right(calibration, order=order, epsilon=epsilon, delta=delta)
            return change(b, order, epsilon, delta) if calibration == name else b

        patch.setattr(calibration, "scale", wrong)
        return results

    return mutate


def times(factor, *orders):
    """Multiply a scale of these orders, or of all."""
    return lambda b, order, epsilon, delta: b * (1 if orders and order not in orders else factor)


def library(module, name, change):
    """Change what a function of the library returns."""

    def mutate(results, patch):
        right = getattr(module, name)
        patch.setattr(module, name, lambda *values, **named: change(right(*values, **named)))
        return results

    return mutate


def noise_sd(change):
    """Change the standard deviation of noise: (order, sd) -> sd."""

    def mutate(results, patch):
        right = GeneralizedGaussian.sd
        wrong = property(lambda noise: change(noise.order, right.fget(noise)))
        patch.setattr(GeneralizedGaussian, "sd", wrong)
        return results

    return mutate


def spent(factor):
    """Let the exponential mechanism spend that many ε."""

    def mutate(results, patch):
        right = exponential.probabilities

        def wrong(utilities, *, epsilon, sensitivity):
            return right(utilities, epsilon=factor * epsilon, sensitivity=sensitivity)

        patch.setattr(exponential, "probabilities", wrong)
        return results

    return mutate


def as_adp(excess):
    """The scale of exact aDP, and an excess (δ) of it."""

    def change(b, order, epsilon, delta):
        adp = calibration.RULES["adp-exact"].function(order, epsilon, delta)
        return adp * (1 + excess(delta))

    return change


def together(*mutations):
    def mutate(results, patch):
        for one in mutations:
            results = one(results, patch)
        return results

    return mutate


# ---- for each claim what changes its verdict, to which, and what does not


class Case(NamedTuple):
    changes: object
    to: str
    keeps: object


LAPLACE, PDP, ADP, GGM = "laplace", "gaussian-pdp", "gaussian-adp", "ggm-3"
FALLING = (300, 200, 100)
WIDER = {name: lambda t, name=name: 2 * t[name] for name in ("scale", "low", "high")}
REVERSED = {"scale": lambda t: 100 - t["scale"]}
ORDER_4_HIGHER = {"scale": lambda t: t["scale"] * np.where(t["order"] == 4, 1.1, 1)}
SMALLER_RATIO = {"ratio": lambda t: 0.9 * t["ratio"]}
LONGER_T = {"t": lambda t: 2 * t["t"]}

HALVED, RAISED = (lambda value: 0.5 * value), (lambda value: 1.1 * value)
SQUEEZED = {"x": lambda t: t["x"] / 2, "density": lambda t: 2 * t["density"]}

CASES = {
    "mildew-records": Case(tally("records", 71, "mildew"), "refuted", tally("cells", 9, "mildew")),
    "mildew-cells": Case(tally("cells", 21, "mildew"), "refuted", tally("records", 9, "mildew")),
    "czech-records": Case(tally("records", 1842, "czech"), "refuted", tally("cells", 9, "czech")),
    "czech-cells": Case(tally("cells", 64, "czech"), "refuted", tally("records", 9, "czech")),
    "mildew-order-l1": Case(
        as_ordered("mildew", "l1", LAPLACE, PDP, GGM, ADP),
        "confirmed",
        in_other_units("mildew", "l1"),
    ),
    "mildew-order-kl": Case(
        as_ordered("mildew", "kl", ADP, GGM, PDP, LAPLACE),
        "refuted",
        in_other_units("mildew", "kl"),
    ),
    "czech-order-l1": Case(
        summary("czech", "l1", lambda t: 70.0, mechanism=PDP, epsilon=2, delta=0.05),
        "partly",
        in_other_units("czech", "l1"),
    ),
    "czech-order-kl": Case(
        summary("czech", "kl", lambda t: 0.016, mechanism=PDP, epsilon=0.5, delta=0.25),
        "confirmed",
        in_other_units("czech", "kl"),
    ),
    "adult-order-l1": Case(
        summary("adult", "l1", lambda t: 20_600.0, mechanism=LAPLACE, epsilon=0.5),
        "partly",
        in_other_units("adult", "l1"),
    ),
    "adult-order-kl": Case(
        as_ordered("adult", "kl", ADP, GGM, PDP, LAPLACE), "refuted", in_other_units("adult", "kl")
    ),
    "mildew-similar": Case(
        as_ordered("mildew", "l1", LAPLACE, GGM, PDP, ADP),
        "refuted",
        in_other_units("mildew", "l1"),
    ),
    "mildew-similar-kl": Case(
        as_ordered("mildew", "kl", LAPLACE, GGM, PDP, ADP),
        "refuted",
        in_other_units("mildew", "kl"),
    ),
    "mildew-similar-ggm-3": Case(
        as_ordered("mildew", "l1", PDP, GGM, LAPLACE, ADP),
        "refuted",
        in_other_units("mildew", "l1"),
    ),
    "mildew-similar-laplace": Case(
        as_ordered("mildew", "l1", LAPLACE, PDP, GGM, ADP),
        "refuted",
        in_other_units("mildew", "l1"),
    ),
    "mildew-similar-both": Case(
        summary("mildew", "l1", lambda t: 2 * t["value"], mechanism=ADP, delta=0.25),
        "partly",
        in_other_units("mildew", "l1"),
    ),
    "mildew-linear-l1": Case(
        summary("mildew", "l1", lambda t: t["value"] / 2, epsilon=0.5),  # it rises from 0.5 to 1
        "refuted",
        over_epsilon("mildew", "l1", *FALLING),
    ),
    "mildew-linear-kl": Case(
        over_epsilon("mildew", "kl", *FALLING), "confirmed", in_other_units("mildew", "kl")
    ),
    "mildew-linear-in-epsilon": Case(
        summary("mildew", "l1", lambda t: 100 - 30 * t["epsilon"]),
        "confirmed",
        over_epsilon("mildew", "l1", *FALLING),
    ),
    "czech-steep-l1": Case(
        over_epsilon("czech", "l1", *FALLING), "refuted", over_epsilon("czech", "l1", 300, 100, 50)
    ),
    "czech-steep-kl": Case(
        over_epsilon("czech", "kl", 3, 1, 2),  # it rises from 1 to 2
        "refuted",
        over_epsilon("czech", "kl", 3, 1, 0.5),
    ),
    "mildew-delta-l1": Case(
        over_epsilon("mildew", "l1", *FALLING), "confirmed", in_other_units("mildew", "l1")
    ),
    "mildew-delta-kl": Case(
        summary("mildew", "kl", lambda t: 100 * t["delta"].fillna(0)),  # it rises with δ
        "refuted",
        in_other_units("mildew", "kl"),
    ),
    "czech-nearer": Case(
        summary("czech", "l1", lambda t: 100 * t["value"]), "refuted", tally("cells", 9, "czech")
    ),
    "czech-faster-epsilon": Case(
        over_epsilon("czech", "l1", 100, 80, 70), "refuted", in_other_units("czech", "l1")
    ),
    "czech-faster-delta": Case(
        over_epsilon("czech", "l1", *FALLING), "refuted", in_other_units("mildew", "l1")
    ),
    "czech-variability-l1": Case(
        summary("czech", "l1", lambda t: t["epsilon"], columns=("sd",)),
        "refuted",
        over_epsilon("czech", "l1", *FALLING),
    ),
    "czech-variability-kl": Case(
        summary("czech", "kl", lambda t: 0.001, columns=("sd",)),
        "undecided",
        in_other_units("czech", "kl"),
    ),
    "adult-training": Case(tally("training", 2009), "confirmed", tally("test", 2009)),
    "adult-test": Case(tally("test", 10_006), "refuted", tally("training", 2009)),
    "adult-bins": Case(
        tally("bins", 19_450_000_000_000), "refuted", tally("bins", 19_440_000_000_000)
    ),
    "adult-cells": Case(tally("cells", 15_000), "refuted", tally("cells", 17_985)),
    "adult-loss": Case(accuracy(-0.004), "confirmed", accuracy(0.0002)),
    "adult-barely-affected": Case(accuracy(0.05), "refuted", accuracy(0.005)),
    "adult-adp-no-worse": Case(
        accuracy(0.001, mechanism=ADP), "confirmed", together(accuracy(0.01), baseline(0.02))
    ),
    "adult-adp-not-half-as-much-again": Case(
        accuracy(-0.01, mechanism=ADP), "refuted", accuracy(-0.00005)
    ),
    **{
        f"{dataset}-ggm-3-{metric}": Case(
            as_ordered(dataset, metric, LAPLACE, PDP, GGM, ADP),
            "confirmed",
            in_other_units(dataset, metric),
        )
        for dataset in ("czech", "adult")
        for metric in ("l1", "kl")
    },
    "adult-ggm-3-loss": Case(
        accuracy(0.01, mechanism=GGM), "confirmed", together(accuracy(0.01), baseline(0.02))
    ),
    "adult-ggm-3-barely-affected": Case(
        accuracy(0.05, mechanism=GGM), "refuted", accuracy(0.05, mechanism=ADP)
    ),
    "figure-1-spread": Case(
        figure(1, order=lambda t: 11 - t["order"]), "refuted", figure(1, **SQUEEZED)
    ),
    "figure-1-spread-in-general": Case(
        noise_sd(lambda order, sd: 1 / order), "confirmed", noise_sd(lambda order, sd: 2 * sd)
    ),
    "figure-1-laplace": Case(
        figure(1, order=lambda t: t["order"].replace({1: 2, 2: 1})),
        "refuted",
        figure(1, **SQUEEZED),
    ),
    "figure-1-mean": Case(
        figure(1, order=lambda t: 11 - t["order"]),
        "refuted",
        figure(1, density=lambda t: 2 * t["density"]),
    ),
    "lemma-2": Case(
        library(sensitivity, "of_coordinates", HALVED),
        "refuted",
        library(sensitivity, "of_coordinates", RAISED),
    ),
    "lemma-2-histogram": Case(
        library(sensitivity, "histogram", lambda value: 100 * value),
        "refuted",
        library(sensitivity, "of_coordinates", RAISED),
    ),
    "lemma-9": Case(
        library(bounded, "lemma_9", HALVED),
        "refuted",
        library(bounded, "lemma_9", lambda value: (1 - 1e-10) * value),
    ),
    "lemma-9-looser": Case(
        library(bounded, "lemma_9", lambda value: 10 * value),
        "refuted",
        library(bounded, "lemma_9", RAISED),
    ),
    "corollary-12": Case(spent(1.01), "refuted", spent(0.9)),
    "corollary-12-half": Case(spent(1.01), "refuted", another_seed),
    "definition-5": Case(
        library(bounded, "truncated_scale", HALVED),
        "refuted",
        library(bounded, "truncated_scale", RAISED),
    ),
    "pdp-tighter": Case(
        scales("sd", 0.9, mechanism=ADP, epsilon=2, delta=0.25),
        "partly",
        scales("sd", 1.01, mechanism=PDP),
    ),
    "figure-3-below-1": Case(
        figure(3, ratio=lambda t: t["ratio"] + 0.15), "partly", figure(3, **SMALLER_RATIO)
    ),
    "figure-3-epsilon": Case(
        figure(3, ratio=lambda t: 1 - t["ratio"]), "refuted", figure(3, **SMALLER_RATIO)
    ),
    "figure-3-delta": Case(
        figure(3, ratio=lambda t: t["ratio"].where(t["delta"] < 0.44, 1 - t["delta"])),
        "confirmed",
        figure(3, **SMALLER_RATIO),
    ),
    "figure-2-epsilon": Case(figure(2, **REVERSED), "refuted", figure(2, **WIDER)),
    "figure-2-delta": Case(figure(2, **REVERSED), "refuted", figure(2, **WIDER)),
    "figure-2-order": Case(figure(2, **ORDER_4_HIGHER), "confirmed", figure(2, **WIDER)),
    "figure-4-rebound": Case(
        figure(4, ratio=lambda t: 1 / (1 + t["t"])), "refuted", figure(4, **LONGER_T)
    ),
    "figure-4-above-1": Case(
        figure(4, ratio=lambda t: t["ratio"].clip(upper=0.99)), "refuted", figure(4, **LONGER_T)
    ),
    "figure-4-epsilon": Case(
        figure(4, t=lambda t: t["t"] * t["epsilon"] ** 2), "refuted", figure(4, **LONGER_T)
    ),
    "figure-4-delta": Case(
        figure(4, t=lambda t: t["t"] * t["delta"] ** 2), "refuted", figure(4, **LONGER_T)
    ),
    "figure-5-delta": Case(
        figure(5, ratio=lambda t: -t["ratio"]), "refuted", figure(5, **SMALLER_RATIO)
    ),
    "lemma-11": Case(rule("pdp", times(0.5, 2)), "partly", rule("pdp", times(1.01, 2))),
    "lemma-11-samples": Case(scales("scale", 10, mechanism=LAPLACE), "refuted", another_seed),
    "lemma-11-not-necessary": Case(
        scales("sd", 1.5, mechanism=LAPLACE), "refuted", scales("sd", 1.2, mechanism=LAPLACE)
    ),
    "lemma-11-reversed": Case(
        scales("sd", 1.1, mechanism=PDP), "refuted", scales("sd", 1.05, mechanism=PDP)
    ),
    "pdp-adp-noise": Case(
        rule("pdp-exact", as_adp(lambda delta: 0.05)), "confirmed", rule("pdp-exact", times(0.99))
    ),
    "pdp-adp-limit": Case(
        rule("pdp-exact", as_adp(lambda delta: -np.log(delta))),
        "refuted",
        rule("pdp-exact", times(1.1)),
    ),
    "pdp-adp-delta": Case(
        rule("pdp-exact", as_adp(lambda delta: 0)), "confirmed", rule("pdp-exact", times(0.99))
    ),
    "clamping": Case(
        together(rule("pdp", times(2)), rule("pdp-exact", times(2))),
        "confirmed",
        rule("pdp", times(1.01)),
    ),
    "redrawing": Case(rule("pdp", times(0.8)), "refuted", rule("pdp", times(0.99))),
    "redrawing-in-general": Case(rule("pdp", times(2)), "confirmed", rule("pdp", times(1.01))),
}


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()


def verdict(claim, results):
    (row,) = check_claims([claim], results).to_dict("records")
    return row["verdict"]


@pytest.mark.filterwarnings("ignore:the proof of 'adp-classical'")
@pytest.mark.parametrize("name", CLAIMS)
def test_mutations(full_run, monkeypatch, name):
    claim, case = CLAIMS[name], CASES[name]
    assert verdict(claim, full_run) == claim["expected"]
    with monkeypatch.context() as patch:
        assert verdict(claim, case.changes(full_run, patch)) == case.to != claim["expected"]
    with monkeypatch.context() as patch:
        assert verdict(claim, case.keeps(full_run, patch)) == claim["expected"]
