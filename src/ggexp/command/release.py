"""A release of a user's table: the counts, the statement of the guarantee, and their files."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.contingency import MAX_CELLS, ContingencyTable
from ggexp.mechanisms.exact import ExactSampler
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.whole_noise import WholeNoise
from ggexp.releases.sanitize import rescale
from ggexp.run.storage import replacing, to_csv

Sampler = Callable[[int], NDArray[Any]]

RECORDS_NOTE = (
    "the guarantee is for one record more or less; it is weaker for a person with several records"
)
LEVELS_NOTE = (
    "the levels are assumed public: the guarantee does not cover which levels the table lists"
)
COMPOSITION_NOTE = "for several releases of the same records, their ε and their δ add up"
TOTAL_WARNING = (
    "the total is assumed public: the released counts sum to the table's total, which the "
    "guarantee does not cover"
)
FLOATING_POINT_WARNING = (
    "the noise is drawn in floating point, by a generator that is not cryptographic: the last "
    "digits of a released count can reveal the true count; therefore the guarantee holds in exact "
    "arithmetic, not for this file; whole-number noise does not have this weakness"
)
ABSENT_WARNING = (
    "which cells have a row is assumed public: if rows were left out because their cells are "
    "empty, the release is not differentially private"
)
SEED_WARNING = "the release is not private: anyone who knows the seed can subtract the noise"


def sampler(noise: Noise, seed: int | None) -> Sampler:
    """Return a function that draws the noise for a number of cells.

    seed: the seed of a reproducible generator. If it is None, whole-number noise is drawn exactly,
        from the operating system's random bits, and other noise is drawn in floating point, by a
        generator that is seeded with such bits.
    Raises ValueError for noise with too many values to be drawn exactly.
    """
    if noise.is_whole and seed is None:
        return ExactSampler(cast(WholeNoise, noise)).sample
    rng = np.random.default_rng(seed)
    if noise.is_whole:
        return lambda cells: noise.sample(rng, cells).astype(np.int64)
    return partial(noise.sample, rng)


def release_counts(
    counts: NDArray[np.int64], sample: Sampler, *, rescaled: bool = False
) -> NDArray[Any]:
    """Return one release of counts: the counts with noise, and 0 instead of negative results.

    sample: a function that `sampler` returned.
    rescaled: whether the counts are also clamped at their total and rescaled to sum to it, which
        makes the total public (`ggexp.releases.sanitize`). Without rescaling, counts with
        whole-number noise are whole numbers.
    """
    released = np.maximum(counts + sample(counts.size), 0)
    if not rescaled:
        return released
    total = int(counts.sum())
    return rescale(np.minimum(released, total).astype(np.float64), total)


def describe(
    table: ContingencyTable,
    noise: Noise,
    guarantee: Guarantee,
    calibration: str,
    epsilon: float,
    delta: float | None,
    *,
    seed: int | None,
    rescaled: bool,
    messages: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the guarantee of a release, its assumptions and its limits, in a form for JSON.

    guarantee: the guarantee of the released counts, after post-processing.
    No part of the result depends on the counts, except the total of a rescaled release.
    """
    is_exact = noise.is_whole and seed is None
    guarantee_holds: str | None = "for the released file"
    warnings = []
    if seed is not None:
        guarantee_holds, warnings = None, [SEED_WARNING]
    elif not is_exact:
        guarantee_holds, warnings = "in exact arithmetic", [FLOATING_POINT_WARNING]
    if rescaled:
        warnings.append(TOTAL_WARNING)
    if table.absent:
        warnings.append(_absent_warning(table))
    warnings.extend(messages)
    return {
        "guarantee": guarantee if seed is None else None,
        "guarantee_holds": guarantee_holds,
        "epsilon": epsilon,
        "delta": delta if guarantee.has_delta else None,
        "neighbours": "add-remove",
        "sensitivity": 1,
        "order": getattr(noise, "order", None),
        "calibration": calibration,
        **{"scale": None, "bound": None, **noise.numbers},
        "sd": noise.sd,
        "whole_number_noise": noise.is_whole,
        "sampler": "exact" if is_exact else "floating point",
        "seed": seed,
        "counts": _processing(noise, rescaled),
        "total": table.total if rescaled else None,
        "cells": table.counts.size,
        "levels": table.factors,
        "notes": [RECORDS_NOTE, LEVELS_NOTE, COMPOSITION_NOTE] if seed is None else [],
        "warnings": warnings,
        "made_by": f"ggexp {version('ggexp')}",
    }


def in_short(statement: dict[str, Any]) -> dict[str, str]:
    """Return the most important parts of a statement as text: guarantee, noise and counts."""
    parameters = f"ε = {statement['epsilon']:g}"
    if statement["delta"] is not None:
        parameters += f" and δ = {statement['delta']:g}"
    guarantee = f"{statement['guarantee']} at {parameters}, {statement['guarantee_holds']}"
    kind = "whole-number" if statement["whole_number_noise"] else "real-valued"
    return {
        "guarantee": "none" if statement["guarantee"] is None else guarantee,
        "noise": f"{statement['calibration']}, {kind}, sd {statement['sd']:.6g}, "
        f"{statement['sampler']} sampler",
        "counts": statement["counts"],
    }


def write(
    table: ContingencyTable,
    name: str,
    released: NDArray[Any],
    statement: dict[str, Any],
    output: Path,
    sidecar: Path,
) -> None:
    """Write the labels of a table and released counts as CSV, and the statement as JSON.

    name: the name of the column of counts.
    The statement is written first, so that there is never a release without one. Counts that are
    not whole numbers have ten significant digits.
    """
    with replacing(sidecar) as temporary:
        text = json.dumps(statement, indent=2, ensure_ascii=False)
        temporary.write_text(f"{text}\n", "utf-8")
    try:
        with replacing(output) as temporary:
            to_csv(table.labels.assign(**{name: released}), temporary)
    except BaseException:
        sidecar.unlink(missing_ok=True)
        raise


def _processing(noise: Noise, rescaled: bool) -> str:
    """Return a text on the post-processing of the noisy counts."""
    if rescaled:
        return "clamped at 0 and at the total, then rescaled to sum to the total"
    return f"{'whole numbers, ' * noise.is_whole}negative counts set to 0, no upper bound"


def _absent_warning(table: ContingencyTable) -> str:
    """Return a warning about combinations of levels that have no row."""
    possible = table.absent + table.counts.size
    if possible > MAX_CELLS:
        return (
            f"most of more than {MAX_CELLS:,} combinations of levels have no row; {ABSENT_WARNING}"
        )
    return (
        f"{table.absent:,} of {possible:,} combinations of levels have no row; {ABSENT_WARNING}; "
        "--complete adds them as cells with the count 0"
    )
