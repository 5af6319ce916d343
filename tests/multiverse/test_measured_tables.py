"""The measured tables: our reading bit by bit, and every other reading by hand."""

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import PAPER, ROOT, SCHEMA
from scipy.special import rel_entr

from ggexp.experiment import configuration
from ggexp.experiment.design import Design
from ggexp.experiment.errors import measure_releases
from ggexp.experiment.summary import summarize
from ggexp.multiverse.choices import Factorial, read_choices, read_factorials
from ggexp.multiverse.tables import COLUMNS, DRAWS, measure, resized
from ggexp.releases.sanitize import Listed, release

SECTION = yaml.safe_load((ROOT / "config/multiverse.yaml").read_text("utf-8"))["multiverse"]
CHOICES = read_choices(SECTION)
REPEATS = 12
POINTS = Design.from_config(configuration.check(PAPER, SCHEMA)).points
SEED = PAPER["seed"]


def cells_of(dataset: str) -> pd.DataFrame:
    return pd.read_csv(ROOT / f"data/{dataset}.csv")


def factorial(repeats: int = REPEATS, **varies: list[str]) -> Factorial:
    ours = {name: choice.ours for name, choice in CHOICES.items()}
    return Factorial("own", ["mildew"], "tables", repeats, varies, ours)


def measured(dataset: str, design: Factorial, points: list | None = None) -> pd.DataFrame:
    chosen = POINTS[dataset] if points is None else points
    return measure(design, dataset, {}, cells=cells_of(dataset), points=chosen, seed=SEED)


@pytest.mark.parametrize("dataset", ["mildew", "czech"])
def test_our_reading_has_the_bits_of_the_paper_s_design(dataset: str) -> None:
    counts = cells_of(dataset)["count"].to_numpy()
    kind = Listed(counts.size, total="as-printed")
    settings = {"seed": SEED, "repeats": REPEATS, "pseudo_count": PAPER["kl"]["pseudo_count"]}
    parts = (
        pd.DataFrame(measure_releases(counts, kind, noisy, **settings)) for noisy in POINTS[dataset]
    )
    expected = summarize(parts)
    design = factorial(
        **{name: [*CHOICES[name].alternatives] for name in ("rounding", "direction")}
    )
    table = measured(dataset, design)
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


def test_a_full_run_has_the_same_means() -> None:
    summary = pd.read_csv(ROOT / "tests/data/full_run/summary.csv").query("dataset == 'mildew'")
    points = [noisy for noisy in POINTS["mildew"] if noisy.point.epsilon == 0.5]
    table = measured("mildew", factorial(500), points)
    keys = ["mechanism", "epsilon", "delta", "metric"]
    both = table.merge(summary, on=keys, suffixes=("", "_run"))
    assert len(both) == 2 * len(points)
    for name in ("repeats", "mean", "sd", "se"):
        assert both[name].to_numpy() == pytest.approx(both[f"{name}_run"].to_numpy(), rel=1e-9)


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
    for dataset, size in (("mildew", "70"), ("czech", "1841"), ("czech", "published")):
        assert (
            resized(czech if dataset == "czech" else mildew, dataset, size, 3, SEED)[0][0]
            == dataset
        )


def test_the_factorials_have_the_stated_numbers_of_readings() -> None:
    sizes = {name: len(design.readings()) for name, design in read_factorials(SECTION, 500).items()}
    assert sizes["tables"] == 5 * 2 * 2 * 2 * 4 * 2 * 6
    assert sizes["equal-n"] == 3
    assert sizes["adult-tables"] == 5 * 2 * 2 * 2 * 4 * 2 * 3 * 6


@pytest.mark.parametrize("choice", ["similar", "colour"])
def test_a_factorial_varies_choices_that_are_measured(choice: str) -> None:
    factorials = {"own": {**SECTION["factorials"]["tables"], "varies": [choice]}}
    with pytest.raises(ValueError, match=f"factorials.own.varies: unknown choice '{choice}'"):
        read_factorials({**SECTION, "factorials": factorials}, 500)
