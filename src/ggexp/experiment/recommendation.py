"""Recommend a mechanism for a table, and find the ε for a small enough error, from a summary.

Mechanisms are compared for each guarantee if their releases satisfy it or a stronger one; ε-DP
implies (ε, δ)-approximate DP for every δ. Released counts are clamped. Therefore releases by
mechanisms for probabilistic DP satisfy only approximate DP (`ggexp.mechanisms.guarantee`). If
several mechanisms are as good as the best, the one with the strongest guarantee is recommended.
Mechanisms with the same noise are treated as one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from math import exp, hypot, log
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.experiment.metrics import SHOWN
from ggexp.experiment.summary import KEYS
from ggexp.guarantees import advantage as guessing
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import RULES
from ggexp.mechanisms.guarantee import Guarantee, delta_of, of_release
from ggexp.mechanisms.loss_distribution import ROUNDING
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.sensitivity import CHANGED_CELLS, Neighbours
from ggexp.mechanisms.solver import checked
from ggexp.releases.point import NoisyPoint
from ggexp.words import in_ten_digits

#: The columns of `recommend`, without the relative error and the error of equal counts.
RECOMMENDED = [
    *("dataset", "guarantee", "epsilon", "delta", "metric", "mechanism", "mean", "se"),
    *("runner_up", "runner_up_mean", "runner_up_se", "difference", "difference_se"),
    *("clear", "alike"),
]
#: The only metric for which larger values are better.
ACCURACY = "accuracy"
#: A difference is significant if it exceeds this number of standard errors, as in the claims.
SIGNIFICANT = 3
#: The relative errors for which `needed_epsilon` finds ε.
WITHIN = (0.05, 0.1, 0.2)
#: Smaller standard errors are treated as 0, because they are rounding errors of equal numbers.
NEGLIGIBLE = 1e-12
#: The guarantee of releases that are not private; that of their noise replaces the braces.
NO_GUARANTEE = "none, noise for {}"
#: The values of `how` if the error is small enough even there, so that a smaller ε may suffice, and
#: if it is small enough at no ε of the run.
AT_MOST, NOT_REACHED = "the smallest ε of the run", "not reached"
#: The rank of each guarantee, 0 for the strongest.
RANKS = {guarantee: rank for rank, guarantee in enumerate(Guarantee)}


class Subject(NamedTuple):
    """The facts about a data set that its recommendation depends on.

    records: n, the sum of the counts.
    published: this sum in the table that `ggexp sanitize` publishes, which includes the test
        records of classifiers.
    cells: the number of listed cells.
    lists_cells: whether a release consists of exactly these.
    is_private: whether releases are differentially private.
    uses_delta: whether they satisfy approximate DP at best, because the list of non-empty cells
        costs δ.
    is_rescaled: whether counts are rescaled to sum to n, which is then public.
    is_replaced: whether the guarantee is for one record that is replaced by another.
    is_own: whether it is the user's own data set, not one of the paper's; only these have the rest:
    goal: the largest acceptable error, in records, of one kind: count_error, max_error or l1.
    file, configuration: the paths of the data and of the run's configuration.
    options: further options with which `ggexp sanitize` publishes the table, None if it refuses to.
    contents: a description of the histogram.
    margins: the errors that `ggexp.experiment.margins` measured.
    """

    records: int = 0
    published: int = 0
    cells: int = 0
    lists_cells: bool = True
    is_private: bool = True
    uses_delta: bool = False
    is_rescaled: bool = False
    is_replaced: bool = False
    is_own: bool = False
    goal: Mapping[str, float] = MappingProxyType({})
    file: str = ""
    configuration: str = ""
    options: Sequence[str] | None = ()
    contents: Mapping[str, str] | None = None
    margins: pd.DataFrame | None = None

    @classmethod
    def of(cls, counts: NDArray[np.int64], tally: Mapping[str, int], **facts: Any) -> "Subject":
        """Return a subject with the sizes of its counts. tally: of records. facts: other fields."""
        n = int(counts.sum())
        return cls(records=n, published=tally.get("kept", n), cells=counts.size, **facts)


def recommend(
    summary: pd.DataFrame,
    points: Sequence[NoisyPoint],
    subjects: Mapping[str, Subject],
    neighbours: Neighbours,
    metrics: Iterable[str] = (),
    equal: Iterable[pd.DataFrame] = (),
    baselines: Sequence[pd.DataFrame] = (),
) -> pd.DataFrame:
    """Return the recommended mechanism and the runner-up at each grid point, for each metric.

    summary: from `summarize`. points: the noise; the names of their data sets are not used.
    subjects: by data set. metrics: in addition to l1, kl and accuracy. equal, baselines:
    tables of `tabulate_equal_counts` and `tabulate_baselines`, with their dataset. Classifiers that
    learned nothing (`unlearned`) are not ranked, and mechanisms in `left_out` are not compared.
    The columns are those of ``recommendation.csv`` without the advantage.
    """
    summary = summary.astype({"delta": float})  # the type is object if no mechanism uses δ
    summary["se"] = summary["se"].mask(summary["se"] < NEGLIGIBLE, 0.0)
    summary = summary.drop(unlearned(summary, baselines).index)
    ranked = [
        (keys | {"metric": metric}, _ranked(rows, sign=-1 if metric == ACCURACY else 1))
        for keys, candidates in _comparisons(summary, points, subjects, neighbours)
        for metric in dict.fromkeys((*SHOWN, *metrics, ACCURACY))
        for rows in [candidates[candidates["metric"] == metric]]
        if not rows.empty
    ]
    group = itemgetter("dataset", "guarantee", "metric")
    alike_counts: dict[Any, Counter[str]] = defaultdict(Counter)
    for keys, rows in ranked:
        alike_counts[group(keys)].update(each.mechanism for each in _alike(rows))
    recommended = [keys | _recommended(rows, alike_counts[group(keys)]) for keys, rows in ranked]
    table = pd.DataFrame(recommended, columns=RECOMMENDED)
    n = table["dataset"].map({dataset: subject.records for dataset, subject in subjects.items()})
    table.insert(8, "relative", (table["mean"] / n).where((table["metric"] == "l1") & (n > 0)))
    trained = [baseline.query("model == 'equal'") for baseline in baselines]
    accuracies = [rows.rename(columns={"accuracy": "equal"}) for rows in trained]
    known = [*equal, *(rows.assign(metric=ACCURACY) for rows in accuracies)]
    if not known:
        return table
    errors = pd.concat(known, join="inner", ignore_index=True)
    return table.merge(errors, how="left", on=["dataset", "metric"])


def unlearned(summary: pd.DataFrame, baselines: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of a summary whose classifiers learned nothing.

    Their mean accuracy exceeds that of the majority class by at most `SIGNIFICANT` standard errors.
    """
    majorities = {
        row["dataset"]: row["accuracy"]
        for baseline in baselines
        for row in baseline.query("model == 'majority'").to_dict("records")
    }
    excess = summary["mean"] - summary["dataset"].map(majorities).astype(float)
    learned_nothing = excess <= SIGNIFICANT * summary["se"].fillna(0)
    return summary[(summary["metric"] == ACCURACY) & learned_nothing]


