"""Figure M2: losses by reading, recomputed one by one."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest

from ggexp.figures.tabulate_rows import DEPENDS_ON
from ggexp.figures.tabulate_rows import losses_of_readings as tabulate
from ggexp.figures.tabulate_summaries import STATED_LOSSES

TESTS, TRAININGS, ROUNDINGS = ("binned", "unbinned"), ("weighted", "one-row"), ("none", "nearest")
BINS, SPLITS, EPSILONS, DELTAS = ("adult", "other"), ("1", "2"), (0.5, 2.0), (0.01, 0.25)
CHOICES = ["training", "rounding", "test-records", "bins", "seed"]


@cache
def measured() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    columns = ["mechanism", "baseline", "epsilon", "delta", *CHOICES]
    grid = product(("ggm-3",), (None,), EPSILONS, DELTAS, TRAININGS, ROUNDINGS, TESTS, BINS, SPLITS)
    none, original = (None,), ("original",)
    same = product(original, ("same",), none, none, TRAININGS, none, TESTS, BINS, SPLITS)
    weighted = product(original, ("weighted",), *[none] * 4, TESTS, BINS, SPLITS)
    records = product(original, ("records",), *[none] * 6, SPLITS)
    rows = pd.DataFrame([*grid, *same, *weighted, *records], columns=columns)
    return rows.assign(mean=rng.uniform(0.83, 0.85, len(rows)))


@cache
def tabulated() -> pd.DataFrame:
    return tabulate(measured()).set_index(["test-records", "baseline", "training", "rounding"])


@pytest.mark.parametrize("baseline", DEPENDS_ON)
@pytest.mark.parametrize(("training", "test_records"), [*product(TRAININGS, TESTS)])
def test_a_row_has_the_losses_of_all_deltas_bins_and_splits(baseline, training, test_records):
    rows = measured()
    originals = rows[rows["baseline"] == baseline]
    losses = []
    for row in rows[rows["mechanism"] == "ggm-3"].to_dict("records"):
        wanted = (training, test_records, "nearest", 0.5)
        if (row["training"], row["test-records"], row["rounding"], row["epsilon"]) == wanted:
            choices = {name: row[name] for name in DEPENDS_ON[baseline]}
            (original,) = originals.loc[(originals[[*choices]] == choices).all(axis=1), "mean"]
            losses.append(100 * (original - row["mean"]))
    row = tabulated().loc[(test_records, baseline, training, "nearest")].iloc[0]
    assert row["losses"] == len(losses) == len(DELTAS) * len(BINS) * len(SPLITS)
    known = [np.mean(losses), np.min(losses), np.max(losses)]
    np.testing.assert_allclose(row[["mean", "lowest", "highest"]].astype(float), known)
    low, high = STATED_LOSSES
    assert row["within"] == np.mean([low <= loss <= high for loss in losses])
