"""The ε of a user's own table, computed without its counts: for a goal, or for a choice."""

import shlex
from contextlib import suppress
from math import ceil
from typing import Any, NamedTuple

from ggexp.experiment.recommendation import Subject
from ggexp.guarantees.advantage import best_guess
from ggexp.guarantees.integer_sums import ERROR
from ggexp.guarantees.table_error import (
    COUNT_ERRORS,
    EPSILONS,
    NeededEpsilon,
    TableError,
    epsilon_for_error,
    integer_valued_mechanism,
    table_error,
)
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.sensitivity import CHANGED_CELLS
from ggexp.words import exactly, rounded, up

#: The probability with which an error is small enough.
CONFIDENCE = 0.95
#: The ε of a count if every ε is enough.
SMALL_EPSILON = 0.01
#: A bound on the probability of a right guess that hardly protects anybody, if 0.5 is certain.
WEAK_GUESS = 0.95
#: What the adversary does not know, if records are added or removed, and if they are replaced.
PRESENT = "whether a certain person is in the table"
REPLACED = "which of two records a certain person has"
#: The card if no ε without the data is known: why, and what to do.
UNKNOWN = "No ε is known that is enough for every table of this size."
NOT_REACHED = (
    "For the goal, no ε up to 1024 is known to be enough; or every ε is. ggexp need says which."
)
#: The card without a goal.
NO_GOAL = "Choose ε by the error that you accept, and write it in place of EPSILON."
GOALS = (
    "With a goal, ggexp run names the smallest ε: --count-error 5 for one count, --max-error 5 for "
    "all counts at once, --l1 60 for the sum of their errors."
)
#: What ε is.
MEANING = (
    "ε is the privacy parameter: the smaller it is, the better each person is protected, and the "
    "larger is the noise."
)
UNLISTED_CELLS = (
    "The error depends on the number of empty cells, because they are not listed: choose fewer "
    "columns or wider bins, so that all cells can be listed (release.kind: all), or choose ε by "
    "the measured errors."
)
NOT_PUBLISHED = (
    "No command publishes this table with a public total, because the configuration leaves records "
    "out (missing or drop), and their number depends on their answers: write total: private."
)


class Card(NamedTuple):
    """The ε that is enough for every table of this size, or errors from which to choose it.

    epsilon: a sentence. meaning: sentences on errors and adversaries, or on what to do.
    command: the command that publishes the table, None if no command does.
    introduction: the sentence before the command.
    """

    epsilon: str
    meaning: list[str]
    command: str | None = None
    introduction: str = (
        "This command publishes the table once, with new noise, and states the guarantee:"
    )

    def lines(self, dataset: str) -> list[str]:
        """Return the card as plain text; a line that begins with a blank must not be wrapped."""
        command = [self.introduction, f"  {self.command}"] if self.command else []
        return [f"{dataset}: {' '.join([self.epsilon, *self.meaning])}", *command]


def card(subject: Subject, delta: float | None) -> Card | None:
    """Return the card of a data set, about the published table and the ε that the card prints.

    delta: None for ε-DP. The card depends on n only if n is public. It is None for the paper's data
    sets, and for releases that are not differentially private.
    """
    if not (subject.is_own and subject.is_private):
        return None
    if not subject.lists_cells:
        return Card(UNKNOWN, [UNLISTED_CELLS])
    if not subject.goal:
        return _choice(subject, delta)
    of_a_count = epsilon_of_a_count(subject, delta)
    if of_a_count is None:
        return Card(UNKNOWN, [NOT_REACHED])
    epsilon = of_a_count * _changed(subject)
    errors = _errors(of_a_count, delta, subject)
    guess = best_guess(Budget.given(epsilon, delta))
    size, share = f"{subject.cells:,} cells", ""
    if subject.is_rescaled:
        size += f" and {subject.published:,} records"
        share = f" ({up(100 * errors.l1 / max(subject.published, 1), 2)}\u00a0%)"
    meaning = [
        f"{MEANING} This ε is enough for every table with {size}, whatever the counts are:",
        f"in 19 of 20 releases, a published count is within ±{errors.count_error:,} of the true "
        f"count; in 19 of 20, all {subject.cells:,} counts are within ±{errors.max_error:,}; in 19 "
        f"of 20, their errors add up to at most {errors.l1:,} records{share}.",
        f"Somebody who knows everything except {REPLACED if subject.is_replaced else PRESENT}, and "
        "who considers both cases equally likely, guesses right in at most "
        f"{ceil(100 * guess)} of 100 cases; without the release, in 50.",
    ]
    if subject.is_replaced:
        meaning.append("A changed record is in two cells; each of them has half of this ε.")
    if guess > WEAK_GUESS:
        meaning.append(
            "This protects hardly anybody: fewer columns, or wider bins, need a smaller ε."
        )
    use = f"Use ε\u00a0=\u00a0{exactly(epsilon)}{_with(delta)}."
    return _with_command(use, meaning, subject, exactly(of_a_count), delta)


