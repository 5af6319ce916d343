"""The choices of four kinds, and the sub-designs that combine their alternatives."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ggexp.experiment.keys import Multiverse

#: A choice -> its alternative.
Reading = dict[str, str]
#: The choices of which each combination is one job, as far as a factorial varies them.
OUTER = ("seed", "bins", "scaling")
#: The kinds of choices that are not open.
CORRECTION, REPETITION, THRESHOLD = "correction", "repetition", "threshold"


@dataclass(frozen=True)
class Factorial:
    """A sub-design: the product of the alternatives of some choices, the others being ours.

    datasets: as claims name them. module: the module of this package that measures the releases.
    repeats: releases at each grid point. varies: choice -> its alternatives, in their order.
    ours: every choice -> the alternative of the paper's design.
    """

    name: str
    datasets: Sequence[str]
    module: str
    repeats: int
    varies: Mapping[str, Sequence[str]]
    ours: Reading

    def readings(self, choices: Collection[str] | None = None) -> list[Reading]:
        """Return all combinations of the alternatives of some varied choices (None: of all)."""
        names = [name for name in self.varies if choices is None or name in choices]
        return [
            dict(zip(names, combination, strict=True))
            for combination in product(*(self.varies[name] for name in names))
        ]

    def alternatives(self, choice: str) -> Sequence[str]:
        """Return the alternatives of a choice; ours alone if the factorial does not vary it."""
        return self.varies.get(choice, [self.ours[choice]])

    def complete(self, reading: Reading) -> Reading:
        """Return a reading with ours for every other choice."""
        return {**self.ours, **reading}

    def parts(self) -> dict[str, Reading]:
        """Return the name of each job's part of the table, and its alternatives of `OUTER`."""
        return {
            "_".join(f"{choice}-{name}" for choice, name in reading.items()) or "all": reading
            for reading in self.readings(OUTER)
        }


def read_factorials(section: "Multiverse", repeats: int) -> dict[str, Factorial]:
    """Return the factorials of the configuration's section ``multiverse``, by their names.

    repeats: the largest number of repeats of any factorial.
    Raises ValueError for an unknown choice, and for one that is a threshold.
    """
    choices = section.choices
    measured = [name for name, choice in choices.items() if choice.kind != THRESHOLD]
    ours = {name: choice.ours for name, choice in choices.items()}
    factorials = {}
    for name, settings in section.factorials.items():
        if unknown := [choice for choice in settings.varies if choice not in measured]:
            raise ValueError(
                f"multiverse.factorials.{name}.varies: unknown choice {unknown[0]!r}; "
                f"allowed: {', '.join(measured)}"
            )
        limits = settings.first | section.first
        # in the order of the choices, so that parts of tables have the same columns
        varies = {
            choice: [*choices[choice].alternatives][: limits.get(choice)]
            for choice in choices
            if choice in settings.varies
        }
        known = settings.datasets, settings.module, min(settings.repeats, repeats)
        factorials[name] = Factorial(name, *known, varies, ours)
    return factorials
