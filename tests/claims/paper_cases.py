"""Mutations that change, or keep, the verdict of each claim about the paper's run.

The results are those of a full run (tests/data/README.md).
"""

from dataclasses import replace

import numpy as np
from mutations import (
    Case,
    another_seed,
    figure,
    multiplied,
    multiplied_field,
    patched,
    plus,
    rule,
    scaled,
    scales,
    summary,
    times,
    together,
)

from ggexp.claims import unbounded
from ggexp.mechanisms import (
    bounded,
    calibration,
    exponential,
    noisy_argmax,
    sensitivity,
    several_coordinates,
)
from ggexp.mechanisms.distribution import GeneralizedGaussian

# ---- mutations of this run's tables


def in_other_units(dataset, metric):
    return summary(dataset, metric, times(2), columns=("mean", "sd", "se"))


def as_ordered(dataset, metric, *mechanisms):
    """Make the means 100, 200 and so on, in this order of the mechanisms."""
    return summary(
        dataset, metric, lambda _, rows: 100.0 * rows["mechanism"].map(mechanisms.index) + 100
    )


def over_epsilon(dataset, metric, low, middle, high):
    """Set the means at the three ε, for every mechanism and δ."""
    means = {0.5: float(low), 1: float(middle), 2: float(high)}
    return summary(dataset, metric, lambda _, rows: rows["epsilon"].map(means))


def tally(quantity, count, dataset="adult"):
    def mutate(results, patch):
        table = results.tallies[dataset].copy()
        table.loc[table["quantity"] == quantity, "count"] = count
        return replace(results, tallies={**results.tallies, dataset: table})

    return mutate


def accuracy(change, **where):
    return summary("adult", "accuracy", plus(change), **where)


def noise_sd(change):
    """Change the standard deviation of noise; change: function of the order and the sd."""
    return patched(
        GeneralizedGaussian,
        "sd",
        lambda original: property(lambda noise: change(noise.order, original.fget(noise))),
    )


def spent(factor):
    """Multiply the ε that the exponential mechanism spends."""

    def changing(original):
        def mutated(utilities, *, epsilon, sensitivity):
            return original(utilities, epsilon=factor * epsilon, sensitivity=sensitivity)

        return mutated

    return patched(exponential, "probabilities", changing)


def as_adp(excess):
    """Replace the scale of exact pDP by that of exact aDP, increased by a share.

    excess: function of δ, which returns the share.
    """

    def changing(calibrate):
        def mutated(calibration, *, order, epsilon, delta=None, **others):
            arguments = {"order": order, "epsilon": epsilon, "delta": delta, **others}
            if calibration != "pdp-exact":
                return calibrate(calibration, **arguments)
            noise = calibrate("adp-exact", **arguments)
            return replace(noise, scale=noise.scale * (1 + excess(delta)))

        return mutated

    return patched(calibration, "calibrate", changing)


def corollary_7_scale(factor):
    """Multiply the scale of Corollary 7."""
    return multiplied_field(several_coordinates, "pdp_scale", "scale", factor)


def longer_norms(original):
    """Let norms increase with the order."""
    return lambda order, coordinates: order * original(order, coordinates)


def larger_loss(factor):
    """Multiply the log ratios of the probabilities of a wrong index, and so the privacy loss."""
    return patched(
        noisy_argmax,
        "wrong_probability",
        lambda original: lambda counts, noise: original(counts, noise) ** factor,
    )


GAUSSIAN = {"order": 2, "calibration": "pdp"}

# ---- the mutations of each claim

LAPLACE, PDP, ADP, GGM = "laplace", "gaussian-pdp", "gaussian-adp", "ggm-3"
FALLING = (300, 200, 100)
WIDER = {name: lambda t, name=name: 2 * t[name] for name in ("scale", "low", "high")}
REVERSED = {"scale": lambda t: 100 - t["scale"]}
ORDER_4_HIGHER = {"scale": lambda t: t["scale"] * np.where(t["order"] == 4, 1.1, 1)}
SMALLER_RATIO = {"ratio": lambda t: 0.9 * t["ratio"]}
DEEPER = {"ratio": lambda t: t["ratio"] ** 1.1}
LONGER_T = {"t": lambda t: 2 * t["t"]}

SQUEEZED = {"x": lambda t: t["x"] / 2, "density": lambda t: 2 * t["density"]}

