"""Run the grid of a user's own table without the workflow, with exactly the same results."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product, starmap
from math import isinf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from ggexp import checks
from ggexp.checks import MAX_TOTAL
from ggexp.experiment import recommendation
from ggexp.experiment.design import PROPOSED_MECHANISMS, grid_points
from ggexp.experiment.equal_counts import tabulate_equal_counts
from ggexp.experiment.metrics import measure_releases
from ggexp.experiment.summary import summarize
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.guarantee import epsilon_of
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import Cells, Delta, Epsilon
from ggexp.releases.point import NoisyPoint, PointParameters
from ggexp.releases.release import PRIVATE, PUBLIC, TOTALS
from ggexp.releases.simulate import Listed

#: The key in a frame's ``attrs`` of what `run_grid` measured.
ATTRS_KEY = "run_grid"


class GivenNoise(NamedTuple):
    """Noise in place of a mechanism: the same noise at every ε and δ."""

    given: Noise
    calibration: str = "given"

    @property
    def uses_delta(self) -> bool:
        """Whether the noise satisfies ε-DP for no ε. Raises ValueError without a privacy loss."""
        return isinf(epsilon_of(self.given, delta=None, cells=1))

    def order_at(self, budget: Budget, cells: Cells) -> float | None:
        """Return the order of the noise, None if it has none."""
        return self.given.numbers.get("order")

    def noise(self, **at: float | None) -> Noise:
        """Return the noise, at any ε and δ."""
        return self.given


class Measured(NamedTuple):
    """What `run_grid` measured, as plain values, so that a frame can be stored with them."""

    counts: list[int]
    total: str
    points: list[PointParameters]
    seed: int
    repeats: int
    equal: Mapping[Any, Any]


def run_grid(
    table: ArrayLike | pd.Series | pd.DataFrame,
    *,
    mechanisms: Mapping[str, Mechanism | Noise | Mapping[str, Any]] | None = None,
    epsilon: Sequence[Epsilon],
    delta: Sequence[Delta] = (),
    repeats: int,
    seed: int,
    dataset: str = "own",
    pseudo_count: float = 0.5,
    total: str = PRIVATE,
) -> pd.DataFrame:
    """Return the errors of repeated releases of a table at every grid point.

    A progress bar shows how many grid points are done.

    table: counts, whole numbers >= 0; empty cells belong to the table. A Series has a MultiIndex
        that names the cells. A DataFrame has a row for each cell and a column ``count``, or is a
        cross-table of counts only, which is read row by row.
    mechanisms: name -> `ggexp.Mechanism`, or its form in a configuration, such as
        ``{"order": "best", "calibration": "adp-exact"}``. By default the mechanisms that
        `ggexp describe` proposes for a file. A `ggexp.mechanisms.noise.Noise` is the same at every
        ε, and has a δ if it satisfies ε-DP for no ε; `recommend` compares it where it satisfies
        the guarantee.
    delta: if it is empty, mechanisms that use δ are not run.
    repeats: the number of releases of each grid point, >= 1.
    seed: a whole number >= 0.
    dataset: the name of the table. Names, seed and grid point determine the random streams.
        Therefore the workflow draws the same random numbers under the same names.
    pseudo_count: see `ggexp.kl_dirichlet`.
    total: what is assumed of n, the sum of the table. "private": noisy counts below 0 become 0, and
        no more is done. "public": counts are clamped at n and rescaled to sum to n, and neighbours
        are replace-one. "as-printed": releases are rescaled, but neighbours are add-remove, as in
        the paper.

    The result has a row for each repeat, and the columns of the workflow: dataset, mechanism,
    epsilon, delta (NaN if not used), repeat (from 0), l1 (in records), kl, kl_reverse (in nats).
    Its ``attrs`` contain the settings and the original counts, which `ggexp.plot_releases` needs.
    Therefore the result is as confidential as the table.
    Unless the total is public, neighbours are add-remove, so that the sensitivity is 1.

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
    counts = counts_of(table)
    if total not in TOTALS:
        raise ValueError(f"total must be one of {', '.join(TOTALS)}, got {total!r}")
    mechanisms = PROPOSED_MECHANISMS if mechanisms is None else mechanisms
    if not isinstance(mechanisms, Mapping):
        raise ValueError(f"mechanisms must be a mapping of names, got {mechanisms!r}")
    seed, repeats = checks.count("seed", seed, 0), checks.count("repeats", repeats)
    epsilons = _numbers("epsilon", epsilon, checks.positive)
    deltas = _numbers("delta", delta, checks.open_unit)
    checks.positive("pseudo_count", pseudo_count)
    points = [
        point
        for name, form in mechanisms.items()
        for mechanism in [_mechanism(name, form)]
        for point in grid_points(
            *(_text("dataset", dataset), _text("the name of a mechanism", name), mechanism),
            starmap(Budget, product(epsilons, deltas if mechanism.uses_delta else [0.0])),
            "replace-one" if total == PUBLIC else "add-remove",
        )
    ]
    if not points:
        raise ValueError(
            "there is no grid point: mechanisms and epsilon must not be empty, nor delta if all "
            f"mechanisms use it, got {list(mechanisms)}, {epsilons} and {deltas}"
        )
    kind = Listed(counts.size, total=total)
    columns = measure_releases(
        *(counts, kind, tqdm(points, dataset, unit="grid point")),
        seed=seed,
        repeats=range(repeats),
        pseudo_count=pseudo_count,
    )
    errors = pd.DataFrame(columns).astype({"delta": float})
    equal = tabulate_equal_counts(
        pd.DataFrame({"count": counts}), dataset=dataset, pseudo_count=pseudo_count
    )
    parameters = [noisy.parameters() for noisy in points]
    measured = Measured(counts.tolist(), total, parameters, seed, repeats, equal.to_dict("list"))
    errors.attrs[ATTRS_KEY] = measured._asdict()
    return errors


