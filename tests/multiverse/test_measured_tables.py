"""The measured tables: our reading bit by bit, and every other reading by hand.

The scale in each reading is compared with probabilities of the privacy loss on a grid of quantiles.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import PAPER, ROOT
from scipy.special import rel_entr
from scipy.stats import gennorm

from ggexp.claims.sd_errors import with_sd_errors
from ggexp.experiment import configuration
from ggexp.experiment.design import grid
from ggexp.experiment.keys import Multiverse
from ggexp.experiment.metrics import measure_releases
from ggexp.experiment.summary import summarize
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.multiverse.choices import Factorial, read_factorials
from ggexp.multiverse.tables import COLUMNS, DRAWS, measure_readings, noise, noises, resized
from ggexp.releases.point import GridPoint
from ggexp.releases.simulate import Listed, release

WRITTEN = yaml.safe_load((ROOT / "config/multiverse.yaml").read_text("utf-8"))["multiverse"]
SECTION = Multiverse.read(WRITTEN, "multiverse")
CHOICES = SECTION.choices
TABLES = read_factorials(SECTION, 500)["tables"]
REPEATS = 12
POINTS = grid(configuration.check(PAPER))
SEED = PAPER["seed"]


def cells_of(dataset: str) -> pd.DataFrame:
    return pd.read_csv(ROOT / f"data/{dataset}.csv")


def factorial(repeats: int = REPEATS, **varies: list[str]) -> Factorial:
    ours = {name: choice.ours for name, choice in CHOICES.items()}
    return Factorial("own", ["mildew"], "tables", repeats, varies, ours)


def measured(dataset: str, design: Factorial, points: list) -> pd.DataFrame:
    return measure_readings(design, dataset, {}, cells=cells_of(dataset), points=points, seed=SEED)


@pytest.mark.parametrize("dataset", ["mildew", "czech"])
def test_our_reading_has_the_bits_of_the_paper_s_design(dataset: str) -> None:
    counts = cells_of(dataset)["count"].to_numpy()
    kind = Listed(counts.size, total="as-printed")
    settings = {"seed": SEED, "pseudo_count": PAPER["kl"]["pseudo_count"]}
    points = POINTS[dataset][::3]
    errors = measure_releases(counts, kind, points, repeats=range(REPEATS), **settings)
    repeats = pd.DataFrame(errors)
    expected = with_sd_errors(summarize([repeats]), [repeats])
    design = factorial(
        **{name: [*CHOICES[name].alternatives] for name in ("rounding", "direction")}
    )
    table = measured(dataset, design, points)
    table = table[table["mechanism"] != "original"]
    is_ours = (table["rounding"] == "none") & (table["direction"] != "reverse")
    for metric, rows in {
        "l1": table[is_ours & (table["metric"] == "l1")],
        "kl": table[is_ours & (table["metric"] == "kl")],
        "kl_reverse": table[(table["rounding"] == "none") & (table["direction"] == "reverse")],
    }.items():
        run = expected.loc[expected["metric"] == metric, [*COLUMNS]].reset_index(drop=True)
        ours = rows[[*COLUMNS]].assign(metric=metric).reset_index(drop=True)
        pd.testing.assert_frame_equal(ours, run, check_exact=True, check_dtype=False)


def test_rounding_priors_and_directions() -> None:
    counts = cells_of("mildew")["count"].to_numpy()
    noisy = POINTS["mildew"][0]
    names = ("rounding", "prior", "direction")
    design = factorial(**{name: [*CHOICES[name].alternatives] for name in names})
    table = measured("mildew", design, [noisy])
    pseudo_counts = {"1/2": 1 / 2, "1": 1, "1/cells": 1 / 64, "sqrt(n)/cells": 70**0.5 / 64}
    releases = [release(counts, noisy, seed=SEED, repeat=k) for k in range(REPEATS)]
    divergences = table[table["metric"] == "kl"]
    assert len(divergences) == 2 * 4 * 2
    for row in divergences.to_dict("records"):
        a, values = pseudo_counts[row["prior"]], []
        for released in releases:
            sanitized = np.rint(released) if row["rounding"] == "nearest" else released
            f, g = ((y + a) / (y + a).sum() for y in (counts, sanitized))
            first, second = (f, g) if row["direction"] == "forward" else (g, f)
            values.append(rel_entr(first, second).sum())
        assert row["mean"] == pytest.approx(np.mean(values), rel=1e-10)
    distances = table[table["metric"] == "l1"].set_index("rounding")["mean"]
    rounded = [np.abs(np.rint(released) - counts).sum() for released in releases]
    assert distances["nearest"] == pytest.approx(np.mean(rounded))
    assert distances["none"] != distances["nearest"]


def test_tables_of_another_size() -> None:
    mildew, czech = (cells_of(name)["count"].to_numpy() for name in ("mildew", "czech"))
    ((name, large, repeats),) = resized(mildew, "mildew", "1841", 500, SEED)
    assert (name, large.sum(), repeats) == ("mildew-large", 1841, 500)
    assert np.abs(large - mildew * 1841 / 70).max() < 1
    small = resized(czech, "czech", "70", 500, SEED)
    assert len(small) == DRAWS
    assert {int(counts.sum()) for _, counts, _ in small} == {70}
    assert all((counts <= czech).all() for _, counts, _ in small)
    assert sum(repeats for *_, repeats in small) == 500
    for size in ("70", "published"):
        assert resized(mildew, "mildew", size, 3, SEED)[0][0] == "mildew"


def test_choices_are_measured_and_corrections_say_what_they_follow() -> None:
    stated = {name: [*choice.follows] for name, choice in SECTION.choices.items() if choice.follows}
    assert stated == {
        name: [*choice.alternatives]
        for name, choice in CHOICES.items()
        if choice.kind == "correction"
    }
    assert len(stated) == 4
    assert len(TABLES.readings()) == 5 * 2 * 2 * 3 * 2 * 4 * 2 * 6
    for choice in ("similar", "colour"):
        factorials = {"own": {**WRITTEN["factorials"]["tables"], "varies": [choice]}}
        section = Multiverse.read({**WRITTEN, "factorials": factorials}, "multiverse")
        with pytest.raises(ValueError, match=f"factorials.own.varies: unknown choice '{choice}'"):
            read_factorials(section, 500)


QUANTILES = 200_000
#: The probability of an event that the quantiles count is wrong by at most about 1 in QUANTILES,
#: which is 0.05 % of the smallest δ; the quantiles of the sum of two losses are as good.
TOLERANCE = 1e-3


def exceeds(values: np.ndarray, threshold: float, cells: int) -> float:
    values = np.sort(values)
    rest = threshold - values if cells == 2 else np.array([threshold])
    return float(1 - np.searchsorted(values, rest, side="right").mean() / len(values))


@cache
def unit_quantiles() -> np.ndarray:
    return gennorm(3).ppf((np.arange(QUANTILES) + 0.5) / QUANTILES)


def probability(reading: str, scale: float, epsilon: float, cells: int) -> float:
    """Return the probability that a reading of the scale of GGM-3 bounds by δ."""
    e = scale * unit_quantiles()
    loss = (np.abs(e + 1) ** 3 - np.abs(e) ** 3) / scale**3
    if reading == "corollary-8":
        return exceeds(3 * e**2 + 3 * np.abs(e) + 1, epsilon * scale**3, cells)
    if reading == "two-sided":
        return exceeds(loss, epsilon, cells) + exceeds(-loss, epsilon, cells)
    if reading == "one-sided":
        return exceeds(loss, epsilon, cells)
    if reading == "as-printed":
        return exceeds(3 * e**2 + 3 * np.abs(e), scale**3 - cells * epsilon, cells)
    assert reading == "leading-term"
    return exceeds(3 * e**2, epsilon * scale**3, cells)


@pytest.mark.parametrize(
    ("reading", "cells", "epsilon", "delta"),
    [
        *((reading, 2, 2.0, 0.25) for reading in CHOICES["ggm-3-scale"].alternatives),
        *((reading, 1, 0.5, 0.01) for reading in ("one-sided", "as-printed")),
    ],
)
def test_scales_of_ggm_3(reading: str, cells: int, epsilon: float, delta: float) -> None:
    neighbours = [*CHOICES["neighbours"].alternatives][cells - 1]
    complete = TABLES.complete({"ggm-3-scale": reading, "neighbours": neighbours})
    scale = noise(GridPoint("mildew", "ggm-3", 3, "pdp", epsilon, delta), complete).scale
    assert probability(reading, scale, epsilon, cells) == pytest.approx(delta, rel=TOLERANCE)
    wrong = probability(reading, 0.99 * scale, epsilon, cells)
    assert wrong > delta * (1 + 3 * TOLERANCE)


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_scales_of_other_mechanisms(epsilon: float) -> None:
    """The exact scale is used where the classical bound is not proven."""
    point = GridPoint("mildew", "gaussian-adp", 2, "adp-classical", epsilon, 0.1)
    scales = [
        noise(point, TABLES.complete({"gaussian-adp-scale": name})).scale
        for name in ("classical", "exact")
    ]
    classical, exact = (
        Mechanism(2, rule).noise(epsilon=epsilon, delta=0.1).scale
        for rule in ("adp-classical", "adp-exact")
    )
    assert scales == [classical, classical if epsilon < 1 else exact]
    assert len(list(noises(point, TABLES))) == (2 if epsilon < 1 else 4)  # with the neighbours
    laplace = GridPoint("mildew", "laplace", 1, "pure", epsilon, None)
    scales = {reading["neighbours"]: noise.scale for reading, noise in noises(laplace, TABLES)}
    assert scales == pytest.approx({"add-remove": 1 / epsilon, "replace-one": 2 / epsilon})
