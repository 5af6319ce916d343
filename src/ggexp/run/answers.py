"""The recommendation of a run for its readers: an answer, sentences, and tables a data set."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

#: The relative errors that the answer names, the first that the run reaches.
ASKED = (0.1, 0.2)
#: Larger means have no decimals.
LARGE = 1000
#: Where the error is that small at the smallest ε of a run, less may do.
AT_MOST = "the smallest ε of the run"


class Subject(NamedTuple):
    """A data set, as far as its answer depends on it.

    is_private: whether its releases are differentially private. is_own: whether it is none of the
    paper's, and only then: cells, how many are released, None if they are not listed; contents,
    what its histogram holds, in words; margins, as `ggexp.experiment.margins` measures them.
    """

    is_private: bool
    is_own: bool = False
    cells: int | None = None
    contents: Mapping[str, str] | None = None
    margins: pd.DataFrame | None = None


def answers(
    recommended: pd.DataFrame,
    needed: pd.DataFrame,
    labels: Mapping[str, str],
    subjects: Mapping[str, Subject],
    unlearned: pd.DataFrame,
) -> list[dict[str, Any]]:
    """Return for each data set, in the order of the subjects, what a page says of it.

    recommended, needed: recommendation.csv and needed_epsilon.csv. labels: metric -> what people
        read of it, where that is another word. unlearned: of `ggexp.experiment.recommendation`.

    Each has dataset, note (what its guarantee covers; of the paper's if there is none), is_private,
    answer (a sentence), contents, errors, others, needed (tables, None if they have no row),
    sentences and before (a sentence on the ε that is chosen without the data, or None).
    """
    told = []
    for dataset, subject in subjects.items():
        best = recommended[recommended["dataset"] == dataset]
        if best.empty:
            continue
        errors = needed[needed["dataset"] == dataset]
        contents = subject.contents and pd.DataFrame(
            subject.contents.items(), columns=["histogram of", dataset]
        )
        told.append(
            {
                "dataset": dataset,
                "is_private": subject.is_private,
                "note": _note(subject),
                "answer": _answer(best, errors, subject),
                "contents": contents,
                "sentences": [
                    *_sentences(best, labels),
                    *_nothing(unlearned[unlearned["dataset"] == dataset]),
                    *_not_reached(best, errors),
                ],
                "needed": _needed(errors, subject),
                "before": _before(errors, subject),
                "errors": _errors(best, subject),
                "others": _others(best, labels, subject),
            }
        )
    return told


def in_short(told: Iterable[Mapping[str, Any]]) -> str:
    """Return the answers of some data sets, and what the guarantees cover, as plain text."""
    return "".join(
        f"{one['dataset']}: {one['answer']}\n" + (f"{one['note']}\n" if one["note"] else "")
        for one in told
    ).replace("\u00a0", " ")


def not_compared(left_out: pd.DataFrame) -> Iterator[str]:
    """Yield for each mechanism where its noise does not satisfy its guarantee.

    left_out: of `ggexp.experiment.recommendation`.
    """
    for mechanism, rows in left_out.groupby("mechanism", sort=False):
        places = "; ".join(
            f"ε = {row['epsilon']:g} and δ = {row['delta']:g} (exact δ: {row['exact_delta']:.2g})"
            for row in rows.to_dict("records")
        )
        yield (
            f"{mechanism} is not compared where its noise does not satisfy its guarantee: {places}."
        )


def _note(subject: Subject) -> str | None:
    """Return what the guarantee covers."""
    if not subject.is_private:
        return (
            "Not differentially private. Only the cells that are not empty are sanitized, without "
            "a threshold: a person who is alone in a cell is given away by the cell itself. Each ε "
            "is a scale parameter of the noise here, and no guarantee."
        )
    if not subject.is_own:
        return None
    return (
        "The guarantee takes the columns, their levels and bins, and n, to which counts are "
        "rescaled, as public. It does not cover their choice if they were proposed from the data, "
        "as by ggexp describe."
    )


def _answer(best: pd.DataFrame, needed: pd.DataFrame, subject: Subject) -> str:
    """Return in a sentence which mechanism to take, and which ε."""
    reached = needed[needed["how"] != "not reached"]
    asked = [share for share in ASKED if (reached["within"] == share).any()]
    if asked:
        first, *others = reached[reached["within"] == asked[0]].to_dict("records")
        error = f"an l₁ error of {100 * asked[0]:g} % of n"
        told = f"{error} needs {_parameters(first, subject)}"
        mechanism = first["mechanism"]
        less = min(others, key=lambda row: row["epsilon"], default=first)
        if less["epsilon"] < first["epsilon"] and less["mechanism"] != mechanism:
            told += f"; the {less['mechanism']} mechanism needs {_parameters(less, subject)}"
    else:
        l1 = best[best["metric"] == "l1"]
        row = l1[l1["guarantee"] == l1["guarantee"].iloc[0]].nlargest(1, "epsilon").iloc[0]
        mechanism, told = row["mechanism"], "there are no records"
        if pd.notna(row["relative"]):
            told = (
                f"no ε of this run brings the l₁ error to {100 * ASKED[-1]:g} % of n: at ε = "
                f"{row['epsilon']:g} it is {100 * row['relative']:.3g} %. Fewer columns or wider "
                "bins make larger cells"
            )
    start = "Use" if subject.is_private else "Not differentially private. Of these, use"
    return f"{start} the {mechanism} mechanism; {told}."


def _parameters(row: Mapping[Any, Any], subject: Subject) -> str:
    """Return the ε and δ that an error needs, as parts of a sentence."""
    name = "ε" if subject.is_private else "the scale parameter ε"
    sign = "≤" if row["how"] == AT_MOST else "≈"
    delta = "" if pd.isna(row["delta"]) else f" and δ = {row['delta']:g}"
    return f"{name}\u00a0{sign}\u00a0{row['epsilon']:.2g}{delta}"


def _sentences(best: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[str]:
    """Yield for each guarantee and measure which mechanism to take at how many grid points."""
    for guarantee, rows in best.groupby("guarantee", sort=False):
        if rows["runner_up"].isna().all():
            yield f"{_stated(guarantee)}: {rows['mechanism'].iloc[0]} alone was run."
            continue
        for metric, group in rows.groupby("metric", sort=False):
            taken = group["mechanism"].value_counts(sort=False)
            clear = group.loc[group["clear"], "mechanism"].value_counts()
            places = ", ".join(
                f"{name} at {times} of {len(group)} grid points"
                + (f" (significantly better at {clear[name]})" if name in clear else "")
                for name, times in taken.items()
            )
            yield f"{_stated(guarantee)}, by {labels.get(str(metric), metric)}: take {places}."


def _stated(guarantee: Any) -> str:
    """Return what stands for a guarantee: without one, the noise."""
    none, _, noise = str(guarantee).partition(", noise of ")
    return f"noise of {noise}" if none == "none" else none


def _nothing(unlearned: pd.DataFrame) -> Iterator[str]:
    """Yield which classifiers learned nothing."""
    if not unlearned.empty:
        places = ", ".join(
            f"{mechanism} (at {', '.join(dict.fromkeys(map('ε = {:g}'.format, rows['epsilon'])))})"
            for mechanism, rows in unlearned.groupby("mechanism", sort=False)
        )
        yield (
            "Classifiers that learned nothing are not ranked. Their accuracy is within three "
            f"standard errors of the majority class's, or below it: {places}."
        )


def _not_reached(best: pd.DataFrame, needed: pd.DataFrame) -> Iterator[str]:
    """Yield which relative errors no ε of the run reaches."""
    rows = needed[needed["how"] == "not reached"]
    lacking: dict[str, list[str]] = {}
    for share, group in rows.groupby("within", sort=False):
        under = _all_under(group)
        places = "" if len(under) == len(needed) / needed["within"].nunique() else "; ".join(under)
        lacking.setdefault(places, []).append(f"{100 * float(str(share)):g} %")
    if lacking:
        places = ", and ".join(
            ", ".join(shares) + " of n" + (f" under {under}" if under else "")
            for under, shares in lacking.items()
        )
        yield f"No ε up to {best['epsilon'].max():g} brings the l₁ error to {places}."


def _under(guarantee: Any, delta: Any) -> str:
    """Return a guarantee with its δ."""
    return _stated(guarantee) + ("" if pd.isna(delta) else f", δ = {delta:g}")


def _needed(needed: pd.DataFrame, subject: Subject) -> pd.DataFrame | None:
    """Return the table of the ε that errors need; a weaker guarantee where it saves something."""
    rows = needed[needed["how"] != "not reached"]
    rows = rows.drop_duplicates(["within", "mechanism", "epsilon"])
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    shown = {
        guarantee: _all_under(rows),
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


def _before(needed: pd.DataFrame, subject: Subject) -> str | None:
    """Return what the ε is that is chosen without the data."""
    if needed["epsilon_without_data"].isna().all():
        return None
    return (
        "The ε without the data bounds the error of every table with that many cells and records, "
        "with a probability of 95 %, by the least whole-number noise (ggexp need). It may be "
        "published only if the cells, and n, were fixed without looking at the data, which is not "
        "the case for columns and bins that ggexp describe proposed. The ε measured on the data "
        "tells something about them."
    )


def _errors(best: pd.DataFrame, subject: Subject) -> pd.DataFrame | None:
    """Return the table of the l₁ errors of the mechanisms to take."""
    rows = best[best["metric"] == "l1"]
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    shown = {
        guarantee: _all_under(rows),
        epsilon: rows["epsilon"],
        "take": rows["mechanism"],
        "l₁ error, records": _measured(rows),
        "% of n": ["" if pd.isna(share) else f"{100 * share:.3g}" for share in rows["relative"]],
    }
    if subject.cells:
        shown["records a cell"] = [f"{mean / subject.cells:.3g}" for mean in rows["mean"]]
    if subject.margins is not None and not subject.margins.empty:
        shown["one-way margins, % of n"] = [
            f"{100 * share:.3g}" for share in _margins(rows, subject.margins)
        ]
    return pd.DataFrame(shown | {"not significantly worse": _alike(rows)})


def _margins(rows: pd.DataFrame, margins: pd.DataFrame) -> Iterator[float]:
    """Yield the error of a margin at each row's place; a mechanism has one δ, or every one."""
    known = margins.set_index(["mechanism", "epsilon"])[["delta", "margin"]]
    for row in rows.to_dict("records"):
        at = known.loc[[(row["mechanism"], row["epsilon"])]]
        yield at.loc[at["delta"].isna() | (at["delta"] == row["delta"]), "margin"].iloc[0]


def _others(best: pd.DataFrame, labels: Mapping[str, str], subject: Subject) -> pd.DataFrame | None:
    """Return the table of the mechanisms to take by other measures."""
    rows = best[best["metric"] != "l1"]
    if rows.empty:
        return None
    guarantee, epsilon = _headings(subject)
    return pd.DataFrame(
        {
            guarantee: _all_under(rows),
            epsilon: rows["epsilon"],
            "measure": rows["metric"].replace(dict(labels)),
            "take": rows["mechanism"],
            "mean": _measured(rows),
            "not significantly worse": _alike(rows),
        }
    )


def _headings(subject: Subject) -> tuple[str, str]:
    """Return the headings of the columns of guarantees and of ε."""
    return ("guarantee", "ε") if subject.is_private else ("noise", "scale parameter ε")


def _all_under(rows: pd.DataFrame) -> list[str]:
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
    return [", ".join(_without_first(names)) or "none" for names in rows["alike"]]


def _without_first(names: str) -> Iterable[str]:
    return names.split(", ")[1:]