def left_out(
    noises: Iterable[NoisyPoint], neighbours: Neighbours
) -> dict[str, list[tuple[Budget, float]]]:
    """Return where the releases of mechanisms do not satisfy their guarantees.

    It is the ε and δ of each such point, and the exact δ of approximate DP at this ε, by mechanism.
    """
    cells, found = CHANGED_CELLS[neighbours], defaultdict(list)
    for noisy in noises:
        if _satisfied(noisy, neighbours, approximate=False) is None:
            budget = noisy.point.budget
            exact = delta_of(noisy.noise, epsilon=budget.epsilon, cells=cells)
            found[noisy.point.mechanism].append((budget, exact))
    return found


def needed_epsilon(recommended: pd.DataFrame) -> pd.DataFrame:
    """Return the smallest ε at which the relative l1 error of the best mechanism is small enough.

    recommended: the result of `ggexp.recommend`.

    The result has a row for each dataset, guarantee, delta and within (a relative error of 5, 10 or
    20 %), with epsilon, mechanism (the best one at the next larger ε of the run) and how. The
    column how is "interpolated" if ε is between two ε of the run (on logarithmic scales); "the
    smallest ε of the run" if the error is small enough there, so that a smaller ε may suffice; or
    "not reached", with empty epsilon and mechanism.

    >>> from ggexp import Mechanism, needed_epsilon, recommend, run_grid
    >>> mechanisms = {"laplace": Mechanism(1, "pure")}
    >>> errors = run_grid(
    ...     [68, 20, 15, 5], mechanisms=mechanisms, epsilon=[0.5, 2], repeats=100, seed=1
    ... )
    >>> needed_epsilon(recommend(errors))[["within", "how"]].to_dict("split")["data"]
    [[0.05, 'interpolated'], [0.1, 'the smallest ε of the run'], [0.2, 'the smallest ε of the run']]
    """
    errors = recommended[recommended["relative"].notna()]
    keys = ["dataset", "guarantee", "delta"]
    rows = [
        (*key, within, *_needed_row(group, within))
        for key, group in errors.groupby(keys, sort=False, dropna=False)
        for within in WITHIN
    ]
    return pd.DataFrame(rows, columns=[*keys, "within", "epsilon", "mechanism", "how"])


