"""A release of a user's table: the counts, the statement of the guarantee, and their files."""

import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from math import ceil
from pathlib import Path
from typing import Any, cast

import numpy as np
import yaml
from numpy.typing import NDArray

from ggexp.command.mechanism import NoisyCounts
from ggexp.mechanisms.exact import ExactSampler
from ggexp.mechanisms.integer_valued import IntegerValuedNoise
from ggexp.mechanisms.noise import Noise
from ggexp.releases.declared import Declared
from ggexp.releases.sanitize import rescale
from ggexp.run.storage import replacing, to_csv

Sampler = Callable[[int], NDArray[Any]]

#: Above this ε, the guarantee hardly means anything.
MAX_MEANINGFUL_EPSILON = 10
#: The texts of notes and warnings; braces stand for values.
TEXTS: dict[str, str] = yaml.safe_load(Path(__file__).with_name("notes.yaml").read_text("utf-8"))


def sampler(noise: Noise, seed: int | None) -> Sampler:
    """Return a function that draws the noise for a number of cells.

    seed: the seed of a reproducible generator. If it is None, integer-valued noise is drawn
        exactly, from the operating system's random bits, and other noise in floating point, by a
        generator that is seeded with such bits.
    Raises ValueError for noise with too many values to be drawn exactly.
    """
    if noise.is_integer_valued and seed is None:
        return ExactSampler(cast(IntegerValuedNoise, noise)).sample
    rng = np.random.default_rng(seed)
    if noise.is_integer_valued:
        return lambda cells: noise.sample(rng, cells).astype(np.int64)
    return partial(noise.sample, rng)


def release_counts(
    counts: NDArray[np.int64], sample: Sampler, *, rescaled: bool = False
) -> NDArray[Any]:
    """Return one release of counts: the counts with noise, and 0 instead of negative results.

    sample: a function that `sampler` returned.
    rescaled: whether the counts are also clamped at their total and rescaled to sum to it, which
        makes the total public (`ggexp.releases.sanitize`). Without rescaling, counts with
        integer-valued noise are whole numbers.
    """
    released = np.maximum(counts + sample(counts.size), 0)
    if not rescaled:
        return released
    total = int(counts.sum())
    return rescale(np.minimum(released, total).astype(np.float64), total)


def describe(
    declared: Declared, noisy: NoisyCounts, *, seed: int | None, rescaled: bool
) -> dict[str, Any]:
    """Return the guarantee of a release, its assumptions and its limits, in a form for JSON.

    The result is a function of the design and the noise. It does not depend on the counts, except
    for the total of a rescaled release, which its neighbours share.
    """
    noise, table = noisy.noise, declared.table
    cells_per_record = declared.cells_per_record
    # if a record is replaced, the cells of the old one and of the new one change
    epsilon, delta = noisy.of_counts(cells_per_record * (2 if rescaled else 1))
    is_exact = noise.is_integer_valued and seed is None
    guarantee_holds: str | None = "for the released file"
    warnings = []
    if seed is not None:
        guarantee_holds, warnings = None, [TEXTS["known_seed"]]
    elif not is_exact:
        guarantee_holds, warnings = "in exact arithmetic", [TEXTS["floating_point"]]
    if epsilon > MAX_MEANINGFUL_EPSILON:
        warnings.append(TEXTS["large_epsilon"].format(epsilon))
    if rescaled:
        warnings.append(TEXTS["public_total"])
    notes = [TEXTS["record_replaced" if rescaled else "record_more"], TEXTS["design"]]
    if declared.from_file:
        notes.append(TEXTS["levels_from_file"].format(", ".join(declared.from_file)))
    if cells_per_record > 1:
        notes.append(TEXTS["totals"].format(cells_per_record))
    return {
        "guarantee": noisy.guarantee if seed is None else None,
        "guarantee_holds": guarantee_holds,
        "epsilon": epsilon,
        "delta": delta,
        "neighbours": "replace-one" if rescaled else "add-remove",
        "cells_per_record": cells_per_record,
        "epsilon_of_a_count": noisy.epsilon,
        "delta_of_a_count": noisy.delta,
        "sensitivity": 1,
        "order": getattr(noise, "order", None),
        "calibration": noisy.calibration,
        **{"scale": None, "bound": None, **noise.numbers},
        "sd": noise.sd,
        "error_of_19_in_20": _error(noise, 1 / 20),
        "error_of_99_in_100": _error(noise, 1 / 100),
        "integer_valued_noise": noise.is_integer_valued,
        "sampler": "exact" if is_exact else "floating point",
        "seed": seed,
        "counts": _processing(noise, rescaled),
        "total": table.total if rescaled else None,
        "cells": table.counts.size,
        "levels": table.factors,
        "levels_from_file": declared.from_file,
        "totals": declared.totals,
        "notes": [*notes, TEXTS["composition"]] if seed is None else [],
        "warnings": warnings,
        "made_by": f"ggexp {version('ggexp')}",
    }


def in_short(statement: dict[str, Any]) -> dict[str, str]:
    """Return the most important parts of a statement as text: guarantee, noise and counts."""
    values = parameters(statement["epsilon"], statement["delta"])
    guarantee = (
        f"{statement['guarantee']} at {values} ({statement['neighbours']}), "
        f"{statement['guarantee_holds']}"
    )
    kind = "integer-valued" if statement["integer_valued_noise"] else "real-valued"
    return {
        "guarantee": "none" if statement["guarantee"] is None else guarantee,
        "noise": f"{statement['calibration']}, {kind}, sd {statement['sd']:.6g}, "
        f"{statement['sampler']} sampler",
        "counts": statement["counts"],
    }


def parameters(epsilon: float, delta: float | None) -> str:
    """Return ε and δ as text."""
    return f"ε = {epsilon:.15g}" + ("" if delta is None else f" and δ = {delta:.15g}")


def write(
    declared: Declared,
    released: NDArray[Any],
    statement: dict[str, Any],
    page: str,
    files: tuple[Path, Path, Path],
) -> None:
    """Write released counts as CSV, the statement as JSON, and the page that explains it.

    files: the paths of these three files.
    The statement and the page are written first, so that there is never a release without them.
    Counts that are not whole numbers have ten significant digits.
    """
    output, sidecar, explanation = files
    text = json.dumps(statement, indent=2, ensure_ascii=False)
    try:
        for file, content in ((sidecar, f"{text}\n"), (explanation, page)):
            with replacing(file) as temporary:
                temporary.write_text(content, "utf-8")
        with replacing(output) as temporary:
            to_csv(declared.table.labels.assign(**{declared.name: released}), temporary)
    except BaseException:
        sidecar.unlink(missing_ok=True)
        explanation.unlink(missing_ok=True)
        raise


def _error(noise: Noise, probability: float) -> float | int | None:
    """Return the error that a count exceeds with a probability, None if it is not known."""
    if noise.lacks("upper_point"):
        return None
    error = noise.upper_point(probability / 2)
    return ceil(error) if noise.is_integer_valued else error


def _processing(noise: Noise, rescaled: bool) -> str:
    """Return a text on the post-processing of the noisy counts."""
    if rescaled:
        return "clamped at 0 and at the total, then rescaled to sum to the total"
    return f"{'whole numbers, ' * noise.is_integer_valued}negative counts set to 0, no upper bound"
