"""Mutations that change the verdict of each claim about the paper's run.

The results are those of a full run (tests/data/README.md).
"""

from dataclasses import replace

import numpy as np
from lecture_cases import longer_norms
from mutations import (
    figure,
    given,
    multiplied,
    patched,
    returned,
    rule,
    scaled,
    scales,
    summary,
    together,
)

from ggexp.claims import unbounded
from ggexp.mechanisms import bounded, calibration, selection, sensitivity, several_coordinates
from ggexp.mechanisms.distribution import GeneralizedGaussian

LAPLACE, PDP, ADP, GGM = "laplace", "gaussian-pdp", "gaussian-adp", "ggm-3"


def by(column, means):
    """Let the means depend on one column, for `summary`."""
    return lambda table: table.assign(mean=table[column].map(means).astype(float))


def as_ordered(dataset, metric, *mechanisms):
    """Make the means 100, 200 and so on, in this order of the mechanisms."""
    means = {name: 100 * number for number, name in enumerate(mechanisms, 1)}
    return summary(dataset, metric, by("mechanism", means))


def over_epsilon(dataset, metric, *means):
    """Set the means at the three ε, for every mechanism and δ."""
    return summary(dataset, metric, by("epsilon", dict(zip((0.5, 1, 2), means, strict=True))))


def mean(expression, dataset, metric, **where):
    return summary(dataset, metric, f"mean = {expression}", **where)


def sd(expression, dataset, metric):
    return summary(dataset, metric, f"sd = {expression}")


def noise(factor, **where):
    """Multiply the standard deviation of the noise."""
    return scales(f"sd = {factor} * sd", **where)


def accuracy(more, **where):
    return mean(f"mean + {more}", "adult", "accuracy", **where)


def tally(quantity, count, dataset="adult"):
    def mutate(results, patch):
        table = results.tallies[dataset]
        table = table.assign(count=table["count"].where(table["quantity"] != quantity, count))
        return replace(results, tallies={**results.tallies, dataset: table})

    return mutate


def without_information(results, patch):
    """Let equal counts have the accuracy of the majority class."""
    names = {"equal": "x", "majority": "equal"}
    return replace(results, baseline=results.baseline.replace(names))


def less_noise_at_high_orders(original):
    return property(lambda noise: 1 / noise.order)


def spent(factor):
    """Multiply the ε that the exponential mechanism spends."""
    return given(selection, "probabilities", epsilon=lambda epsilon: factor * epsilon)


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


def larger_loss(factor):
    """Multiply the log ratios of the probabilities of a wrong index, and so the privacy loss."""
    return returned(selection, "wrong_probability", lambda wrong: wrong**factor)