def advantages(table: pd.DataFrame, subjects: Mapping[str, Subject]) -> list[float | None]:
    """Return a bound on the mean advantage at each row's ε and δ, for any prior, or None."""
    return [
        guessing.mean(Budget(row["epsilon"], pd.notna(row["delta"]) and row["delta"]), prior=None)
        if pd.notna(row["epsilon"]) and subjects[row["dataset"]].is_private
        else None
        for row in table.to_dict("records")
    ]


def _needed_row(group: pd.DataFrame, within: float) -> tuple[float | None, str | None, str]:
    """Return epsilon, mechanism and how, for a relative error. group: rows at several ε."""
    rows = group.sort_values("epsilon").to_dict("records")
    first = next((i for i, row in enumerate(rows) if row["relative"] <= within), None)
    if first is None:
        return None, None, NOT_REACHED
    row, how = rows[first], "interpolated" if first else AT_MOST
    epsilon = row["epsilon"]
    if first and row["relative"] > 0:
        from scipy.interpolate import PchipInterpolator  # these two take 0.3 s to load
        from scipy.optimize import brentq

        # a monotone cubic curve, because the error may fall faster than a power of ε
        logs = np.log([(row["epsilon"], row["relative"]) for row in rows if row["relative"] > 0])
        curve, bracket = PchipInterpolator(*logs.T), logs[first - 1 : first + 1, 0]
        found = brentq(lambda x: float(curve(x)) - log(within), *bracket)
        epsilon = exp(checked(lambda x: float(curve(x)) <= log(within) + ROUNDING, found, 1e-12))
    return epsilon, row["mechanism"], how


def _ranked(candidates: pd.DataFrame, sign: int) -> list[Any]:
    """Return the rows of mechanisms in ascending order of cost, which is sign times the mean.

    sign: -1 if larger means are better.
    """
    # means are rounded to ten digits, so that ranks do not depend on the processor
    cost = [sign * in_ten_digits(mean) for mean in candidates["mean"]]
    ranked = candidates.assign(cost=cost).sort_values("cost", kind="stable")
    return [*ranked.itertuples(index=False)]


def _alike(ranked: Sequence[Any]) -> list[Any]:
    """Return the best of the ranked mechanisms, and all that are not significantly worse."""
    best = ranked[0]
    return [
        each
        for each in ranked
        # nothing exceeds the standard error of a single repeat, which is nan
        if not each.cost - best.cost > SIGNIFICANT * hypot(best.se, each.se)
    ]


