"""The statement of a release: its guarantee, its assumptions and limits, and the size of its noise.

A statement is a typed record of facts. Its sentences, notes and warnings are computed from them, in
the words of ``statement.yaml``; JSON, the page and the terminal's text come from these.
"""

import html
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from importlib.metadata import version
from math import ceil, exp
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, computed_field

from ggexp.datasets.table import Table
from ggexp.guarantees.advantage import best_guess
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.guarantee import Guarantee, of_group
from ggexp.mechanisms.noise import Noise
from ggexp.releases.noisy_counts import NoisyCounts
from ggexp.words import exactly, parameters, shortened, up

#: The parts of a statement that say how large the noise of a count is.
ERRORS = ("sd", "error_of_19_in_20", "error_of_99_in_100")
#: Above this ε, the guarantee hardly means anything.
MAX_MEANINGFUL_EPSILON = 10
#: The notes that are no part of the paragraph for a publication.
NOT_IN_METHODS = ("record_more", "record_replaced", "composition")
#: The texts of sentences, notes and warnings; braces stand for values.
TEXTS: dict[str, str] = yaml.load(
    Path(__file__).with_suffix(".yaml").read_text("utf-8"), yaml.CSafeLoader
)

Number = int | float | None
Processing = Literal["whole", "real", "rescaled", "consistent"]


class TableStatement(BaseModel):
    """One of several tables: its columns and cells, and those numbers of its noise that differ."""

    model_config = ConfigDict(frozen=True)
    file: str | None = None
    columns: list[str]
    cells: int
    order: Number = None
    scale: Number = None
    bound: Number = None
    log_ratio: Number = None
    excess: Number = None
    sd: Number = None
    error_of_19_in_20: Number = None
    error_of_99_in_100: Number = None


