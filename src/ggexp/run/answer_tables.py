"""The tables of a run's recommendation."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

#: Larger means have no decimals.
LARGE = 1000
#: If the error is small enough at the smallest ε of a run, a smaller ε may suffice.
AT_MOST = "the smallest ε of the run"


class Subject(NamedTuple):
    """The facts about a data set that its recommendation depends on.

    is_private: whether its releases are differentially private. is_own: whether it is not one of
    the paper's data sets. Only then it has cells (the number released, None if they are not
    listed), contents (of its histogram, in words) and margins (of `ggexp.experiment.margins`).
    """

    is_private: bool
    is_own: bool = False
    cells: int | None = None
    contents: Mapping[str, str] | None = None
    margins: pd.DataFrame | None = None


def needed_table(needed: pd.DataFrame, subject: Subject) -> pd.DataFrame | None:
    """Return the table of the ε needed for errors; a weaker guarantee only if it needs less."""
    rows = needed[needed["how"] != "not reached"]
    rows = rows.drop_duplicates(["within", "mechanism", "epsilon"])
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    shown = {
        guarantee: all_under(rows),
        "l₁ error, % of n": [f"{100 * share:g}" for share in rows["within"]],
        "mechanism": rows["mechanism"],
        epsilon: [
            ("≤ " if row["how"] == AT_MOST else "") + f"{row['epsilon']:.2g}"
            for row in rows.to_dict("records")
        ],
    }
    if subject.is_private:
        shown["advantage"] = rows["advantage"].map("{:.2g}".format, na_action="ignore")
    if rows["epsilon_without_data"].notna().any():
        shown["ε without the data"] = [
            "" if pd.isna(epsilon) else f"{epsilon:.2g}" if epsilon else "any"
            for epsilon in rows["epsilon_without_data"]
        ]
    return pd.DataFrame(shown)


def errors_table(best: pd.DataFrame, subject: Subject) -> pd.DataFrame | None:
    """Return the table of the l₁ errors of the recommended mechanisms."""
    rows = best[best["metric"] == "l1"]
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    shown = {
        guarantee: all_under(rows),
        epsilon: rows["epsilon"],
        "use": rows["mechanism"],
        "l₁ error, records": _measured(rows),
        "% of n": ["" if pd.isna(share) else f"{100 * share:.3g}" for share in rows["relative"]],
    }
    if subject.cells:
        shown["records per cell"] = [f"{mean / subject.cells:.3g}" for mean in rows["mean"]]
    if subject.margins is not None and not subject.margins.empty:
        shown["one-way margins, % of n"] = [
            f"{100 * share:.3g}" for share in _margins(rows, subject.margins)
        ]
    return pd.DataFrame(shown | {"not significantly worse": _alike(rows)})


def _margins(rows: pd.DataFrame, margins: pd.DataFrame) -> Iterator[float]:
    """Yield the error of a margin at each row's grid point; δ is missing for pure DP."""
    known = margins.set_index(["mechanism", "epsilon"])[["delta", "margin"]]
    for row in rows.to_dict("records"):
        at = known.loc[[(row["mechanism"], row["epsilon"])]]
        yield at.loc[at["delta"].isna() | (at["delta"] == row["delta"]), "margin"].iloc[0]


def others_table(
    best: pd.DataFrame, labels: Mapping[str, str], subject: Subject
) -> pd.DataFrame | None:
    """Return the table of the mechanisms recommended by other measures."""
    rows = best[best["metric"] != "l1"]
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    return pd.DataFrame(
        {
            guarantee: all_under(rows),
            epsilon: rows["epsilon"],
            "measure": rows["metric"].replace(dict(labels)),
            "use": rows["mechanism"],
            "mean": _measured(rows),
            "not significantly worse": _alike(rows),
        }
    )


def _headings(subject: Subject) -> tuple[str, str]:
    """Return the headings of the columns of guarantees and of ε."""
    return ("guarantee", "ε") if subject.is_private else ("noise", "scale parameter ε")


def all_under(rows: pd.DataFrame) -> list[str]:
    """Return each row's guarantee with its δ."""
    return [_under(*pair) for pair in zip(rows["guarantee"], rows["delta"], strict=True)]


def _measured(rows: pd.DataFrame) -> list[str]:
    """Return each mean with its standard error."""
    return [
        (f"{mean:.4g}" if abs(mean) < LARGE else f"{mean:,.0f}")
        + ("" if pd.isna(se) else f" ± {se:.2g}")
        for mean, se in zip(rows["mean"], rows["se"], strict=True)
    ]


def _alike(rows: pd.DataFrame) -> list[str]:
    """Return the other mechanisms that are not significantly worse than the best of each row."""
    return [", ".join(names.split(", ")[1:]) or "none" for names in rows["alike"]]


def stated(guarantee: Any) -> str:
    """Return a guarantee in words, or the guarantee of the noise if there is none."""
    none, _, noise = str(guarantee).partition(", noise for ")
    return f"noise for {noise}" if none == "none" else none


def _under(guarantee: Any, delta: Any) -> str:
    """Return a guarantee with its δ."""
    return stated(guarantee) + ("" if pd.isna(delta) else f", δ = {delta:g}")
