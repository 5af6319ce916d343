"""Whether the larger n explains how Czech differs from mildew (section 4): reproduction.md.

    python studies/larger_n.py

Sanitizes four tables with the paper's mechanisms at its (ε, δ): mildew and Czech, mildew's shares
of Czech's 1841 records (each count the nearest whole number, with the sum 1841), and 70 records of
Czech, drawn without replacement. The last are twenty draws with fewer repeats each, since a single
one has its own empty cells. Prints for each table the range over mechanisms and (ε, δ) of what the
paper says of the two data sets. It takes about two minutes.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import ggexp

SEED = 20260101
REPEATS = 500
THINNED = 20  # draws of 70 records of Czech
MECHANISMS = {
    "laplace": ggexp.Mechanism(1, "pure"),
    "gaussian-pdp": ggexp.Mechanism(2, "pdp"),
    "gaussian-adp": ggexp.Mechanism(2, "adp-classical"),
}
EPSILONS, DELTAS = (0.5, 1.0, 2.0), (0.01, 0.05, 0.1, 0.25)
ROOT = Path(__file__).parents[1]
Counts = NDArray[np.int64]


def multiplied(counts: Counts, n: int) -> Counts:
    """Return counts in the same shares that sum to n, by largest remainders."""
    shares = counts * (n / counts.sum())
    whole = np.floor(shares).astype(np.int64)
    whole[np.argsort(whole - shares, kind="stable")[: n - whole.sum()]] += 1
    return whole


def thinned(counts: Counts, n: int, rng: np.random.Generator) -> Counts:
    """Return the counts of n of the records, drawn without replacement."""
    return rng.multivariate_hypergeometric(counts, n)


def errors(counts: Counts, name: str, repeats: int) -> pd.DataFrame:
    """Return the means and standard deviations of the errors, with n, at each grid point.

    Laplace noise, which has no δ, is at each of them.
    """
    found = ggexp.run_grid(
        counts,
        mechanisms=MECHANISMS,
        epsilon=EPSILONS,
        delta=DELTAS,
        repeats=repeats,
        seed=SEED,
        dataset=name,
    )
    grouped = found.groupby(["mechanism", "epsilon", "delta"], dropna=False)[["l1", "kl"]]
    table = grouped.agg(["mean", "std"])
    table.columns = [f"{metric}_{what}" for metric, what in table.columns]
    return table.reset_index().assign(n=int(counts.sum()))


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the name of each table and its errors."""
    mildew, czech = (
        pd.read_csv(ROOT / f"data/{name}.csv")["count"].to_numpy() for name in ("mildew", "czech")
    )
    yield "mildew, n = 70", errors(mildew, "mildew", REPEATS)
    large = multiplied(mildew, int(czech.sum()))
    yield "mildew, n = 1841", errors(large, "mildew-large", REPEATS)
    rng = np.random.default_rng(SEED)
    small = [thinned(czech, int(mildew.sum()), rng) for _ in range(THINNED)]
    each = [
        errors(counts, f"czech-small-{i}", REPEATS // THINNED) for i, counts in enumerate(small)
    ]
    keys = ["mechanism", "epsilon", "delta"]
    yield (
        "Czech, n = 70",
        pd.concat(each).groupby(keys, dropna=False, as_index=False).mean(),
    )
    yield "Czech, n = 1841", errors(czech, "czech", REPEATS)


def described(table: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return the least and the largest of what section 4 compares.

    l1/n in percent; the share of the l1 error at ε = 0.5 that is left at 2, and of that at δ = 0.01
    left at 0.25; the fall of a mean from ε = 0.5 to 1 over that from 1 to 2; and the standard
    deviation at ε = 0.5 over that at 1.
    """
    l1, kl, sd = (
        table.pivot_table(
            index=["mechanism", "delta"], columns="epsilon", values=name, dropna=False
        ).dropna(how="all")
        for name in ("l1_mean", "kl_mean", "l1_std")
    )
    of_delta = table.dropna(subset="delta").pivot_table(
        index=["mechanism", "epsilon"], columns="delta", values="l1_mean"
    )
    found = {
        "l1/n, %": 100 * table["l1_mean"] / table["n"],
        "l1 left, ε": l1[2.0] / l1[0.5],
        "l1 left, δ": of_delta[0.25] / of_delta[0.01],
        "falls, l1": (l1[0.5] - l1[1.0]) / (l1[1.0] - l1[2.0]),
        "falls, KL": (kl[0.5] - kl[1.0]) / (kl[1.0] - kl[2.0]),
        "sd, 0.5 : 1": sd[0.5] / sd[1.0],
    }
    return {name: (float(values.min()), float(values.max())) for name, values in found.items()}


if __name__ == "__main__":
    for name, table in tables():
        print(f"{name}")
        for what, (low, high) in described(table).items():
            print(f"    {what:12} {low:8.3g} to {high:.3g}")
