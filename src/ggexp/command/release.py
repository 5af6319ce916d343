"""A release of somebody's table: the noise, what it guarantees, and the two files."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ggexp.datasets.labelled import COUNT, LabelledTable
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.noise import Noise
from ggexp.releases.sanitize import sanitize
from ggexp.run.storage import replacing, write_csv

FLOATING = (
    "the noise is ordinary floating point from a generator that is not cryptographic: its last "
    "digits can tell the original counts, and its tails are finite. For confidential data use a "
    "library that is made for releases and reviewed, such as OpenDP or Tumult Core"
)
TOTAL = (
    "the total is taken as public: the release sums to that of the table, which the guarantee does "
    "not cover"
)
CELLS = (
    "which cells have a row is taken as public: if those without one were left out because nobody "
    "is in them, the release is not differentially private"
)
SEEDED = "the release is not private: whoever knows the seed can take the noise off again"


def describe(
    table: LabelledTable,
    noise: Noise,
    guarantee: Guarantee,
    calibration: str,
    epsilon: float,
    delta: float | None,
    seed: int | None,
) -> dict[str, Any]:
    """Return what a release guarantees, and what it does not, as JSON can hold it.

    guarantee: of the release, that is after clamping and rescaling.
    """
    cells = CELLS
    if table.absent:
        possible = table.absent + table.counts.size
        cells = f"{table.absent:,} of {possible:,} combinations of levels have no row; {CELLS}"
    return {
        "guarantee": guarantee if seed is None else None,
        "epsilon": epsilon,
        "delta": delta if guarantee.has_delta else None,
        "neighbours": "add-remove",
        "sensitivity": 1,
        "order": getattr(noise, "order", None),
        "calibration": calibration,
        **{"scale": None, "bound": None, **noise.numbers},
        "sd": noise.sd,
        "cells": table.counts.size,
        "total": int(table.counts.sum()),
        "seed": seed,
        "warnings": ([] if seed is None else [SEEDED]) + [FLOATING, TOTAL, cells],
        "made_by": f"ggexp {version('ggexp')}",
    }


def write(
    table: LabelledTable,
    noise: Noise,
    seed: int | None,
    statement: dict[str, Any],
    output: Path,
    sidecar: Path,
) -> None:
    """Write one release as CSV, labelled as the table is, and the statement as JSON.

    seed: None draws the noise from the operating system's entropy. The statement is there first, so
    that no release is without one. Counts have ten significant digits.
    """
    released = sanitize(table.counts, noise, np.random.default_rng(seed))
    with replacing(sidecar) as temporary:
        text = json.dumps(statement, indent=2, ensure_ascii=False)
        temporary.write_text(f"{text}\n", "utf-8")
    try:
        write_csv(pd.DataFrame(table.labels | {COUNT: released}), output)
    except BaseException:
        sidecar.unlink(missing_ok=True)
        raise
