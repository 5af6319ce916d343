"""The tables with a run's recommendations."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

#: Means of at least this size are shown without decimals.
LARGE_MEAN = 1000
#: The value of `how` if the error is small enough even at the smallest ε of the run. The ε that the
#: error needs may then be smaller.
AT_MOST = "the smallest ε of the run"


class Subject(NamedTuple):
    """The facts about a data set that its recommendation depends on.

    is_private: whether its releases are differentially private. is_own: whether it is the user's
    own data set, not one of the paper's. The other fields are set only for the user's own data
    sets. is_rescaled: whether counts are rescaled to sum to n. is_replaced: whether the guarantee
    is for one record that is replaced by another. cells: the number of released cells,
    None if they are not listed. records: n, the sum of the counts. file: the path of the data.
    configuration: the path of the run's configuration. contents: a description of the histogram.
    margins: the errors that `ggexp.experiment.margins` measured.
    """

    is_private: bool
    is_own: bool = False
    is_rescaled: bool = True
    is_replaced: bool = False
    cells: int | None = None
    records: int = 0
    file: str = ""
    configuration: str = ""
    contents: Mapping[str, str] | None = None
    margins: pd.DataFrame | None = None


def needed_table(needed: pd.DataFrame, subject: Subject) -> pd.DataFrame | None:
    """Return the table of the ε that each relative error needs, None if no ε of the run is enough.

    A weaker guarantee has a row only if it needs a smaller ε.
    """
    rows = needed[needed["how"] != "not reached"]
    rows = rows.drop_duplicates(["within", "mechanism", "epsilon"])
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    columns = {
        guarantee: guarantee_labels(rows),
        "l₁ error, % of n": [f"{100 * share:g}" for share in rows["within"]],
        "mechanism": rows["mechanism"],
        epsilon: [
            ("≤ " if row["how"] == AT_MOST else "") + f"{row['epsilon']:.2g}"
            for row in rows.to_dict("records")
        ],
    }
    if subject.is_private:
        columns["advantage"] = rows["advantage"].map("{:.2g}".format, na_action="ignore")
    if rows["epsilon_without_data"].notna().any():
        columns["ε without the data"] = [
            "" if pd.isna(epsilon) else f"{epsilon:.2g}" if epsilon else "any"
            for epsilon in rows["epsilon_without_data"]
        ]
    return pd.DataFrame(columns)


def errors_table(best: pd.DataFrame, subject: Subject) -> pd.DataFrame | None:
    """Return the table of the l₁ errors of the recommended mechanisms, None if there are none."""
    rows = best[best["metric"] == "l1"]
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    columns = {
        guarantee: guarantee_labels(rows),
        epsilon: rows["epsilon"],
        "use": rows["mechanism"],
        "l₁ error, records": _means_with_errors(rows),
        "% of n": ["" if pd.isna(share) else f"{100 * share:.3g}" for share in rows["relative"]],
    }
    if subject.cells:
        columns["records per cell"] = [f"{mean / subject.cells:.3g}" for mean in rows["mean"]]
    if subject.margins is not None and not subject.margins.empty:
        errors = [*_margin_errors(rows, subject.margins)]
        columns["one-way margins, % of n"] = [f"{100 * row['margin']:.3g}" for row in errors]
        if not subject.is_rescaled:
            columns["total, % of n"] = [f"{100 * row['total_error']:.3g}" for row in errors]
    return pd.DataFrame(columns | {"not significantly worse": _alternatives(rows)})


def _margin_errors(rows: pd.DataFrame, margins: pd.DataFrame) -> Iterator["pd.Series[Any]"]:
    """Yield the errors of a margin and of the total at each row's grid point, as fractions of n.

    In ``margins``, the δ of mechanisms without a δ is missing.
    """
    indexed = margins.set_index(["mechanism", "epsilon"])[["delta", "margin", "total_error"]]
    for row in rows.to_dict("records"):
        matches = indexed.loc[[(row["mechanism"], row["epsilon"])]]
        delta_matches = matches["delta"].isna() | (matches["delta"] == row["delta"])
        yield matches.loc[delta_matches].iloc[0]


def others_table(
    best: pd.DataFrame, labels: Mapping[str, str], subject: Subject
) -> pd.DataFrame | None:
    """Return the table of the mechanisms recommended by measures other than l₁, or None."""
    rows = best[best["metric"] != "l1"]
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    return pd.DataFrame(
        {
            guarantee: guarantee_labels(rows),
            epsilon: rows["epsilon"],
            "measure": rows["metric"].replace(dict(labels)),
            "use": rows["mechanism"],
            "mean": _means_with_errors(rows),
            "not significantly worse": _alternatives(rows),
        }
    )


def _headings(subject: Subject) -> tuple[str, str]:
    """Return the headings of the columns that contain guarantees and ε."""
    return ("guarantee", "ε") if subject.is_private else ("noise", "scale parameter ε")


def guarantee_labels(rows: pd.DataFrame) -> list[str]:
    """Return each row's guarantee as text, with its δ if it has one."""
    pairs = zip(rows["guarantee"], rows["delta"], strict=True)
    return [_label_with_delta(*pair) for pair in pairs]


def _means_with_errors(rows: pd.DataFrame) -> list[str]:
    """Return each mean with its standard error, as text."""
    return [
        (f"{mean:.4g}" if abs(mean) < LARGE_MEAN else f"{mean:,.0f}")
        + ("" if pd.isna(se) else f" ± {se:.2g}")
        for mean, se in zip(rows["mean"], rows["se"], strict=True)
    ]


def _alternatives(rows: pd.DataFrame) -> list[str]:
    """Return the mechanisms that are not significantly worse than each row's recommended one."""
    return [", ".join(names.split(", ")[1:]) or "none" for names in rows["alike"]]


def guarantee_label(guarantee: Any) -> str:
    """Return the guarantee of a release as text, or that of its noise if the release has none."""
    satisfied, _, noise_guarantee = str(guarantee).partition(", noise for ")
    return f"noise for {noise_guarantee}" if satisfied == "none" else satisfied


def _label_with_delta(guarantee: Any, delta: Any) -> str:
    """Return a guarantee as text, with its δ if it has one."""
    return guarantee_label(guarantee) + ("" if pd.isna(delta) else f", δ = {delta:g}")
