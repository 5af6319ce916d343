"""The recommendations of a run: an answer, sentences and tables for each data set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import pandas as pd

from ggexp.experiment.card import Card, card
from ggexp.experiment.metrics import DIVERGENCES, METRICS
from ggexp.experiment.recommendation import AT_MOST, NOT_REACHED, Subject, advantages
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import RULES
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.sensitivity import Neighbours
from ggexp.releases.point import NoisyPoint
from ggexp.words import exactly, in_words, mechanisms_in_words, rounded, up

#: Means of at least this size are shown without decimals.
LARGE_MEAN = 1000
#: Relative l₁ errors, by priority: the answer gives the ε for the first one that the run reaches.
TARGET_ERRORS = (0.1, 0.2)
#: The titles of the tables of a recommendation.
NEEDED = "The ε needed for an l₁ error"
ERRORS = "l₁ errors of the recommended mechanisms, and mechanisms that are not significantly worse"
OTHERS = "Recommended mechanisms by other measures"
MEASURED_ON_TABLE = (
    "These errors were measured on the table itself: an ε that is chosen from them reveals "
    "something about the table that no guarantee covers."
)


class Recommendation(NamedTuple):
    """The recommendation for a data set.

    answer: sentences on the measured errors. tables: title -> table with one or more rows.
    """

    dataset: str
    subject: Subject
    card: Card | None
    answer: str
    sentences: list[str]
    tables: dict[str, pd.DataFrame]

    @property
    def note(self) -> str | None:
        """A note on what the guarantee covers, None for the paper's private data sets."""
        if not self.subject.is_private:
            return (
                "Not differentially private. Only the non-empty cells are sanitized, without a "
                "threshold: a cell with a single person reveals that person. Here ε is only a "
                "scale parameter of the noise, not a guarantee."
            )
        if not self.subject.is_own:
            return None
        columns = "The columns, and their levels and bins, are assumed public."
        if self.subject.is_rescaled:
            columns = "The columns, their levels and bins, and n are assumed public."
        return (
            f"{columns} If they were chosen by looking at the data, as ggexp describe does, the "
            "guarantee does not cover this choice."
        )

    @property
    def warning(self) -> str | None:
        """A sentence on the answer, None for the paper's data sets and without a guarantee."""
        return MEASURED_ON_TABLE if self.subject.is_own and self.subject.is_private else None

    @property
    def contents(self) -> pd.DataFrame | None:
        """The description of the histogram, if it is the user's own."""
        if (rows := self.subject.contents) is None:
            return None
        return pd.DataFrame(rows.items(), columns=["histogram of", self.dataset])


def answers(
    recommended: pd.DataFrame,
    needed: pd.DataFrame,
    subjects: Mapping[str, Subject],
    unlearned: pd.DataFrame,
) -> list[Recommendation]:
    """Return the recommendation for each data set, in the order of the subjects.

    recommended, needed: the rows of recommendation.csv and needed_epsilon.csv.
    unlearned: the result of `unlearned` in `ggexp.experiment.recommendation`.
    """
    answers = []
    for dataset, subject in subjects.items():
        best, needed_rows, unlearned_rows = (
            _named(table[table["dataset"] == dataset]) for table in (recommended, needed, unlearned)
        )
        if best.empty:
            continue
        tables = {
            NEEDED: _needed_table(needed_rows, subject, best["epsilon"].max()),
            ERRORS: _errors_table(best, subject),
            OTHERS: _others_table(best, subject),
        }
        answers.append(
            Recommendation(
                dataset,
                subject,
                card(subject, _delta(needed_rows, subject)),
                f"{_answer(best, needed_rows, subject)} {_equal_counts(best)}",
                [*_alone(best), *_unlearned(unlearned_rows, {*best["epsilon"]})],
                {title: table for title, table in tables.items() if not table.empty},
            )
        )
    return answers