def recommend(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the best mechanism and the runner-up, for each guarantee, ε, δ and metric.

    Mechanisms that are not significantly worse than the one with the smallest mean are considered
    equally good. The best mechanism is the one of these with the strongest guarantee. Therefore the
    difference from the runner-up may be negative.

    errors: the result of `run_grid`, or those of its rows that belong to one data set. A frame that
        was read from a CSV file is refused, because it has lost its ``attrs``.

    Mechanisms are compared by every metric that was measured, and by every further column of
    numbers behind ``repeat``, if smaller values are better.

    The columns are those of the workflow's ``recommendation.csv``, without the advantage. They
    include mechanism, mean and se (the mean over the repeats and its standard error), relative (the
    mean of l1 divided by the sum of the table), runner_up, difference (how much worse the runner-up
    is), difference_se, clear, which is whether every other mechanism is worse by more than 3
    standard errors, and equal, the error of a table of equal counts. `ggexp.needed_epsilon`
    computes the smallest ε for a given relative error from this table.

    >>> from ggexp import Mechanism, recommend, run_grid
    >>> errors = run_grid(
    ...     [68, 20, 15, 5],
    ...     mechanisms={"laplace": Mechanism(1, "pure"), "gaussian": Mechanism(2, "adp-exact")},
    ...     epsilon=[0.5, 2],
    ...     delta=[0.001],
    ...     repeats=100,
    ...     seed=1,
    ... )
    >>> best = recommend(errors)
    >>> l1 = best[(best["metric"] == "l1") & (best["guarantee"] == "(ε, δ)-aDP")]
    >>> l1[["epsilon", "mechanism", "runner_up", "clear"]].to_dict("split")["data"]
    [[0.5, 'laplace', 'gaussian', True], [2.0, 'laplace', 'gaussian', True]]
    """
    measured, dataset = measured_of(errors), dataset_of(errors)
    summary = summarize([errors])
    return recommendation.recommend(
        summary,
        [*map(NoisyPoint.from_parameters, measured.points)],
        {dataset: recommendation.Subject(records=sum(measured.counts))},
        "replace-one" if measured.total == PUBLIC else "add-remove",
        summary["metric"].unique(),
        equal=[equal_of(errors)],
    )


def equal_of(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of equal counts, from the ``attrs`` of `run_grid`; without, no rows."""
    unknown: dict[str, list[Any]] = {"dataset": [], "metric": [], "equal": []}
    return pd.DataFrame(errors.attrs.get(ATTRS_KEY, {}).get("equal", unknown))


def measured_of(errors: pd.DataFrame) -> Measured:
    """Return what `run_grid` measured; raise ValueError if the frame has lost its ``attrs``."""
    if ATTRS_KEY not in errors.attrs:
        raise ValueError(
            "errors must be a result of run_grid, got a frame without its attrs; files do not keep "
            "attrs, and joining frames may lose them"
        )
    return Measured(**errors.attrs[ATTRS_KEY])


def dataset_of(errors: pd.DataFrame) -> str:
    """Return the only data set of the errors; raise ValueError if there are several or none."""
    names = list(errors["dataset"].unique())
    if len(names) != 1:
        raise ValueError(f"errors must have one data set, got {len(names)}: {names}")
    return str(names[0])


def counts_of(table: ArrayLike | pd.Series | pd.DataFrame) -> NDArray[np.int64]:
    """Return the counts of a table's cells, row by row; see `run_grid` for the allowed tables."""
    if isinstance(table, pd.DataFrame) and "count" in table:
        table = table["count"]
    values = np.ravel(np.asarray(table))
    if not values.size:
        raise ValueError("table must have one or more cells, got none")
    if values.dtype.kind not in "iuf":
        raise ValueError(
            "table must have only counts, or a column named 'count', got values of type "
            f"{values.dtype}"
        )
    checks.all_finite("table", values)
    wrong = values[(values < 0) | (values != np.floor(values))]
    if wrong.size:
        raise ValueError(f"table must hold whole numbers >= 0, got {wrong[0].item()!r}")
    total = values.sum(dtype=np.float64)
    if total > MAX_TOTAL:
        raise ValueError(f"table must sum to at most {MAX_TOTAL}, got {total:.0f}")
    return values.astype(np.int64)


def _mechanism(name: str, form: Mechanism | Noise | Mapping[str, Any]) -> Mechanism | GivenNoise:
    """Return a mechanism; raise ValueError if its form in a configuration is invalid."""
    if isinstance(form, Mechanism):
        return form
    if isinstance(form, Noise):
        return GivenNoise(form)
    try:
        return Mechanism(**{"order": None, **form})
    except TypeError as error:
        raise ValueError(
            "mechanisms must be Mechanisms, Noise, or have an order and a calibration, got "
            f"{form!r} for {name!r}"
        ) from error
    except ValueError as error:
        raise ValueError(f"{error}, for {name!r}") from error


def _text(name: str, value: str) -> str:
    """Return the value if it is text, else raise ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text, got {value!r}")
    return value


def _numbers(name: str, values: Iterable[float], check: checks.Range) -> list[float]:
    """Return the values if they are a sequence of numbers in a range, else raise ValueError."""
    if not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list of numbers, such as [0.1], got {values!r}")
    return [float(check(name, value)) for value in values]
