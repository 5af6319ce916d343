"""A release of a user's table: its noise, its statement of the guarantee, its page and files."""

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from math import ceil, exp
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import yaml
from numpy.typing import NDArray

from ggexp.datasets.columns import is_number
from ggexp.datasets.declared import Design
from ggexp.datasets.table import CODEBOOK, FILE, Table
from ggexp.guarantees.advantage import best_guess
from ggexp.mechanisms import guarantee
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import LEAST_NOISE, rule
from ggexp.mechanisms.exact import ExactSampler
from ggexp.mechanisms.guarantee import Guarantee, delta_of, of_group
from ggexp.mechanisms.integer_valued import IntegerValuedNoise
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.solver import rounded_up
from ggexp.ranges import AnyOrder
from ggexp.releases.simulate import rescale
from ggexp.run.storage import replacing, to_csv
from ggexp.run.templates import render
from ggexp.words import exactly, rounded, shortened, up

#: The parts of a statement that say how large the noise of a count is.
ERRORS = ("sd", "error_of_19_in_20", "error_of_99_in_100")
#: The number of significant digits of a composed ε, and of its δ.
DIGITS = 6
#: Largest number of characters of a factor's levels on the page, and of listed factors or tables.
MAX_LEVELS_LENGTH, MAX_FACTORS = 120, 8

Sampler = Callable[[int], NDArray[Any]]

#: Above this ε, the guarantee hardly means anything.
MAX_MEANINGFUL_EPSILON = 10
#: The texts of notes and warnings; braces stand for values.
TEXTS: dict[str, str] = yaml.safe_load(Path(__file__).with_name("notes.yaml").read_text("utf-8"))


class Promises(NamedTuple):
    """The numbers of the page's sentences on a guarantee.

    factor: no event is more than this times as likely with a record as without it, plus δ. guess:
    the largest probability of a right guess. epsilon_of_two, delta_of_two: for two records.
    """

    factor: float
    guess: float
    epsilon_of_two: float
    delta_of_two: float


@dataclass(frozen=True)
class NoisyCounts:
    """The noise on each count of a table, and the guarantee of one count, or of several tables.

    noises: of each table. calibration: their rule. guarantee: that of one count after
    post-processing, with its ε and δ; δ is None for ε-DP. is_joint: whether they are those of one
    count in each of several tables of the same records, together.
    """

    noises: Sequence[Noise]
    calibration: str
    guarantee: Guarantee
    epsilon: float
    delta: float | None
    is_joint: bool = False

    def of_counts(self, number: int) -> tuple[float, float | None]:
        """Return the ε and the δ of all counts, of which a number differ by 1 between neighbours.

        Under ε-DP, the ε of these counts add up. Otherwise δ is 1 - (1 - δ)^number, and ε is that
        of the exact composition of the noise at this δ, both rounded up to `DIGITS` digits.
        """
        if number == 1 or self.delta is None:
            return rounded_up(number * Fraction(self.epsilon)), self.delta
        from ggexp.guarantees.composition import Composition

        delta = rounded(rounded_up(1 - (1 - Fraction(self.delta)) ** number), DIGITS)
        bound = Composition([(self.noises[0], number)]).epsilon(delta=delta).pessimistic
        return rounded(bound, DIGITS), delta


def released_noise(
    order: AnyOrder,
    calibration: str | None,
    *,
    epsilon: float,
    delta: float | None,
    weights: Sequence[int] = (),
) -> NoisyCounts:
    """Return the noise for each count of one table, or of several tables of the same records.

    calibration: None chooses the smallest known integer-valued noise. weights: of several tables; a
    table of twice the weight of another one has about half its noise.
    Raises ValueError if the noise satisfies no guarantee.
    """
    budget: Any = {"epsilon": epsilon, "delta": delta}
    tables = len(weights) or 1
    if calibration is None and weights:
        from ggexp.tables.joint import smallest_integer_valued

        mechanism, noise = smallest_integer_valued(**budget, tables=tables)
    else:
        mechanism = Mechanism(order, calibration or LEAST_NOISE[delta is not None])
        # The warning that the noise is too small is raised as an error below.
        with warnings.catch_warnings(action="ignore"):
            noise = mechanism.noise(**budget, tables=tables)
    calibration = mechanism.calibration
    stated, spent = rule(calibration).guarantee, Budget(epsilon, delta or 0.0)
    satisfied = guarantee.of_release(stated, noise, spent, processed=True, cells=tables)
    if satisfied is None:
        exact = delta_of(noise, epsilon=epsilon, cells=tables)
        raise ValueError(guarantee.too_small_message(calibration, spent, exact))
    noises: Sequence[Noise] = [noise] * tables
    if len({*weights}) > 1:
        from ggexp.tables.joint import weighted

        noises = weighted(mechanism, **budget, weights=weights, equal=noise)
    delta = delta if satisfied.has_delta else None
    return NoisyCounts(noises, calibration, satisfied, epsilon, delta, is_joint=tables > 1)