def in_short(answers: Sequence[Recommendation]) -> str:
    """Return the answers for several data sets, then what their guarantees cover, as plain text.

    Lines that begin with a blank are commands, which must not be wrapped.
    """
    notes: dict[str, list[str]] = {}
    lines = []
    for answer in answers:
        if answer.note:
            notes.setdefault(answer.note, []).append(answer.dataset)
        if answer.card:
            lines += answer.card.lines(answer.dataset)
        measured = ["Measured in this run:"] * bool(answer.card) + [answer.answer]
        measured += [answer.warning] if answer.warning else []
        lines.append(f"{answer.dataset}: {' '.join(measured)}")
    lines += [f"{', '.join(names)}: {note}" for note, names in notes.items()]
    return "\n".join([*lines, ""]).replace("\u00a0", " ")


def caveats(
    subjects: Mapping[str, Subject], noises: Iterable[NoisyPoint], neighbours: Neighbours
) -> dict[str, list[str]]:
    """Return what the sentences on the limits of a run's guarantees name.

    guarantees: those that the mechanisms state. unprotected: the data sets whose releases are not
    private. rescaled: those whose releases are rescaled to n although neighbours differ in n.
    noises: of all mechanisms, whose rules are in `RULES`.
    """
    stated = {RULES[noisy.point.calibration].guarantee for noisy in noises}
    differ = neighbours == "add-remove"
    return {
        "guarantees": [guarantee.value for guarantee in Guarantee if guarantee in stated],
        "unprotected": [name for name, subject in subjects.items() if not subject.is_private],
        "rescaled": [name for name, subject in subjects.items() if differ and subject.is_rescaled],
    }


def not_compared(left_out: Mapping[str, Sequence[tuple[Budget, float]]]) -> Iterator[str]:
    """Yield a sentence for each mechanism whose noise violates its guarantee at some ε and δ.

    left_out: the result of `left_out` in `ggexp.experiment.recommendation`.
    """
    for mechanism, points in left_out.items():
        listed = "; ".join(f"{budget} (exact δ: {up(exact, 2)})" for budget, exact in points)
        yield (
            f"{mechanisms_in_words(mechanism)} is not compared at these points, because its noise "
            f"does not satisfy its guarantee: {listed}."
        )


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which mechanisms have the names that people read."""
    columns = {"mechanism", "alike"} & {*table}
    return table.assign(
        **{name: table[name].map(mechanisms_in_words, na_action="ignore") for name in columns}
    )


def _delta(needed: pd.DataFrame, subject: Subject) -> float | None:
    """Return the δ of the strongest guarantee that a data set's releases can satisfy."""
    if subject.is_replaced or needed.empty or needed["delta"].isna().any():
        return None
    return float(needed["delta"].min())


def _answer(best: pd.DataFrame, needed: pd.DataFrame, subject: Subject) -> str:
    """Return a sentence with the recommended mechanism and ε."""
    reached = needed[needed["how"] != NOT_REACHED]
    targets = [share for share in TARGET_ERRORS if (reached["within"] == share).any()]
    if targets:
        strongest, *weaker = reached[reached["within"] == targets[0]].to_dict("records")
        is_part = subject.published > subject.records
        n = f"the {subject.records:,} training records" if is_part else "n"
        error = f"a mean l₁ error of {100 * targets[0]:g} % of {n}"
        reason = f"{error} {_needs(strongest, subject, 'is reached')}"
        mechanism = strongest["mechanism"]
        smallest = min(weaker, key=lambda row: row["epsilon"], default=strongest)
        if smallest["epsilon"] < strongest["epsilon"] and smallest["mechanism"] != mechanism:
            needs = _needs(smallest, subject, "reaches it")
            reason += f"; the {smallest['mechanism']} mechanism {needs}"
    else:
        l1 = best[best["metric"] == "l1"]
        row = l1[l1["guarantee"] == l1["guarantee"].iloc[0]].nlargest(1, "epsilon").iloc[0]
        mechanism, reason = row["mechanism"], "the table has no records"
        if pd.notna(row["relative"]):
            reason = (
                f"no ε of this run gives an l₁ error of {100 * TARGET_ERRORS[-1]:g} % of n or "
                f"less: at ε = {exactly(row['epsilon'])} it is {100 * row['relative']:.3g} %. "
                "Fewer columns or wider bins give smaller relative errors"
            )
    start = (
        "Use" if subject.is_private else "Not differentially private. Of the mechanisms tried, use"
    )
    return f"{start} the {mechanism} mechanism; {reason}."


