"""A table of one's own at every grid point, without the workflow: the same columns, and bits."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ggexp import checks
from ggexp.datasets.tables import LARGEST_TOTAL
from ggexp.experiment.design import BEST, Design
from ggexp.experiment.errors import measure_errors
from ggexp.mechanisms.mechanism import Mechanism

#: Where `run_grid` notes in a frame's attributes what it ran.
NOTE = "run_grid"


def run_grid(
    table: ArrayLike | pd.Series | pd.DataFrame,
    *,
    mechanisms: Mapping[str, Mechanism | Mapping[str, Any]],
    epsilon: Sequence[float],
    delta: Sequence[float] = (),
    repeats: int,
    seed: int,
    dataset: str = "own",
    pseudo_count: float = 0.5,
) -> pd.DataFrame:
    """Return the errors of repeated releases of a table at every grid point, a row a repeat.

    table: counts, whole numbers >= 0. A Series, whose MultiIndex names the cells; a DataFrame, with
        a row for each cell and a column ``count``, or a cross-table with nothing but counts; or an
        array. Cells are taken row by row; empty ones belong to the table.
    mechanisms: name -> `ggexp.Mechanism`, or what stands for one in a configuration, such as
        ``{"order": "best", "calibration": "adp-exact"}``.
    epsilon: each ε > 0. delta: each δ in (0, 1); may be empty if no mechanism has one.
    repeats: releases of each grid point, >= 1. seed: a whole number >= 0.
    dataset: what the table is called. Names, seed and grid point choose the random streams: the
        workflow has the same bits under the same names.
    pseudo_count: of the Kullback-Leibler divergence, see `ggexp.kl_dirichlet`.

    The columns are those of the workflow: dataset, mechanism, epsilon, delta (NaN where there is
    none), repeat (from 0), l1 (in records), kl, kl_reverse (in nats). The sensitivity is 1: one
    record more or less. A bar shows how many grid points are done. The frame's ``attrs`` say how it
    came about, the counts included, for `ggexp.plot_releases`: keep it like the table itself.
    Raises ValueError naming the argument, its value and what is allowed.

    >>> import pandas as pd
    >>> from ggexp import Mechanism, run_grid
    >>> eyes = pd.Series(
    ...     [68, 20, 15, 5],
    ...     index=pd.MultiIndex.from_product(
    ...         [["brown", "blue"], ["black", "blond"]], names=["eyes", "hair"]
    ...     ),
    ... )
    >>> errors = run_grid(
    ...     eyes,
    ...     mechanisms={"laplace": Mechanism(1, "pure"), "ggm-3": Mechanism(3, "pdp")},
    ...     epsilon=[0.5, 2],
    ...     delta=[0.1],
    ...     repeats=50,
    ...     seed=1,
    ... )
    >>> list(errors.columns)
    ['dataset', 'mechanism', 'epsilon', 'delta', 'repeat', 'l1', 'kl', 'kl_reverse']
    >>> means = errors.groupby(["mechanism", "epsilon"])["l1"].mean().unstack()
    >>> bool((means[2.0] < means[0.5]).all())
    True
    """
    from tqdm.auto import tqdm

    counts = counts_of(table)
    settings = {
        "seed": _whole("seed", seed, 0),
        "repeats": _whole("repeats", repeats, 1),
        "neighbours": "add-remove",
        "datasets": [dataset],
        "histograms": {dataset: {"mechanisms": list(mechanisms)}},
        "mechanisms": {name: _spelled_out(name, one) for name, one in mechanisms.items()},
        "epsilon": [float(one) for one in epsilon],
        "delta": [float(one) for one in delta],
    }
    checks.positive("pseudo_count", pseudo_count)
    design = Design.from_config(settings)
    points = design.scales[dataset]
    if not points:
        raise ValueError(
            "there is no grid point: mechanisms and epsilon must not be empty, nor delta of "
            f"mechanisms that have one, got {list(mechanisms)}, {list(epsilon)} and {list(delta)}"
        )
    frames = [
        pd.DataFrame(
            measure_errors(
                counts,
                point,
                scale,
                seed=design.seed,
                repeats=design.repeats,
                pseudo_count=pseudo_count,
                direction="original-to-sanitized",
                bound=design.bounds.get(point),
            )
        ).astype({"delta": float})
        for point, scale in tqdm(points.items(), desc=dataset, unit="grid point")
    ]
    errors = pd.concat(frames, ignore_index=True)
    errors.attrs[NOTE] = {"settings": settings, "counts": counts.tolist()}
    return errors


def counts_of(table: ArrayLike | pd.Series | pd.DataFrame) -> NDArray[np.int64]:
    """Return the counts of a table's cells, row by row; see `run_grid` for what may be a table.

    Raises ValueError for what is no table of counts: whole numbers from 0 that sum to at most 2^53.
    """
    if isinstance(table, pd.DataFrame) and "count" in table:
        table = table["count"]
    values = np.ravel(np.asarray(table))
    if not values.size:
        raise ValueError("table must have one or more cells, got none")
    if values.dtype.kind not in "iuf":
        raise ValueError(
            "table must hold counts alone, or a column named 'count', got values of type "
            f"{values.dtype}"
        )
    checks.all_finite("table", values)
    wrong = values[(values < 0) | (values != np.floor(values))]
    if wrong.size:
        raise ValueError(f"table must hold whole numbers >= 0, got {wrong[0].item()!r}")
    total = values.sum(dtype=np.float64)
    if total > LARGEST_TOTAL:
        raise ValueError(f"table must sum to at most {LARGEST_TOTAL}, got {total:.0f}")
    return values.astype(np.int64)


def _spelled_out(name: str, mechanism: Mechanism | Mapping[str, Any]) -> dict[str, Any]:
    """Return order and calibration of a mechanism that has been checked."""
    if isinstance(mechanism, Mechanism):
        return {"order": mechanism.order, "calibration": mechanism.calibration}
    settings = dict(mechanism)
    if set(settings) != {"order", "calibration"}:
        raise ValueError(
            f"mechanisms must be Mechanisms, or have an order and a calibration, got {settings!r} "
            f"for {name!r}"
        )
    if settings["order"] != BEST:
        Mechanism(**settings)
    elif settings["calibration"] != "adp-exact":
        raise ValueError(
            f"order {BEST!r} fits calibration 'adp-exact' only, got {settings['calibration']!r} "
            f"for {name!r}"
        )
    return settings


def _whole(name: str, value: int, least: int) -> int:
    """Return the value if it is a whole number of at least that, else raise ValueError."""
    if isinstance(value, bool) or value != int(value) or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}")
    return int(value)