CASES = {
    "mildew-records": Case(tally("records", 71, "mildew"), "refuted", None),
    "mildew-cells": Case(tally("cells", 21, "mildew"), "refuted", None),
    "czech-records": Case(tally("records", 1842, "czech"), "refuted", None),
    "czech-cells": Case(tally("cells", 64, "czech"), "refuted", None),
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
        summary("czech", "l1", lambda _, rows: 70.0, mechanism=PDP, epsilon=2, delta=0.05),
        "partly",
        in_other_units("czech", "l1"),
    ),
    "czech-order-kl": Case(
        summary("czech", "kl", lambda _, rows: 0.016, mechanism=PDP, epsilon=0.5, delta=0.25),
        "confirmed",
        in_other_units("czech", "kl"),
    ),
    "adult-order-l1": Case(
        summary("adult", "l1", lambda _, rows: 20_600.0, mechanism=LAPLACE, epsilon=0.5),
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
        summary("mildew", "l1", times(2), mechanism=ADP, delta=0.25),
        "partly",
        in_other_units("mildew", "l1"),
    ),
    "mildew-linear-l1": Case(
        summary("mildew", "l1", times(0.5), epsilon=0.5),  # the mean then increases from 0.5 to 1
        "refuted",
        over_epsilon("mildew", "l1", *FALLING),
    ),
    "mildew-linear-kl": Case(
        over_epsilon("mildew", "kl", *FALLING), "confirmed", in_other_units("mildew", "kl")
    ),
    "mildew-linear-in-epsilon": Case(
        summary("mildew", "l1", lambda _, rows: 100 - 30 * rows["epsilon"]),
        "confirmed",
        over_epsilon("mildew", "l1", *FALLING),
    ),
    "czech-steep-l1": Case(
        over_epsilon("czech", "l1", *FALLING), "refuted", over_epsilon("czech", "l1", 300, 100, 50)
    ),
    "czech-steep-kl": Case(
        over_epsilon("czech", "kl", 3, 1, 2),  # the mean then increases from 1 to 2
        "refuted",
        over_epsilon("czech", "kl", 3, 1, 0.5),
    ),
    "mildew-delta-l1": Case(
        over_epsilon("mildew", "l1", *FALLING), "confirmed", in_other_units("mildew", "l1")
    ),
    "mildew-delta-kl": Case(
        # the mean then increases with δ
        summary("mildew", "kl", lambda _, rows: 100 * rows["delta"].fillna(0)),
        "refuted",
        in_other_units("mildew", "kl"),
    ),
    "czech-nearer": Case(
        summary("czech", "l1", times(100)), "refuted", tally("records", 2000, "czech")
    ),
    "czech-faster-epsilon": Case(
        over_epsilon("czech", "l1", 100, 80, 70),
        "refuted",
        summary("czech", "l1", times(0.9), epsilon=2),
    ),
    "czech-faster-delta": Case(
        over_epsilon("czech", "l1", *FALLING),
        "refuted",
        summary("czech", "l1", times(0.9), delta=0.25),
    ),
    "czech-variability-l1": Case(
        summary("czech", "l1", lambda _, rows: rows["epsilon"], columns=("sd",)),
        "refuted",
        summary("czech", "l1", times(1.1), columns=("sd",)),
    ),
    "czech-variability-kl": Case(
        summary("czech", "kl", lambda _, rows: 0.001, columns=("sd",)),
        "undecided",
        in_other_units("czech", "kl"),
    ),
    "adult-training": Case(tally("training", 2009), "confirmed", tally("training", 20_008)),
    "adult-test": Case(tally("test", 10_006), "refuted", None),
    "adult-bins": Case(
        tally("bins", 19_450_000_000_000), "refuted", tally("bins", 19_440_000_000_000)
    ),
    "adult-cells": Case(tally("cells", 15_000), "refuted", tally("cells", 17_985)),
    "adult-loss": Case(accuracy(-0.004), "confirmed", accuracy(0.0002)),
    "adult-barely-affected": Case(accuracy(0.05), "refuted", accuracy(0.005)),
    "adult-adp-no-worse": Case(
        accuracy(0.001, mechanism=ADP), "confirmed", accuracy(-0.0001, mechanism=ADP)
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
        accuracy(0.01, mechanism=GGM), "confirmed", accuracy(-0.0001, mechanism=GGM)
    ),
    "adult-ggm-3-barely-affected": Case(
        accuracy(0.05, mechanism=GGM), "refuted", accuracy(0.005, mechanism=GGM)
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
        figure(1, density=lambda t: 2 * t["density"]),
    ),
    "figure-1-mean": Case(
        figure(1, order=lambda t: 11 - t["order"]),
        "refuted",
        figure(1, density=lambda t: 2 * t["density"]),
    ),
    "lemma-2": Case(
        multiplied(sensitivity, "of_coordinates", 0.5),
        "refuted",
        multiplied(sensitivity, "of_coordinates", 1.1),
    ),
    "lemma-2-histogram": Case(
        multiplied(sensitivity, "of_coordinates", 0.1),
        "partly",
        multiplied(sensitivity, "of_coordinates", 1.1),
    ),
    "norms-fall": Case(
        patched(sensitivity, "of_coordinates", longer_norms), "refuted", another_seed
    ),
    "claim-3": Case(
        multiplied(sensitivity, "of_bounds", 0.5),
        "refuted",
        multiplied(sensitivity, "of_bounds", 1.1),
    ),
    "claim-4": Case(
        patched(unbounded, "LARGEST_NOISE", lambda _: 1),
        "refuted",
        patched(unbounded, "LARGEST_NOISE", lambda largest: largest / 10),
    ),
    "claim-4-below-1": Case(scales("epsilon", 1e-4), "confirmed", scales("epsilon", 1.1)),
    "claim-4-laplace": Case(rule("pure", scaled(0.9)), "partly", rule("pure", scaled(1.005))),
    "corollary-7": Case(corollary_7_scale(0.5), "refuted", another_seed),
    "corollary-8": Case(
        multiplied(unbounded, "_corollary_8_scale", 0.5),
        "refuted",
        multiplied(unbounded, "_corollary_8_scale", 1.01),
    ),
    "corollary-8-printed": Case(
        multiplied(unbounded, "_corollary_8_scale", 3),
        "confirmed",
        multiplied(unbounded, "_corollary_8_scale", 0.99),
    ),
    "corollary-8-power": Case(
        multiplied(unbounded, "_corollary_8_scale", 0.5),
        "refuted",
        multiplied(unbounded, "_corollary_8_scale", 1.01),
    ),
    "lemma-10": Case(rule("pdp", scaled(0.5)), "refuted", rule("pdp", scaled(1.01))),
    "lemma-10-least": Case(rule("pdp", scaled(0.5)), "confirmed", rule("pdp", scaled(1.01))),
    "concentrated": Case(
        scales("sd", 1.1, **GAUSSIAN),
        "refuted",
        together(scales("scale", 1.1, **GAUSSIAN), scales("sd", 1.1, **GAUSSIAN)),
    ),
    "noisy-max": Case(larger_loss(0.3), "refuted", larger_loss(0.9)),
    "noisy-max-laplace": Case(larger_loss(2), "refuted", larger_loss(1.01)),
    "lemma-9": Case(
        multiplied(bounded, "lemma_9", 0.5),
        "refuted",
        multiplied(bounded, "lemma_9", (1 - 1e-10)),
    ),
    "lemma-9-looser": Case(
        multiplied(bounded, "lemma_9", 10),
        "refuted",
        multiplied(bounded, "lemma_9", 1.1),
    ),
    "corollary-12": Case(spent(1.01), "refuted", spent(0.9)),
    "corollary-12-half": Case(spent(1.01), "refuted", another_seed),
    "definition-5": Case(
        multiplied(bounded, "truncated_scale", 0.5),
        "refuted",
        multiplied(bounded, "truncated_scale", 1.1),
    ),
    "definition-6": Case(
        multiplied(bounded, "truncated_scale", 0.3),
        "refuted",
        multiplied(bounded, "truncated_scale", 1.1),
    ),
    "definition-6-bounds": Case(
        multiplied(bounded, "truncated_scale", 3),
        "confirmed",
        multiplied(bounded, "truncated_scale", 1.01),
    ),
    "definition-6-least": Case(
        multiplied(bounded, "inflated_scale", 1.1),
        "refuted",
        multiplied(bounded, "inflated_scale", 1 + 1e-11),
    ),
    "eqn-17": Case(
        multiplied(sensitivity, "histogram", 10),
        "confirmed",
        multiplied(sensitivity, "histogram", 1.01),
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
        figure(4, ratio=lambda t: 1 / (1 + t["t"])), "refuted", figure(4, **DEEPER)
    ),
    "figure-4-above-1": Case(
        figure(4, ratio=lambda t: t["ratio"].clip(upper=0.99)), "refuted", figure(4, **DEEPER)
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
    "lemma-11": Case(rule("pdp", scaled(0.5, 2)), "partly", rule("pdp", scaled(1.01, 2))),
    "lemma-11-samples": Case(scales("scale", 10, mechanism=LAPLACE), "refuted", another_seed),
    "lemma-11-not-necessary": Case(
        scales("sd", 1.5, mechanism=LAPLACE), "refuted", scales("sd", 1.2, mechanism=LAPLACE)
    ),
    "lemma-11-reversed": Case(
        scales("sd", 1.1, mechanism=PDP), "refuted", scales("sd", 1.05, mechanism=PDP)
    ),
    "pdp-adp-noise": Case(as_adp(lambda delta: 0.05), "confirmed", rule("pdp-exact", scaled(0.99))),
    "pdp-adp-limit": Case(
        as_adp(lambda delta: -np.log(delta)),
        "refuted",
        rule("pdp-exact", scaled(1.1)),
    ),
    "pdp-adp-delta": Case(as_adp(lambda delta: 0), "confirmed", rule("pdp-exact", scaled(0.99))),
    "clamping": Case(
        together(rule("pdp", scaled(2)), rule("pdp-exact", scaled(2))),
        "confirmed",
        rule("pdp", scaled(1.01)),
    ),
    "redrawing": Case(rule("pdp", scaled(0.8)), "refuted", rule("pdp", scaled(0.99))),
    "redrawing-in-general": Case(rule("pdp", scaled(2)), "confirmed", rule("pdp", scaled(1.01))),
}