def _equal_counts(best: pd.DataFrame) -> str:
    """Return sentences that compare the l₁ errors with the error of a table of equal counts."""
    l1 = best[best["metric"] == "l1"]
    smallest = l1.groupby("epsilon")["mean"].min()
    worse = map(exactly, smallest.index[smallest > l1["equal"].iloc[0]])
    text = f"A table of equal counts would be wrong by {_rounded(l1['equal'].iloc[0])} records."
    if listed := ", ".join(worse):
        text += f" At ε = {listed}, the mean error of every recommended mechanism is larger."
    return text


def _needs(row: Mapping[Any, Any], subject: Subject, reached: str) -> str:
    """Return the ε and δ that an error needs, as the end of a sentence."""
    name = "ε" if subject.is_private else "the scale parameter ε"
    delta = "" if pd.isna(row["delta"]) else f" and δ = {exactly(row['delta'])}"
    if row["how"] == AT_MOST:
        epsilon = f"{name}\u00a0=\u00a0{exactly(row['epsilon'])}"
        return f"{reached} already at {epsilon}{delta}, {AT_MOST}"
    return f"needs {name}\u00a0≈\u00a0{up(row['epsilon'], 2)}{delta}"


def _alone(best: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each guarantee under which only one mechanism was run."""
    for guarantee, rows in best.groupby("guarantee", sort=False):
        if rows["runner_up"].isna().all():
            yield f"{_label(guarantee)}: only {rows['mechanism'].iloc[0]} was run."


def _unlearned(unlearned: pd.DataFrame, epsilons: Set[float]) -> Iterator[str]:
    """Yield a sentence on mechanisms whose classifiers learned nothing, of all ε of the run."""
    mechanisms: dict[str, list[str]] = {}
    for mechanism, rows in unlearned.groupby("mechanism", sort=False):
        affected = {*rows["epsilon"]}
        listed = ", ".join(map(exactly, sorted(affected)))
        text = "every ε" if affected >= epsilons else f"ε = {listed}"
        mechanisms.setdefault(text, []).append(str(mechanism))
    if mechanisms:
        groups = "; ".join(f"{', '.join(names)} at {text}" for text, names in mechanisms.items())
        yield (
            "Classifiers that learned nothing are not ranked: their accuracy is at most three "
            f"standard errors above that of the majority class. They are {groups}."
        )


def _needed_table(needed: pd.DataFrame, subject: Subject, largest: float) -> pd.DataFrame:
    """Return the table of the ε that each relative error needs. largest: of the run."""
    # a weaker guarantee has a row only if it needs a smaller ε
    rows = needed.drop_duplicates(["within", "mechanism", "epsilon"])
    is_rounded = ~rows["how"].isin([AT_MOST, NOT_REACHED])
    rounded_up = rows["epsilon"].map(lambda x: rounded(x, 2), na_action="ignore")
    rows = rows.assign(epsilon=rows["epsilon"].mask(is_rounded, rounded_up))
    guarantee, epsilon = _headings(subject)
    columns = {
        guarantee: _guarantee_labels(rows),
        "l₁ error, % of n": [f"{100 * share:g}" for share in rows["within"]],
        "mechanism": rows["mechanism"].fillna(""),
        epsilon: [_needed_text(row, largest) for row in rows.to_dict("records")],
    }
    if subject.is_private:
        found = advantages(rows, dict.fromkeys(rows["dataset"], subject))
        columns["advantage"] = ["" if x is None else up(x, 2) for x in found]
    return pd.DataFrame(columns)


def _needed_text(row: Mapping[Any, Any], largest: float) -> str:
    """Return the ε of a row as text, or its bound."""
    if row["how"] == NOT_REACHED:
        return f"> {exactly(largest)}"
    return "≤ " * (row["how"] == AT_MOST) + exactly(row["epsilon"])


def _errors_table(best: pd.DataFrame, subject: Subject) -> pd.DataFrame:
    """Return the table of the l₁ errors of the recommended mechanisms."""
    rows = best[best["metric"] == "l1"]
    columns = {
        "use": rows["mechanism"],
        "l₁ error, records": _means_with_errors(rows),
        "% of n": ["" if pd.isna(share) else f"{100 * share:.3g}" for share in rows["relative"]],
    }
    if subject.is_own and subject.lists_cells:
        columns["records per cell"] = [f"{mean / subject.cells:.3g}" for mean in rows["mean"]]
    if subject.margins is not None and not subject.margins.empty:
        margins = _named(subject.margins)
        errors = rows.merge(margins, on=["mechanism", "epsilon"], suffixes=("", "_margins"))
        delta = errors["delta_margins"]  # missing for mechanisms without a δ
        errors = errors[delta.isna() | (delta == errors["delta"])]
        columns["one-way margins, % of n"] = [f"{100 * error:.3g}" for error in errors["margin"]]
        if not subject.is_rescaled:
            columns["total, % of n"] = [f"{100 * error:.3g}" for error in errors["total_error"]]
    return _recommended_table(rows, subject, columns)


def _others_table(best: pd.DataFrame, subject: Subject) -> pd.DataFrame:
    """Return the table of the mechanisms recommended by measures other than l₁."""
    rows = best[best["metric"] != "l1"]
    columns = {
        "measure": rows["metric"].map(_measure),
        "use": rows["mechanism"],
        "mean": _means_with_errors(rows),
        "equal counts": rows["equal"].map(_rounded, na_action="ignore"),
    }
    return _recommended_table(rows, subject, columns)


def _recommended_table(
    rows: pd.DataFrame, subject: Subject, columns: Mapping[str, object]
) -> pd.DataFrame:
    """Return the columns with guarantee, ε and the mechanisms that are not significantly worse.

    A row that is the same at every δ stands once.
    """
    first, epsilon = _headings(subject)
    others = [", ".join(names.split(", ")[1:]) or "none" for names in rows["alike"]]
    repeated = {epsilon: rows["epsilon"], **columns, "not significantly worse": others}
    table = pd.DataFrame({first: _guarantee_labels(rows), **repeated})
    guarantee = rows["guarantee"]
    deltas = rows["delta"].groupby(guarantee).transform("nunique")
    group = [guarantee, *(table[name] for name in repeated)]
    is_same = (table.groupby(group)[first].transform("size") == deltas) & (deltas > 1)
    every = guarantee.map(_label) + ", every δ"
    return table.assign(**{first: table[first].mask(is_same, every)}).drop_duplicates()


def _headings(subject: Subject) -> tuple[str, str]:
    """Return the headings of the columns that contain guarantees and ε."""
    return ("guarantee", "ε") if subject.is_private else ("noise", "scale parameter ε")


def _measure(metric: str) -> str:
    """Return the name of a metric that readers see."""
    if metric not in METRICS:
        return metric
    return METRICS[metric].label + " of proportions" * (metric in DIVERGENCES)


def _label(guarantee: Any) -> str:
    """Return the guarantee of a release as text, or that of its noise if the release has none."""
    return str(guarantee).removeprefix("none, ")


def _guarantee_labels(rows: pd.DataFrame) -> list[str]:
    """Return each row's guarantee as text, with its δ if it has one."""
    return [
        _label(guarantee) + ("" if pd.isna(delta) else f", δ = {exactly(delta)}")
        for guarantee, delta in zip(rows["guarantee"], rows["delta"], strict=True)
    ]


def _means_with_errors(rows: pd.DataFrame) -> list[str]:
    """Return each mean with its standard error, as text."""
    return [
        _rounded(mean) + ("" if pd.isna(se) else f" ± {in_words(se, 2)}")
        for mean, se in zip(rows["mean"], rows["se"], strict=True)
    ]


def _rounded(mean: float) -> str:
    """Return a mean with four digits, and without decimals if it is large, as text."""
    return in_words(mean, 4) if abs(mean) < LARGE_MEAN else in_words(round(mean))