def samplers(noises: Sequence[Noise], seed: int | None) -> list[Sampler]:
    """Return functions that draw the noise for a number of cells, reproducibly if they have a seed.

    Otherwise, integer-valued noise is drawn exactly, from the operating system's random bits, and
    other noise in floating point, by a generator that is seeded with such bits.
    """
    rng = np.random.default_rng(seed)

    def sampler(noise: Noise) -> Sampler:
        if not noise.is_integer_valued:
            return partial(noise.sample, rng)
        if seed is None:
            return ExactSampler(cast(IntegerValuedNoise, noise)).sample
        return lambda cells: noise.sample(rng, cells).astype(np.int64)

    return [sampler(noise) for noise in noises]


def release_counts(
    counts: NDArray[np.int64], sample: Sampler, *, rescaled: bool = False
) -> NDArray[Any]:
    """Return the counts with noise from one of the `samplers`, and 0 instead of negative results.

    rescaled: whether they are also clamped at their total and rescaled to sum to it, as in
        `ggexp.releases.simulate`; the total is then public.
    """
    released = np.maximum(counts + sample(counts.size), 0)
    if not rescaled:
        return released
    total = int(counts.sum())
    return rescale(np.minimum(released, total).astype(np.float64), total)


def release_tables(
    tables: Sequence[Table],
    noisy: NoisyCounts,
    *,
    seed: int | None,
    rescaled: bool,
    is_consistent: bool,
) -> list[NDArray[Any]]:
    """Return the counts of tables with noise, as from `release_counts`, or consistent."""
    drawn = zip(tables, samplers(noisy.noises, seed), strict=True)
    if not is_consistent:
        return [release_counts(each.counts, s, rescaled=rescaled) for each, s in drawn]
    from ggexp.tables.survey import consistent

    counts = {}
    for table, sample in drawn:
        true = table.counts.astype(np.float64)
        counts[(*table.factors,)] = (true + sample(true.size)).reshape(table.shape)
    variances = {c: noise.sd**2 for c, noise in zip(counts, noisy.noises, strict=True)}
    return [fitted.ravel() for fitted in consistent(counts, variances).values()]


