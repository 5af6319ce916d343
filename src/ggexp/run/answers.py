"""The recommendation of a run in words: an answer, sentences and tables for each data set."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import pandas as pd

from ggexp.run.answer_tables import (
    AT_MOST,
    Subject,
    all_under,
    errors_table,
    needed_table,
    others_table,
    stated,
)

#: The relative errors that the answer names, the first that the run reaches.
ASKED = (0.1, 0.2)


def answers(
    recommended: pd.DataFrame,
    needed: pd.DataFrame,
    labels: Mapping[str, str],
    subjects: Mapping[str, Subject],
    unlearned: pd.DataFrame,
) -> list[dict[str, Any]]:
    """Return the recommendation for each data set, in the order of the subjects.

    recommended, needed: recommendation.csv and needed_epsilon.csv. labels: metric -> what people
        read of it, where that is another word. unlearned: of `ggexp.experiment.recommendation`.

    Each has dataset, note (what its guarantee covers, or None), is_private, answer (a sentence),
    contents, errors, others, needed (tables, None if they have no row), sentences and before (a
    paragraph on the ε that is chosen without the data, or None).
    """
    answers = []
    for dataset, subject in subjects.items():
        best = recommended[recommended["dataset"] == dataset]
        if best.empty:
            continue
        errors = needed[needed["dataset"] == dataset]
        contents = subject.contents and pd.DataFrame(
            subject.contents.items(), columns=["histogram of", dataset]
        )
        answers.append(
            {
                "dataset": dataset,
                "is_private": subject.is_private,
                "note": _note(subject),
                "answer": _answer(best, errors, subject),
                "contents": contents,
                "sentences": [
                    *_sentences(best, labels),
                    *_nothing(unlearned[unlearned["dataset"] == dataset], {*best["epsilon"]}),
                    *_not_reached(best, errors),
                ],
                "needed": needed_table(errors, subject),
                "before": _before(errors),
                "errors": errors_table(best, subject),
                "others": others_table(best, labels, subject),
            }
        )
    return answers


def in_short(answers: Sequence[Mapping[str, Any]]) -> str:
    """Return the answers of some data sets, and what the guarantees cover, as plain text."""
    notes: dict[str, list[str]] = {}
    for answer in answers:
        if answer["note"]:
            notes.setdefault(answer["note"], []).append(answer["dataset"])
    lines = [f"{answer['dataset']}: {answer['answer']}" for answer in answers]
    lines += [f"{', '.join(names)}: {note}" for note, names in notes.items()]
    return "\n".join([*lines, ""]).replace("\u00a0", " ")


def not_compared(left_out: pd.DataFrame) -> Iterator[str]:
    """Yield for each mechanism the ε and δ at which its noise does not satisfy its guarantee.

    left_out: of `ggexp.experiment.recommendation`.
    """
    for mechanism, rows in left_out.groupby("mechanism", sort=False):
        places = "; ".join(
            f"ε = {row['epsilon']:g} and δ = {row['delta']:g} (exact δ: {row['exact_delta']:.2g})"
            for row in rows.to_dict("records")
        )
        yield (
            f"{mechanism} is not compared at these points, because its noise does not satisfy its "
            f"guarantee: {places}."
        )


def _note(subject: Subject) -> str | None:
    """Return what the guarantee covers."""
    if not subject.is_private:
        return (
            "Not differentially private. Only the non-empty cells are sanitized, without a "
            "threshold: a cell with a single person reveals that person. Here ε is only a scale "
            "parameter of the noise, not a guarantee."
        )
    if not subject.is_own:
        return None
    return (
        "The columns, their levels and bins, and n (to which counts are rescaled) are assumed "
        "public. The guarantee does not cover their choice if they were proposed from the data, as "
        "ggexp describe does."
    )


def _answer(best: pd.DataFrame, needed: pd.DataFrame, subject: Subject) -> str:
    """Return the recommended mechanism and ε in a sentence."""
    reached = needed[needed["how"] != "not reached"]
    asked = [share for share in ASKED if (reached["within"] == share).any()]
    if asked:
        first, *others = reached[reached["within"] == asked[0]].to_dict("records")
        error = f"an l₁ error of {100 * asked[0]:g} % of n"
        reason = f"{error} needs {_parameters(first, subject)}"
        mechanism = first["mechanism"]
        less = min(others, key=lambda row: row["epsilon"], default=first)
        if less["epsilon"] < first["epsilon"] and less["mechanism"] != mechanism:
            reason += f"; the {less['mechanism']} mechanism needs {_parameters(less, subject)}"
    else:
        l1 = best[best["metric"] == "l1"]
        row = l1[l1["guarantee"] == l1["guarantee"].iloc[0]].nlargest(1, "epsilon").iloc[0]
        mechanism, reason = row["mechanism"], "the table has no records"
        if pd.notna(row["relative"]):
            reason = (
                f"no ε of this run gives an l₁ error of {100 * ASKED[-1]:g} % of n or less: at ε = "
                f"{row['epsilon']:g} it is {100 * row['relative']:.3g} %. Fewer columns or wider "
                "bins give smaller relative errors"
            )
    start = "Use" if subject.is_private else "Not differentially private. Of these, use"
    return f"{start} the {mechanism} mechanism; {reason}."


def _parameters(row: Mapping[Any, Any], subject: Subject) -> str:
    """Return the ε and δ that an error needs, as parts of a sentence."""
    name = "ε" if subject.is_private else "the scale parameter ε"
    sign = "≤" if row["how"] == AT_MOST else "≈"
    delta = "" if pd.isna(row["delta"]) else f" and δ = {row['delta']:g}"
    return f"{name}\u00a0{sign}\u00a0{row['epsilon']:.2g}{delta}"


def _sentences(best: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[str]:
    """Yield for each guarantee and measure the recommended mechanisms, with their grid points."""
    for guarantee, rows in best.groupby("guarantee", sort=False):
        if rows["runner_up"].isna().all():
            yield f"{stated(guarantee)}: only {rows['mechanism'].iloc[0]} was run."
            continue
        for metric, group in rows.groupby("metric", sort=False):
            taken = group["mechanism"].value_counts(sort=False)
            clear = group.loc[group["clear"], "mechanism"].value_counts()
            places = ", ".join(
                f"{name} at {times} of {len(group)} grid points"
                + (f" (significantly better at {clear[name]})" if name in clear else "")
                for name, times in taken.items()
            )
            yield f"{stated(guarantee)}, by {labels.get(str(metric), metric)}: use {places}."


def _nothing(unlearned: pd.DataFrame, epsilons: Set[float]) -> Iterator[str]:
    """Yield the mechanisms whose classifiers learned nothing; epsilons: all ε of the run."""
    at: dict[str, list[str]] = {}
    for mechanism, rows in unlearned.groupby("mechanism", sort=False):
        some = {*rows["epsilon"]}
        listed = ", ".join(f"{epsilon:g}" for epsilon in sorted(some))
        at.setdefault("every ε" if some >= epsilons else f"ε = {listed}", []).append(str(mechanism))
    if at:
        places = "; ".join(f"{', '.join(names)} at {where}" for where, names in at.items())
        yield (
            "Classifiers that learned nothing are not ranked: their accuracy is at most three "
            f"standard errors above that of the majority class. They are {places}."
        )


def _not_reached(best: pd.DataFrame, needed: pd.DataFrame) -> Iterator[str]:
    """Yield the relative errors that no ε of the run reaches."""
    rows = needed[needed["how"] == "not reached"]
    lacking: dict[str, list[str]] = {}
    for share, group in rows.groupby("within", sort=False):
        under = all_under(group)
        places = "" if len(under) == len(needed) / needed["within"].nunique() else "; ".join(under)
        lacking.setdefault(places, []).append(f"{100 * float(str(share)):g} %")
    if lacking:
        places = ", and ".join(
            ", ".join(shares) + " of n" + (f" under {under}" if under else "")
            for under, shares in lacking.items()
        )
        yield f"No ε up to {best['epsilon'].max():g} reduces the l₁ error to {places}."


def _before(needed: pd.DataFrame) -> str | None:
    """Return an explanation of the ε that is chosen without the data."""
    if needed["epsilon_without_data"].isna().all():
        return None
    return (
        "At the ε without the data, the least whole-number noise satisfies the bound with a "
        "probability of 95 % for every table with this number of cells and records (ggexp need). "
        "This ε may be published only if the cells and n were fixed without a look at the data. "
        "Columns and bins that ggexp describe proposes are not. The ε measured on the data reveals "
        "something about them."
    )