class Statement(BaseModel):
    """The guarantee of a release, its assumptions and its limits.

    The statement follows from the design and the noise alone, except for the total of a rescaled
    release, which its neighbours share. ``model_json_schema(mode="serialization")`` is the schema
    of its JSON.

    epsilon, delta: of all released cells together. epsilon_of_a_count, delta_of_a_count: None for
    several tables. scale, sd and the errors are None if the tables differ. processing: what was
    done to noisy counts. like_formulas: names and levels that a spreadsheet takes for formulas.
    """

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)
    guarantee: Guarantee | None
    guarantee_holds: str | None
    epsilon: float
    delta: float | None
    neighbours: Literal["add-remove", "replace-one"]
    cells_per_record: int
    epsilon_of_a_count: float | None
    delta_of_a_count: float | None
    sensitivity: int
    calibration: str
    order: Number
    scale: Number
    bound: Number
    log_ratio: Number = None
    excess: Number = None
    sd: Number
    error_of_19_in_20: Number
    error_of_99_in_100: Number
    integer_valued_noise: bool
    sampler: Literal["exact", "floating point"]
    seed: int | None
    processing: Processing
    total: int | None
    cells: int
    levels: dict[str, list[str]]
    levels_from_file: list[str]
    levels_from_codebook: list[str]
    missing_answers: Literal["counted", "omitted"] | None
    missing_texts: list[str]
    records_left_out: dict[str, list[str]]
    totals: dict[str, list[str]]
    like_formulas: list[str]
    made_by: str
    tables: list[TableStatement] | None = None

    @classmethod
    def of(
        cls,
        tables: Sequence[Table],
        facts: Mapping[str, Any],
        noisy: NoisyCounts,
        *,
        seed: int | None,
        rescaled: bool,
        is_consistent: bool,
    ) -> "Statement":
        """Return the statement on a release of tables. facts: those of `Design.facts`."""
        noise = noisy.noises[0]
        # if a record is replaced, the cells of the old one and of the new one change
        changed = 1 if noisy.is_joint else facts["cells_per_record"] * (2 if rescaled else 1)
        epsilon, delta = noisy.of_counts(changed)
        is_exact = noise.is_integer_valued and seed is None
        holds = "for the released file" if is_exact else "in exact arithmetic"
        processing: Processing = "whole" if noise.is_integer_valued else "real"
        if rescaled or is_consistent:
            processing = "rescaled" if rescaled else "consistent"
        numbers = [numbers_of(noise) for noise in noisy.noises]
        common: dict[str, Any] = {
            name: value if all(each[name] == value for each in numbers) else None
            for name, value in numbers[0].items()
        }
        several: dict[str, Any] = {}
        if noisy.is_joint:
            several["tables"] = [
                {"columns": [*each.factors], "cells": each.counts.size}
                | {name: own[name] for name in own if name in ERRORS or common[name] != own[name]}
                for each, own in zip(tables, numbers, strict=True)
            ]
        return cls(
            **common,
            **{**facts, "total": facts["total"] if rescaled else None},
            guarantee=noisy.guarantee if seed is None else None,
            guarantee_holds=holds if seed is None else None,
            epsilon=epsilon,
            delta=delta,
            neighbours="replace-one" if rescaled else "add-remove",
            epsilon_of_a_count=None if noisy.is_joint else noisy.epsilon,
            delta_of_a_count=None if noisy.is_joint else noisy.delta,
            sensitivity=1,
            calibration=noisy.calibration,
            integer_valued_noise=noise.is_integer_valued,
            sampler="exact" if is_exact else "floating point",
            seed=seed,
            processing=processing,
            made_by=f"ggexp {version('ggexp')}",
            **several,
        )

    def in_files(self, names: Sequence[str]) -> "Statement":
        """Return the statement with the names of the files of its tables."""
        if self.tables is None:
            return self
        pairs = zip(self.tables, names, strict=True)
        tables = [table.model_copy(update={"file": name}) for table, name in pairs]
        return self.model_copy(update={"tables": tables})

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def counts(self) -> str:
        """What was done to noisy counts."""
        return TEXTS[f"{self.processing}_counts"]

    @property
    def named_notes(self) -> dict[str, str]:
        """The assumptions and limits of the guarantee, by their names; none without a guarantee."""
        if self.guarantee is None:
            return {}
        replaced = self.neighbours == "replace-one"
        left_out = self.records_left_out.items()
        before = {
            "record_replaced" if replaced else "record_more": True,
            "design": True,
            "tables": self.tables and len(self.tables),
            "levels_from_file": ", ".join(self.levels_from_file),
            "levels_from_codebook": ", ".join(self.levels_from_codebook),
        }
        after = {
            "left_out": "; ".join(f"{', '.join(v)} in {name}" for name, v in left_out),
            "totals": self.totals and self.cells_per_record,
            "consistent": self.processing == "consistent",
            "rescaled": replaced,
            "composition": True,
        }
        return _written(before) | self.on_missing | _written(after)

    @cached_property
    def on_missing(self) -> dict[str, str]:
        """The notes on missing answers."""
        is_of_several = self.tables is not None and self.missing_answers == "omitted"
        name = f"missing_{self.missing_answers}{'_of_several' * is_of_several}"
        texts = (f"“{text}”" if text else "an empty field" for text in self.missing_texts)
        columns = self.missing_answers and " or ".join(self.levels)
        return _written({name: columns, "missing_texts": ", ".join(texts)})

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def notes(self) -> list[str]:
        """The assumptions and limits of the guarantee."""
        return [*self.named_notes.values()]

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def warnings(self) -> list[str]:
        """Weaknesses of this release."""
        warnings = {
            "known_seed": self.seed is not None,
            "floating_point": self.seed is None and self.sampler != "exact",
            "large_epsilon": self.epsilon > MAX_MEANINGFUL_EPSILON and exactly(self.epsilon),
            "public_total": self.total is not None,
            "formulas": shortened(", ".join(map(repr, self.like_formulas))),
        }
        return [*_written(warnings).values()]

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def methods(self) -> str | None:
        """A paragraph for the methods section of a publication, None without a guarantee."""
        if self.guarantee is None:
            return None
        errors = [table.error_of_19_in_20 for table in self._each]
        text = TEXTS["methods"].format(
            numbers="whole numbers" if self.integer_valued_noise else "numbers",
            sd=self._range_of_sds(up),
            tables=f"{len(self.tables)} tables" if self.tables else "the table",
            counts=self.counts,
            made_by=self.made_by,
            calibration=self.calibration,
        )
        sentences = [text, self.answer()]
        if known := [error for error in errors if error is not None]:
            sentences.append(TEXTS["methods_error"].format(up(max(known), 3)))
        notes = (n for name, n in self.named_notes.items() if name not in NOT_IN_METHODS)
        return " ".join([*sentences, *(f"{note[0].upper()}{note[1:]}." for note in notes)])

    def answer(self) -> str:
        """Return the sentence on the guarantee."""
        return TEXTS["answer"].format(
            approximate="" if self.delta is None else "approximate ",
            parameters=parameters(self.epsilon, self.delta),
            arithmetic="" if self.sampler == "exact" else " in exact arithmetic",
            neighbour=TEXTS[self.neighbours],
        )

    def sentences(self) -> dict[str, str]:
        """Return the sentences of the page by their names, the results of these methods."""
        names = ("answer", "likelihood", "guess", "of_two_records", "accuracy")
        return {name: getattr(self, name)() for name in names}

    def likelihood(self) -> str:
        """Return the sentence on how much likelier a record makes what the release shows."""
        plus = f", plus a probability of δ = {exactly(self.delta)}" if self.delta else ""
        return TEXTS[f"likelihood_{self.neighbours}"].format(
            up(exp(self.epsilon)) if self.epsilon < 100 else f"e^{exactly(self.epsilon)}", plus
        )

    @cached_property
    def budgets(self) -> tuple[Budget, Budget]:
        """The budgets of a person with one record and with two."""
        budget = Budget.given(self.epsilon, self.delta)
        return budget, of_group(budget, 2)

    def guess(self) -> str:
        """Return the sentences on the largest probability of a right guess."""
        best = best_guess(self.budgets[0])
        return TEXTS[f"guess_{self.neighbours}"].format(up(100 * best, 4))

    def of_two_records(self) -> str:
        """Return the sentence on the guarantee of a person with two records."""
        _, group = self.budgets
        text = f", and δ becomes {up(group.delta)}" if self.delta else ""
        text += ", which guarantees nothing" * (group.delta == 1)
        return TEXTS["two_records"].format(exactly(group.epsilon), text)

    def accuracy(self) -> str:
        """Return the sentences on how accurate the counts are."""
        if self.sd is None:
            return TEXTS["accuracy_of_each"]
        errors = (self.error_of_19_in_20, self.error_of_99_in_100)
        known = [up(error, 4) for error in errors if error is not None]
        sentences = [TEXTS["accuracy"].format(*known)] if len(known) == len(errors) else []
        each = " of every table" * bool(self.tables)
        return " ".join([*sentences, TEXTS["accuracy_sd"].format(each, up(self.sd))])

    def in_short(self) -> dict[str, str]:
        """Return guarantee, noise and counts as text."""
        values = parameters(self.epsilon, self.delta)
        guarantee = f"{self.guarantee} at {values} ({self.neighbours}), {self.guarantee_holds}"
        kind = "integer-valued" if self.integer_valued_noise else "real-valued"
        sd = self._range_of_sds(partial(up, digits=6))
        return {
            "guarantee": "none" if self.guarantee is None else guarantee,
            "noise": f"{self.calibration}, {kind}, sd {sd}, {self.sampler} sampler",
            "counts": self.counts,
        }

    def json_text(self) -> str:
        """Return the statement as JSON."""
        values = self.model_dump(mode="json", exclude_unset=True)
        return json.dumps(values, indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        """Return the statement as text, in lines."""
        return "\n".join(f"{name}: {text}" for name, text in self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the statement as a table, which notebooks show."""
        rows = "".join(
            f'<tr><th style="text-align: left; vertical-align: top">{name}</th>'
            f'<td style="text-align: left">{html.escape(text)}</td></tr>'
            for name, text in self._lines()
        )
        return f"<table>{rows}</table>"

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield from self.in_short().items()
        yield from (("warning", text) for text in self.warnings)
        yield from (("note", text) for text in self.notes)

    @property
    def _each(self) -> Sequence["Statement | TableStatement"]:
        """What has the errors of each table."""
        return self.tables or [self]

    def _range_of_sds(self, written: Callable[[float], str]) -> str:
        """Return the smallest and the largest standard deviation of the noise, as text."""
        sds = [each.sd for each in self._each if each.sd is not None]
        return " to ".join(dict.fromkeys(map(written, (min(sds), max(sds)))))


def numbers_of(noise: Noise) -> dict[str, Number]:
    """Return the parameters of noise and the size of its errors."""
    errors = (noise.sd, _error(noise, 1 / 20), _error(noise, 1 / 100))
    return {
        "order": getattr(noise, "order", None),
        **{"scale": None, "bound": None, **noise.numbers},
        **dict(zip(ERRORS, errors, strict=True)),
    }


def _error(noise: Noise, probability: float) -> float | int:
    """Return the error that a count exceeds with a probability."""
    error = noise.upper_point(probability / 2)
    return ceil(error) if noise.is_integer_valued else error


def _written(values: Mapping[str, object]) -> dict[str, str]:
    """Return the texts with these names, in which the values stand for braces."""
    return {name: TEXTS[name].format(value) for name, value in values.items() if value}