def describe(
    tables: Sequence[Table],
    design: Design,
    files: Sequence[Path],
    noisy: NoisyCounts,
    *,
    seed: int | None,
    rescaled: bool,
    is_consistent: bool,
) -> dict[str, Any]:
    """Return the guarantee of a release, its assumptions and its limits, in a form for JSON.

    files: of the tables. The statement follows from the design and the noise alone, except for the
    total of a rescaled release, which its neighbours share.
    """
    noise, table = noisy.noises[0], tables[0]
    cells_per_record = len(tables) if noisy.is_joint else design.cells_per_record(table)
    # if a record is replaced, the cells of the old one and of the new one change
    changed = 1 if noisy.is_joint else cells_per_record * (2 if rescaled else 1)
    epsilon, delta = noisy.of_counts(changed)
    is_exact = noise.is_integer_valued and seed is None
    holds = "for the released file" if is_exact else "in exact arithmetic"
    warnings = {
        "known_seed": seed is not None,
        "floating_point": seed is None and not is_exact,
        "large_epsilon": epsilon > MAX_MEANINGFUL_EPSILON and exactly(epsilon),
        "public_total": rescaled,
        "formulas": shortened(", ".join(map(repr, _formulas(tables)))),
    }
    processing = "whole" if noise.is_integer_valued else "real"
    if rescaled or is_consistent:
        processing = "rescaled" if rescaled else "consistent"
    levels = {name: [*known] for each in tables for name, known in each.factors.items()}
    sources = {name: source for each in tables for name, source in each.sources.items()}
    from_file, codebook = (
        [name for name in levels if sources.get(name) == source] for source in (FILE, CODEBOOK)
    )
    missing = None
    if design.missing:
        missing = "counted" if design.counts_missing else "omitted"
    notes = {
        "record_replaced" if rescaled else "record_more": True,
        "design": True,
        "tables": noisy.is_joint and len(tables),
        "levels_from_file": ", ".join(from_file),
        "levels_from_codebook": ", ".join(codebook),
        **_on_missing(missing, design.missing, levels, is_joint=noisy.is_joint),
        "left_out": "; ".join(
            f"{', '.join(values)} in {name}" for name, values in design.left_out.items()
        ),
        "totals": not noisy.is_joint and cells_per_record > 1 and cells_per_record,
        "consistent": is_consistent,
        "rescaled": rescaled,
        "composition": True,
    }
    numbers = [numbers_of(noise) for noise in noisy.noises]
    common = {
        name: value if all(each[name] == value for each in numbers) else None
        for name, value in numbers[0].items()
    }
    statement = {
        "guarantee": noisy.guarantee if seed is None else None,
        "guarantee_holds": holds if seed is None else None,
        "epsilon": epsilon,
        "delta": delta,
        "neighbours": "replace-one" if rescaled else "add-remove",
        "cells_per_record": cells_per_record,
        "epsilon_of_a_count": None if noisy.is_joint else noisy.epsilon,
        "delta_of_a_count": None if noisy.is_joint else noisy.delta,
        "sensitivity": 1,
        "calibration": noisy.calibration,
        **common,
        "integer_valued_noise": noise.is_integer_valued,
        "sampler": "exact" if is_exact else "floating point",
        "seed": seed,
        "counts": TEXTS[f"{processing}_counts"],
        "total": table.total if rescaled else None,
        "cells": sum(each.counts.size for each in tables),
        "levels": levels,
        "levels_from_file": from_file,
        "levels_from_codebook": codebook,
        "missing_answers": missing,
        "missing_texts": design.missing,
        "records_left_out": design.left_out,
        "totals": design.kept_totals(table),
        "notes": _written(notes) if seed is None else [],
        "warnings": _written(warnings),
        "made_by": f"ggexp {version('ggexp')}",
    }
    if noisy.is_joint:
        statement["tables"] = [
            {"file": file.name, "columns": [*each.factors], "cells": each.counts.size}
            | {name: own[name] for name in own if name in ERRORS or common[name] != own[name]}
            for file, each, own in zip(files, tables, numbers, strict=True)
        ]
    statement["methods"] = None if seed is not None else methods(statement)
    return statement


def methods(statement: Mapping[str, Any]) -> str:
    """Return a paragraph on a private release, for the section on methods of a publication."""
    each = statement.get("tables", [statement])
    errors = [table["error_of_19_in_20"] for table in each]
    values = {
        "numbers": "whole numbers" if statement["integer_valued_noise"] else "numbers",
        "sd": _range_of_sds(statement, partial(up, digits=3)),
        "tables": f"{len(each)} tables" if "tables" in statement else "the table",
        "approximate": "approximate " * statement["guarantee"].has_delta,
        "parameters": parameters(statement["epsilon"], statement["delta"]),
        "neighbour": TEXTS[statement["neighbours"]],
        "arithmetic": "" if statement["sampler"] == "exact" else " in exact arithmetic",
    }
    text = TEXTS["methods"].format(**{**statement, **values})
    if None not in errors:
        text += TEXTS["methods_error"].format(up(max(errors), 3))
    # without the notes on several records and on several releases
    notes = statement["notes"][1:-1]
    return " ".join([text, *(f"{note[0].upper()}{note[1:]}." for note in notes)])


def _written(values: Mapping[str, Any]) -> list[str]:
    """Return the texts with these names, in which the values stand for braces."""
    return [TEXTS[name].format(value) for name, value in values.items() if value]


def _formulas(tables: Sequence[Table]) -> list[str]:
    """Return the names and the levels that a spreadsheet program takes for formulas."""
    texts = [
        text
        for each in tables
        for name, levels in [*each.factors.items(), (each.name, [])]
        for text in [name, *levels]
        if text.startswith(("=", "+", "-", "@")) and not is_number(text)
    ]
    return [*dict.fromkeys(texts)]


