"""Test whether the larger n explains how Czech differs from mildew, for docs/reproduction.md.

    python studies/larger_n.py

Sanitizes four tables with the paper's mechanisms at its (ε, δ): mildew; Czech; a table of 1841
records, as many as Czech has, in the proportions of mildew (rounded to whole counts); and tables of
70 records drawn from Czech without replacement. There are twenty such draws with fewer repeats
each, because the empty cells differ between draws. Prints for each table the ranges, over
mechanisms and (ε, δ), of the quantities in which the paper compares the two data sets. Takes about
two minutes.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import ggexp

SEED = 20260101
REPEATS = 500
DRAWS = 20  # number of draws of 70 records from Czech
MECHANISMS = {
    "laplace": ggexp.Mechanism(1, "pure"),
    "gaussian-pdp": ggexp.Mechanism(2, "pdp"),
    "gaussian-adp": ggexp.Mechanism(2, "adp-classical"),
}
EPSILONS, DELTAS = (0.5, 1.0, 2.0), (0.01, 0.05, 0.1, 0.25)
ROOT = Path(__file__).parents[1]
Counts = NDArray[np.int64]


def scaled_to(counts: Counts, n: int) -> Counts:
    """Return counts in the same proportions with the sum n, rounded by largest remainders."""
    scaled = counts * (n / counts.sum())
    whole = np.floor(scaled).astype(np.int64)
    whole[np.argsort(whole - scaled, kind="stable")[: n - whole.sum()]] += 1
    return whole


def drawn_from(counts: Counts, n: int, rng: np.random.Generator) -> Counts:
    """Return the counts of n records drawn without replacement."""
    return rng.multivariate_hypergeometric(counts, n)


def errors(counts: Counts, name: str, repeats: int) -> pd.DataFrame:
    """Return n and the means and standard deviations of the errors, one row per grid point.

    In the rows of Laplace noise, δ is missing.
    """
    repeats_table = ggexp.run_grid(
        counts,
        mechanisms=MECHANISMS,
        epsilon=EPSILONS,
        delta=DELTAS,
        repeats=repeats,
        seed=SEED,
        dataset=name,
    )
    grouped = repeats_table.groupby(["mechanism", "epsilon", "delta"], dropna=False)[["l1", "kl"]]
    table = grouped.agg(["mean", "std"])
    table.columns = [f"{metric}_{statistic}" for metric, statistic in table.columns]
    return table.reset_index().assign(n=int(counts.sum()))


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the name and the errors of each table."""
    mildew, czech = (
        pd.read_csv(ROOT / f"data/{name}.csv")["count"].to_numpy() for name in ("mildew", "czech")
    )
    yield "mildew, n = 70", errors(mildew, "mildew", REPEATS)
    large = scaled_to(mildew, int(czech.sum()))
    yield "mildew, n = 1841", errors(large, "mildew-large", REPEATS)
    rng = np.random.default_rng(SEED)
    small = [drawn_from(czech, int(mildew.sum()), rng) for _ in range(DRAWS)]
    errors_by_draw = [
        errors(counts, f"czech-small-{i}", REPEATS // DRAWS) for i, counts in enumerate(small)
    ]
    keys = ["mechanism", "epsilon", "delta"]
    yield (
        "Czech, n = 70",
        pd.concat(errors_by_draw).groupby(keys, dropna=False, as_index=False).mean(),
    )
    yield "Czech, n = 1841", errors(czech, "czech", REPEATS)


def ranges(table: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return the smallest and largest values of the quantities that section 4 compares.

    These are l1 / n in percent; the mean l1 at the largest ε or δ, divided by the mean l1 at the
    smallest; the decrease of a mean from ε = 0.5 to 1, divided by its decrease from 1 to 2; and the
    standard deviation of l1 at ε = 0.5, divided by that at ε = 1.
    """
    l1, kl, sd = (
        table.pivot_table(
            index=["mechanism", "delta"], columns="epsilon", values=name, dropna=False
        ).dropna(how="all")
        for name in ("l1_mean", "kl_mean", "l1_std")
    )
    l1_by_delta = table.dropna(subset="delta").pivot_table(
        index=["mechanism", "epsilon"], columns="delta", values="l1_mean"
    )
    quantities = {
        "l1/n, %": 100 * table["l1_mean"] / table["n"],
        "l1, ε = 2 : 0.5": l1[2.0] / l1[0.5],
        "l1, δ = 0.25 : 0.01": l1_by_delta[0.25] / l1_by_delta[0.01],
        "decreases of l1": (l1[0.5] - l1[1.0]) / (l1[1.0] - l1[2.0]),
        "decreases of KL": (kl[0.5] - kl[1.0]) / (kl[1.0] - kl[2.0]),
        "sd of l1, ε = 0.5 : 1": sd[0.5] / sd[1.0],
    }
    return {name: (float(values.min()), float(values.max())) for name, values in quantities.items()}


if __name__ == "__main__":
    for name, table in tables():
        print(f"{name}")
        for quantity, (low, high) in ranges(table).items():
            print(f"    {quantity:24} {low:8.3g} to {high:.3g}")