FALLING = (300, 200, 100)
SPREAD = patched(GeneralizedGaussian, "sd", less_noise_at_high_orders)
#: Orders 1 and 2 change places.
EXCHANGED = "order = order.where(order > 2, 3 - order)"
CASES = {
    "mildew-records": (tally("records", 71, "mildew"), "refuted"),
    "mildew-cells": (tally("cells", 21, "mildew"), "refuted"),
    "czech-records": (tally("records", 1842, "czech"), "refuted"),
    "czech-cells": (tally("cells", 64, "czech"), "refuted"),
    "mildew-order-l1": (as_ordered("mildew", "l1", LAPLACE, PDP, GGM, ADP), "confirmed"),
    "mildew-order-kl": (as_ordered("mildew", "kl", ADP, GGM, PDP, LAPLACE), "refuted"),
    "czech-order-l1": (mean(70, "czech", "l1", mechanism=PDP, epsilon=2, delta=0.05), "partly"),
    "czech-order-kl": (
        mean(0.016, "czech", "kl", mechanism=PDP, epsilon=0.5, delta=0.25),
        "confirmed",
    ),
    "adult-order-l1": (mean(20_600, "adult", "l1", mechanism=LAPLACE, epsilon=0.5), "partly"),
    "adult-order-kl": (as_ordered("adult", "kl", ADP, GGM, PDP, LAPLACE), "refuted"),
    "mildew-similar": (as_ordered("mildew", "l1", LAPLACE, GGM, PDP, ADP), "refuted"),
    "mildew-similar-kl": (as_ordered("mildew", "kl", LAPLACE, GGM, PDP, ADP), "refuted"),
    "mildew-similar-ggm-3": (as_ordered("mildew", "l1", PDP, GGM, LAPLACE, ADP), "refuted"),
    "mildew-similar-laplace": (as_ordered("mildew", "l1", LAPLACE, PDP, GGM, ADP), "refuted"),
    "mildew-similar-both": (mean("2 * mean", "mildew", "l1", mechanism=ADP, delta=0.25), "partly"),
    "mildew-linear-l1": (mean("0.5 * mean", "mildew", "l1", epsilon=0.5), "refuted"),
    "mildew-linear-kl": (over_epsilon("mildew", "kl", *FALLING), "confirmed"),
    "mildew-linear-in-epsilon": (mean("100 - 30 * epsilon", "mildew", "l1"), "confirmed"),
    "mildew-linear-in-epsilon-kl": (mean("100 - 30 * epsilon", "mildew", "kl"), "confirmed"),
    "czech-steep-l1": (over_epsilon("czech", "l1", *FALLING), "refuted"),
    "czech-steep-kl": (over_epsilon("czech", "kl", 3, 1, 2), "refuted"),
    "mildew-delta-l1": (over_epsilon("mildew", "l1", *FALLING), "confirmed"),
    "mildew-delta-kl": (mean("100 * delta.fillna(0)", "mildew", "kl"), "refuted"),
    "czech-nearer": (mean("100 * mean", "czech", "l1"), "refuted"),
    "czech-farther": (mean("0.1 * mean", "czech", "l1"), "refuted"),
    "czech-faster-epsilon": (over_epsilon("czech", "l1", 100, 80, 70), "refuted"),
    "czech-faster-delta": (over_epsilon("czech", "l1", *FALLING), "refuted"),
    "czech-variability-l1": (sd("epsilon", "czech", "l1"), "refuted"),
    "czech-variability-kl": (sd("0.001", "czech", "kl"), "undecided"),
    "czech-variability-to-mildew-l1": (sd("0.1 * sd", "czech", "l1"), "refuted"),
    "czech-variability-to-mildew-kl": (sd("100 * sd", "czech", "kl"), "confirmed"),
    "adult-training": (tally("training", 2009), "confirmed"),
    "adult-test": (tally("test", 10_006), "refuted"),
    "adult-bins": (tally("bins", 19_450_000_000_000), "refuted"),
    "adult-cells": (tally("cells", 15_000), "refuted"),
    "adult-loss": (accuracy(-0.004), "confirmed"),
    "adult-barely-affected": (accuracy(0.05), "refuted"),
    "adult-adp-no-worse": (accuracy(-0.01, mechanism=ADP), "refuted"),
    "adult-adp-within-a-tenth": (accuracy(-0.01, mechanism=ADP), "refuted"),
    "adult-adp-within-a-twentieth": (accuracy(0.001, mechanism=ADP), "confirmed"),
    "czech-ggm-3-l1": (as_ordered("czech", "l1", LAPLACE, PDP, GGM, ADP), "confirmed"),
    "czech-ggm-3-kl": (as_ordered("czech", "kl", LAPLACE, PDP, GGM, ADP), "confirmed"),
    "adult-ggm-3-l1": (as_ordered("adult", "l1", LAPLACE, PDP, GGM, ADP), "confirmed"),
    "adult-ggm-3-kl": (as_ordered("adult", "kl", LAPLACE, PDP, GGM, ADP), "confirmed"),
    "adult-equal-counts": (mean("0.3 * mean", "adult", "kl"), "partly"),
    "adult-equal-counts-accuracy": (without_information, "refuted"),
    "adult-ggm-3-loss": (accuracy(-0.01, mechanism=GGM), "refuted"),
    "adult-ggm-3-barely-affected": (accuracy(0.05, mechanism=GGM), "refuted"),
    "figure-1-spread": (figure(1, "order = 11 - order"), "refuted"),
    "figure-1-spread-in-general": (SPREAD, "confirmed"),
    "figure-1-laplace": (figure(1, EXCHANGED), "refuted"),
    "figure-1-mean": (figure(1, "order = 11 - order"), "refuted"),
    "lemma-2": (multiplied(sensitivity, "of_coordinates", 0.5), "refuted"),
    "lemma-2-histogram": (multiplied(sensitivity, "of_coordinates", 0.1), "partly"),
    "norms-fall": (patched(sensitivity, "of_coordinates", longer_norms), "refuted"),
    "claim-3": (multiplied(sensitivity, "of_bounds", 0.5), "refuted"),
    "claim-4": (patched(unbounded, "LARGEST_NOISE", lambda _: 1), "refuted"),
    "claim-4-below-1": (scales("epsilon = 1e-4 * epsilon"), "confirmed"),
    "claim-4-laplace": (rule("pure", scaled(0.9)), "partly"),
    "corollary-7": (multiplied(several_coordinates, "quantile", 0.5, "scale"), "refuted"),
    "corollary-8": (multiplied(unbounded, "_corollary_8_scale", 0.5), "refuted"),
    "corollary-8-printed": (multiplied(unbounded, "_corollary_8_scale", 3), "confirmed"),
    "corollary-8-power": (multiplied(unbounded, "_corollary_8_scale", 0.5), "refuted"),
    "lemma-10": (rule("pdp", scaled(0.5)), "refuted"),
    "lemma-10-least": (rule("pdp", scaled(0.5)), "confirmed"),
    "concentrated": (noise(1.1, order=2, calibration="pdp"), "refuted"),
    "noisy-max": (larger_loss(0.3), "refuted"),
    "noisy-max-laplace": (larger_loss(2), "refuted"),
    "lemma-9": (multiplied(bounded, "lemma_9", 0.5), "refuted"),
    "lemma-9-looser": (multiplied(bounded, "lemma_9", 10), "refuted"),
    "corollary-12": (spent(1.01), "refuted"),
    "corollary-12-half": (spent(1.01), "refuted"),
    "definition-5": (multiplied(bounded, "truncated_scale", 0.5), "refuted"),
    "definition-6": (multiplied(bounded, "truncated_scale", 0.3), "refuted"),
    "definition-6-bounds": (multiplied(bounded, "truncated_scale", 3), "confirmed"),
    "definition-6-least": (multiplied(bounded, "inflated_scale", 1.1), "refuted"),
    "eqn-17": (multiplied(sensitivity, "histogram", 10), "confirmed"),
    "pdp-tighter": (noise(0.9, mechanism=ADP, epsilon=2, delta=0.25), "partly"),
    "figure-3-below-1": (figure(3, "ratio = ratio + 0.15"), "partly"),
    "figure-3-epsilon": (figure(3, "ratio = 1 - ratio"), "refuted"),
    "figure-3-delta": (figure(3, "ratio = ratio.where(delta < 0.44, 1 - delta)"), "confirmed"),
    "figure-2-epsilon": (figure(2, "scale = 100 - scale"), "refuted"),
    "figure-2-delta": (figure(2, "scale = 100 - scale"), "refuted"),
    "figure-2-order": (figure(2, "scale = 1.1 * scale", order=4), "confirmed"),
    "figure-4-rebound": (figure(4, "ratio = 1 / (1 + t)"), "refuted"),
    "figure-4-above-1": (figure(4, "ratio = ratio.clip(upper=0.99)"), "refuted"),
    "figure-4-epsilon": (figure(4, "t = t * epsilon ** 2"), "refuted"),
    "figure-4-delta": (figure(4, "t = t * delta ** 2"), "refuted"),
    "figure-5-delta": (figure(5, "ratio = -ratio"), "refuted"),
    "lemma-11": (rule("pdp", scaled(0.5, 2)), "partly"),
    "lemma-11-samples": (scales("scale = 10 * scale", mechanism=LAPLACE), "refuted"),
    "lemma-11-not-necessary": (noise(1.5, mechanism=LAPLACE), "refuted"),
    "lemma-11-reversed": (noise(1.1, mechanism=PDP), "refuted"),
    "pdp-adp-noise": (as_adp(lambda delta: 0.05), "confirmed"),
    "pdp-adp-limit": (as_adp(lambda delta: -np.log(delta)), "refuted"),
    "pdp-adp-delta": (as_adp(lambda delta: 0), "confirmed"),
    "clamping": (together(rule("pdp", scaled(2)), rule("pdp-exact", scaled(2))), "confirmed"),
    "redrawing": (rule("pdp", scaled(0.8)), "refuted"),
    "redrawing-in-general": (rule("pdp", scaled(2)), "confirmed"),
}