def in_short(statement: dict[str, Any]) -> dict[str, str]:
    """Return the most important parts of a statement as text: guarantee, noise and counts."""
    values = parameters(statement["epsilon"], statement["delta"])
    guarantee = (
        f"{statement['guarantee']} at {values} ({statement['neighbours']}), "
        f"{statement['guarantee_holds']}"
    )
    kind = "integer-valued" if statement["integer_valued_noise"] else "real-valued"
    sd = _range_of_sds(statement, "{:.6g}".format)
    return {
        "guarantee": "none" if statement["guarantee"] is None else guarantee,
        "noise": f"{statement['calibration']}, {kind}, sd {sd}, {statement['sampler']} sampler",
        "counts": statement["counts"],
    }


def _range_of_sds(statement: Mapping[str, Any], written: Callable[[float], str]) -> str:
    """Return the smallest and the largest standard deviation of the noise, as text."""
    sds = [each["sd"] for each in statement.get("tables", [statement])]
    return " to ".join(dict.fromkeys(map(written, (min(sds), max(sds)))))


def parameters(epsilon: float, delta: float | None) -> str:
    """Return ε and δ as text."""
    return f"ε = {exactly(epsilon)}" + ("" if delta is None else f" and δ = {exactly(delta)}")


def write(
    tables: Sequence[Table],
    released: Sequence[NDArray[Any]],
    statement: dict[str, Any],
    files: Sequence[Path],
) -> None:
    """Write tables as CSV, the statement as JSON, and the page that explains it.

    files: those of the statement, of the page and of each table. The statement and the page are
    written first, so that there is never a release without them.
    """
    sidecar, explanation, *outputs = files
    page = page_of(statement, [output.name for output in outputs], sidecar.name)
    text = json.dumps(statement, indent=2, ensure_ascii=False)
    try:
        for file, content in ((sidecar, f"{text}\n"), (explanation, page)):
            with replacing(file) as temporary:
                temporary.write_text(content, "utf-8")
        for output, table, counts in zip(outputs, tables, released, strict=True):
            with replacing(output) as temporary:
                to_csv(replace(table, counts=counts).cells, temporary)
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise


def _on_missing(
    missing: str | None, texts: Sequence[str], columns: Iterable[str], *, is_joint: bool
) -> dict[str, str]:
    """Return the names of the notes on missing answers, with their values.

    missing: "omitted", "counted" or None. texts: of a missing answer. columns: of the tables.
    """
    if missing is None:
        return {}
    name = f"missing_{missing}{'_of_several' * (is_joint and missing == 'omitted')}"
    return {
        name: " or ".join(columns),
        "missing_texts": ", ".join(text or "an empty field" for text in texts),
    }


def numbers_of(noise: Noise) -> dict[str, Any]:
    """Return the parameters of noise and the size of its errors."""
    errors = (noise.sd, _error(noise, 1 / 20), _error(noise, 1 / 100))
    return {
        "order": getattr(noise, "order", None),
        **{"scale": None, "bound": None, **noise.numbers},
        **dict(zip(ERRORS, errors, strict=True)),
    }


def _error(noise: Noise, probability: float) -> float | int | None:
    """Return the error that a count exceeds with a probability, None if it is not known."""
    if noise.lacks("upper_point"):
        return None
    error = noise.upper_point(probability / 2)
    return ceil(error) if noise.is_integer_valued else error


def page_of(statement: dict[str, Any], names: Sequence[str], statement_name: str) -> str:
    """Return the page that explains the statement of a release to the person who must approve it.

    names: the names of the released files. The page fits on one printed sheet.
    """
    on_missing = _on_missing(
        statement["missing_answers"],
        statement["missing_texts"],
        statement["levels"],
        is_joint="tables" in statement,
    )
    return render(
        Path(__file__).with_name("page.html.j2"),
        name=names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}",
        statement=statement_name,
        max_factors=MAX_FACTORS,
        max_levels_length=MAX_LEVELS_LENGTH,
        on_missing=_written(on_missing),
        promises=promises(statement["epsilon"], statement["delta"]),
        parameters=parameters,
        exactly=exactly,
        up=up,
        **{"tables": [], **statement},
    )


def promises(epsilon: float, delta: float | None) -> Promises:
    """Return the numbers of the page's sentences on a guarantee; δ is None for ε-DP."""
    of_two = of_group(epsilon=epsilon, delta=delta or 0.0, records=2)
    guess = best_guess(epsilon=epsilon, delta=delta or 0.0)
    return Promises(exp(min(epsilon, 700.0)), guess, *of_two)