def _recommended(ranked: Sequence[Any], alike_counts: Mapping[str, int]) -> dict[str, object]:
    """Return the recommended mechanism and the runner-up, as columns of `recommend`."""
    alike = _alike(ranked)
    best = min(alike, key=lambda each: (RANKS[each.guarantee], -alike_counts[each.mechanism]))
    names = [best.mechanism, *(each.mechanism for each in alike if each is not best)]
    recommended = {"mechanism": best.mechanism, "mean": best.mean, "se": best.se}
    recommended |= {"clear": len(alike) == 1 < len(ranked), "alike": ", ".join(names)}
    if len(ranked) == 1:
        return recommended
    second = next(each for each in ranked if each is not best)
    return recommended | {
        "runner_up": second.mechanism,
        "runner_up_mean": second.mean,
        "runner_up_se": second.se,
        "difference": second.cost - best.cost,
        "difference_se": hypot(best.se, second.se),
    }


def _comparisons(
    summary: pd.DataFrame,
    points: Sequence[NoisyPoint],
    subjects: Mapping[str, Subject],
    neighbours: Neighbours,
) -> Iterator[tuple[dict[str, object], pd.DataFrame]]:
    """Yield data set, guarantee, ε and δ, and the rows of mechanisms that satisfy the guarantee."""
    noises = pd.DataFrame([asdict(noisy.point) for noisy in points], columns=KEYS[1:])
    noises = noises.astype({"delta": float})
    noises["noise"] = [_text(noisy.noise) for noisy in points]
    for dataset in summary["dataset"].unique():
        subject = subjects[dataset]
        satisfied = [_satisfied(point, neighbours, subject.uses_delta) for point in points]
        guarantees = noises.assign(guarantee=pd.Series(satisfied, dtype=object))
        known = summary[summary["dataset"] == dataset].merge(guarantees.dropna(subset="guarantee"))
        for guarantee in Guarantee:
            stated = ("{}" if subject.is_private else NO_GUARANTEE).format(guarantee.value)
            sufficient = [stronger for stronger in Guarantee if stronger.implies(guarantee)]
            candidates = known[known["guarantee"].isin(sufficient)]
            deltas = known.loc[known["guarantee"] == guarantee, "delta"].unique().tolist()
            for epsilon, delta in product(candidates["epsilon"].unique(), deltas):
                keys = {"dataset": dataset, "guarantee": stated, "epsilon": epsilon}
                keys["delta"] = None if pd.isna(delta) else delta
                fits_delta = candidates["delta"].isna() | (candidates["delta"] == delta)
                rows = candidates[fits_delta & (candidates["epsilon"] == epsilon)]
                # of mechanisms with the same noise, the one with the strongest guarantee
                order = rows["guarantee"].map(RANKS).sort_values(kind="stable").index
                yield keys, rows.loc[order].drop_duplicates(["metric", "noise"]).sort_index()


def _satisfied(noisy: NoisyPoint, neighbours: Neighbours, approximate: bool) -> Guarantee | None:
    """Return the guarantee of releases at a grid point, if any. approximate: aDP at best."""
    point, stated = noisy.point, Guarantee.APPROXIMATE
    if approximate and point.delta is None:  # the grid point belongs to another data set
        return None
    if not approximate and point.calibration in RULES:
        stated = RULES[point.calibration].guarantee
    elif point.delta is None:  # noise without a rule
        stated = Guarantee.PURE
    cells = CHANGED_CELLS[neighbours]
    return of_release(stated, noisy.noise, point.budget, processed=True, cells=cells)


def _text(noise: Noise) -> str:
    """Return the noise as text with nine digits, to find mechanisms with the same noise."""
    numbers = (f"{name} {value:.9g}" for name, value in noise.numbers.items())
    return ", ".join([type(noise).__name__, *numbers])