def epsilon_of_a_count(subject: Subject, delta: float | None) -> float | None:
    """Return the ε of each count, to two digits, that a data set's goal needs, None if none does.

    A release satisfies this ε, or twice this ε if a record that is replaced changes two counts.
    """
    found = _sufficient(subject, delta, **subject.goal)
    return found and rounded(found.epsilon or SMALL_EPSILON, 2)


def _sufficient(subject: Subject, delta: float | None, **goal: Any) -> NeededEpsilon | None:
    """Return the ε of a count that is enough for every table with these cells, None if none is."""
    goal |= {"cells": subject.cells, "rescale": subject.is_rescaled, "delta": delta}
    with suppress(ValueError):
        return epsilon_for_error(confidence=CONFIDENCE, **goal)
    return None


def _choice(subject: Subject, delta: float | None) -> Card:
    """Return a card without a recommended ε: errors of one count, and the ε that they need."""
    changed = _changed(subject)
    errors = [
        f"±{_errors(epsilon / changed, delta, subject).count_error:,} at ε = {exactly(epsilon)}"
        for epsilon in EPSILONS
    ]
    needs = [
        f"±{error} needs ε = {exactly(rounded(changed * needed.epsilon, 2))}"
        for error in COUNT_ERRORS
        if (needed := _sufficient(subject, delta, count_error=error))
    ]
    meaning = [
        f"{MEANING} In 19 of 20 releases, a published count is within {', '.join(errors)}"
        f"{_with(delta)} of the true count, whatever the counts are. {'; '.join(needs)}.",
        GOALS,
    ]
    return _with_command(NO_GOAL, meaning, subject, "EPSILON", delta)


def _with_command(
    epsilon: str, meaning: list[str], subject: Subject, of_a_count: str, delta: float | None
) -> Card:
    """Return a card with the command that publishes the table, or why there is none."""
    if subject.options is None:
        return Card(epsilon, [*meaning, NOT_PUBLISHED])
    words = ["ggexp", "sanitize", subject.file, "--config", subject.configuration]
    words += [*subject.options, "--epsilon", of_a_count]
    words += [] if delta is None else ["--delta", exactly(delta)]
    return Card(epsilon, meaning, shlex.join(words))


def _errors(of_a_count: float, delta: float | None, subject: Subject) -> TableError[int]:
    """Return errors that at most 5 % of releases of a table with this ε and δ of a count exceed."""
    noise = integer_valued_mechanism(None, None, delta).noise(epsilon=of_a_count, delta=delta)
    bounds = table_error(noise, subject.cells, rescale=subject.is_rescaled)
    return TableError(*(ceil(bound.upper_point(1 - CONFIDENCE - ERROR)) for bound in bounds))


def _changed(subject: Subject) -> int:
    """Return the number of counts that a changed record changes."""
    return CHANGED_CELLS["replace-one" if subject.is_replaced else "add-remove"]


def _with(delta: float | None) -> str:
    """Return the δ of a card, "" without one."""
    return "" if delta is None else f" (with δ = {exactly(delta)})"
