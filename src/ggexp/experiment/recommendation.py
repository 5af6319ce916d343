"""The recommended mechanism for a table, and the ε that an error needs, from a summary of a run.

Mechanisms are compared if their releases satisfy the same guarantee or a stronger one: ε-DP implies
(ε, δ)-approximate DP for every δ. Released counts are clamped, so that mechanisms of probabilistic
DP satisfy approximate DP (`ggexp.mechanisms.guarantee`). If several mechanisms are as good as the
best, the one with the strongest guarantee is named. Mechanisms with the same noise count as one.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import exp, hypot, isfinite, log
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from ggexp.experiment.metrics import SHOWN
from ggexp.experiment.summary import KEYS
from ggexp.guarantees.table_error import epsilon_for_error
from ggexp.mechanisms.calibration import RULES
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.sensitivity import Neighbours, OneCell, of_one_cell

#: The columns of `recommend`, without the relative error.
RECOMMENDED = [
    *("dataset", "guarantee", "epsilon", "delta", "metric", "mechanism", "mean", "se"),
    *("runner_up", "runner_up_mean", "runner_up_se", "difference", "difference_se"),
    *("clear", "alike"),
]
#: The only metric whose largest value is the best.
ACCURACY = "accuracy"
#: A difference of more standard errors is significant, as in the claims.
CLEAR = 3
#: The relative errors of `needed_epsilon`.
WITHIN = (0.05, 0.1, 0.2)
#: Smaller standard errors are rounding errors of equal numbers.
NEGLIGIBLE = 1e-12
#: The text for releases that satisfy no guarantee, with the guarantee of their noise.
NO_GUARANTEE = "none, noise for {}"
#: The probability with which an error is within its bound that was computed without the data.
CONFIDENCE = 0.95


def recommend(
    summary: pd.DataFrame,
    scales: pd.DataFrame,
    totals: Mapping[str, int],
    neighbours: Neighbours,
    approximate: Container[str] = (),
    metrics: Iterable[str] = (),
    *,
    unprotected: Container[str] = (),
    majorities: Mapping[str, float] = MappingProxyType({}),
) -> pd.DataFrame:
    """Return the recommended mechanism and the runner-up at each grid point, by metric.

    summary: of the repeats. scales: of the noise, from `tabulate_scales`. totals: data set -> n,
    the sum of its counts. neighbours: as in the configuration. approximate: data sets whose
    releases satisfy approximate DP at best, because the list of non-empty cells costs δ. metrics:
    compared besides l1, kl and accuracy.

    unprotected: data sets whose releases are not differentially private; their guarantee is
    `NO_GUARANTEE`. majorities: data set -> accuracy of the majority class. Classifiers that learned
    nothing (`unlearned`) are not ranked.

    The columns are dataset, guarantee, epsilon, delta (null for ε-DP), metric, mechanism, mean, se
    (of its metric), relative (the mean over n, for l1), runner_up, runner_up_mean, runner_up_se,
    difference (how much worse the runner-up is), difference_se, clear and alike. clear: whether
    every other mechanism is worse by more than `CLEAR` standard errors. alike: the names of all
    mechanisms that are not so much worse than the smallest mean, the recommended one first.

    The recommended mechanism is the one of these with the strongest guarantee. Ties are broken by
    the number of ε and δ at which a mechanism is among them, and then by the mean. The runner-up
    has the smallest mean of the others, which may be smaller; its columns are null if there is one
    mechanism. The mechanisms in `left_out` are not compared.
    """
    compared = dict.fromkeys((*SHOWN, *metrics, ACCURACY))
    summary = summary.assign(se=summary["se"].mask(summary["se"] < NEGLIGIBLE, 0.0))
    nothing = unlearned(summary, majorities).index
    summary = summary.drop(nothing)
    ranked = [
        (place, metric, _ranked(rows, sign=-1 if metric == ACCURACY else 1))
        for place, candidates in _places(summary, scales, neighbours, approximate, unprotected)
        for metric in compared
        for rows in [candidates[candidates["metric"] == metric]]
        if not rows.empty
    ]
    often: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for place, metric, rows in ranked:
        names = [row["mechanism"] for row in _alike(rows)]
        often[place["dataset"], place["guarantee"], metric].update(names)
    rows = [
        {
            **place,
            "metric": metric,
            **_taken(rows, often[place["dataset"], place["guarantee"], metric]),
        }
        for place, metric, rows in ranked
    ]
    table = pd.DataFrame(rows, columns=RECOMMENDED)
    n = table["dataset"].map(totals)
    table.insert(8, "relative", (table["mean"] / n).where((table["metric"] == "l1") & (n > 0)))
    return table


def majorities_of(baselines: Iterable[pd.DataFrame]) -> dict[str, float]:
    """Return data set -> accuracy of the majority class, from tables of baselines."""
    return {
        row["dataset"]: row["accuracy"]
        for baseline in baselines
        for row in baseline.to_dict("records")
        if row["model"] == "majority"
    }


def unlearned(summary: pd.DataFrame, majorities: Mapping[str, float]) -> pd.DataFrame:
    """Return the rows of a summary whose classifiers learned nothing.

    Their mean accuracy exceeds that of the majority class by at most `CLEAR` standard errors.
    summary, majorities: as for `recommend`.
    """
    known = summary["dataset"].map(dict(majorities)).astype(float)
    gain = summary["mean"] - known
    return summary[(summary["metric"] == ACCURACY) & (gain <= CLEAR * summary["se"].fillna(0))]


def left_out(scales: pd.DataFrame, neighbours: Neighbours) -> pd.DataFrame:
    """Return the grid points whose releases do not satisfy the guarantee of their mechanism.

    scales, neighbours: as for `recommend`. The columns are mechanism, epsilon, delta and
    exact_delta, the δ for which the releases satisfy approximate DP at this ε.
    """
    rows = [
        {name: row[name] for name in ("mechanism", "epsilon", "delta")}
        | {"exact_delta": _at(row, neighbours).exact_delta}
        for row in scales.to_dict("records")
        if _at(row, neighbours).satisfied(approximate=False) is None
    ]
    return pd.DataFrame(rows, columns=["mechanism", "epsilon", "delta", "exact_delta"])


def needed_epsilon(recommended: pd.DataFrame) -> pd.DataFrame:
    """Return the smallest ε at which the relative l1 error of the best mechanism is small enough.

    Parameters
    ----------
    recommended : DataFrame
        The result of `ggexp.recommend`.

    Returns
    -------
    DataFrame
        A row for each dataset, guarantee, delta and within (a relative error of 5, 10 or 20 %),
        with epsilon, mechanism (the best one at the next larger ε of the run) and how:
        "interpolated" between the ε of the run on logarithmic scales, "the smallest ε of the run"
        if the error is small enough there and a smaller ε may do, or "not reached" without ε and
        mechanism.

    Examples
    --------
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
        {**dict(zip(keys, key, strict=True)), "within": within, **_reached(group, within)}
        for key, group in errors.groupby(keys, sort=False, dropna=False)
        for within in WITHIN
    ]
    return pd.DataFrame(rows, columns=[*keys, "within", "epsilon", "mechanism", "how"])


def needed_without_data(
    needed: pd.DataFrame, totals: Mapping[str, int], cells: Mapping[str, int]
) -> pd.Series:
    """Return, for each row of `needed_epsilon`, the ε that bounds the error of every table.

    totals: data set -> n. cells: data set -> number of cells, for data sets whose cells are all
    released and rescaled to n; the ε of other data sets are null. The noise is the least
    whole-number noise, and the error is within its bound with a probability of `CONFIDENCE`.
    """

    def of(row: Mapping[Any, Any]) -> float | None:
        if row["dataset"] not in cells:
            return None
        try:
            return epsilon_for_error(
                cells=cells[row["dataset"]],
                confidence=CONFIDENCE,
                l1=row["within"] * totals[row["dataset"]],
                delta=None if pd.isna(row["delta"]) else row["delta"],
                rescale=True,
            ).epsilon
        except ValueError:  # no ε up to its limit is enough
            return None

    return pd.Series([of(row) for row in needed.to_dict("records")], needed.index, dtype=float)


def _reached(group: pd.DataFrame, within: float) -> dict[str, Any]:
    """Return the ε at which a decreasing error falls to a bound, from rows at several ε."""
    rows = group.sort_values("epsilon").to_dict("records")
    place = next((i for i, row in enumerate(rows) if row["relative"] <= within), None)
    if place is None:
        return {"epsilon": None, "mechanism": None, "how": "not reached"}
    found, how = rows[place], "interpolated" if place else "the smallest ε of the run"
    epsilon = found["epsilon"]
    if place and found["relative"] > 0:
        # monotone, and curved if the error falls faster than a power of ε
        logs = np.log([(row["epsilon"], row["relative"]) for row in rows if row["relative"] > 0])
        curve, bracket = PchipInterpolator(*logs.T), logs[place - 1 : place + 1, 0]
        epsilon = exp(brentq(lambda at: float(curve(at)) - log(within), *bracket))
    return {"epsilon": epsilon, "mechanism": found["mechanism"], "how": how}


def _ranked(found: pd.DataFrame, sign: int) -> list[dict[Any, Any]]:
    """Return the mechanisms' rows for one metric and place, the best first, each with its cost.

    sign: 1 if the smallest is the best, -1 if the largest is.
    """
    # means that agree to ten digits are equal, so that no processor's rounding decides
    cost = [sign * float(f"{mean:.10g}") for mean in found["mean"]]
    return found.assign(cost=cost).sort_values("cost", kind="stable").to_dict("records")


def _alike(ranked: Sequence[Mapping[Any, Any]]) -> list[Mapping[Any, Any]]:
    """Return the best of ranked rows and the rows that are not significantly worse."""
    return [row for row in ranked if not _is_worse(row, ranked[0])]


def _taken(ranked: Sequence[Mapping[Any, Any]], often: Mapping[str, int]) -> dict[str, Any]:
    """Return the recommended mechanism at one place, and the runner-up.

    ranked: from `_ranked`. often: the number of places at which a mechanism is as good as the best.
    """
    alike = _alike(ranked)
    best = min(alike, key=lambda row: (_strength(row["guarantee"]), -often[row["mechanism"]]))
    taken = {"mechanism": best["mechanism"], "mean": best["mean"], "se": best["se"]}
    others = [row for row in ranked if row is not best]
    if not others:
        names = ("runner_up", "runner_up_mean", "runner_up_se", "difference", "difference_se")
        return {**taken, **dict.fromkeys(names), "clear": False, "alike": best["mechanism"]}
    second = others[0]
    return {
        **taken,
        "runner_up": second["mechanism"],
        "runner_up_mean": second["mean"],
        "runner_up_se": second["se"],
        "difference": second["cost"] - best["cost"],
        "difference_se": hypot(best["se"], second["se"]),
        "clear": len(alike) == 1,
        "alike": ", ".join(
            [best["mechanism"], *(row["mechanism"] for row in alike if row is not best)]
        ),
    }


def _strength(guarantee: Guarantee) -> int:
    """Return the rank of a guarantee, 0 for the strongest."""
    return [*Guarantee].index(guarantee)


def _is_worse(row: Mapping[Any, Any], best: Mapping[Any, Any]) -> bool:
    """Return whether a mechanism is significantly worse than the best."""
    error = hypot(best["se"], row["se"])
    # the error is unknown for a single repeat
    return isfinite(error) and row["cost"] - best["cost"] > CLEAR * error


def _places(
    summary: pd.DataFrame,
    scales: pd.DataFrame,
    neighbours: Neighbours,
    approximate: Container[str],
    unprotected: Container[str],
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield each data set, guarantee, ε and δ with the rows of the mechanisms that satisfy it."""
    keys = KEYS[1:]
    points = [_at(row, neighbours) for row in scales.to_dict("records")]
    for dataset in summary["dataset"].unique():
        satisfied = [point.satisfied(approximate=dataset in approximate) for point in points]
        known = scales[keys].assign(
            guarantee=pd.Series(satisfied, scales.index, dtype=object),
            noise=[point.same for point in points],
        )
        known = known.dropna(subset="guarantee")
        rows = summary[summary["dataset"] == dataset].merge(known, on=keys)
        for guarantee in Guarantee:
            own = rows[rows["guarantee"] == guarantee]
            enough = [held for held in Guarantee if held.implies(guarantee)]
            able = rows[rows["guarantee"].isin(enough)]
            stated = guarantee.value
            for epsilon in able["epsilon"].unique():
                for delta in _deltas(own):
                    at = able["delta"].isna() | (able["delta"] == delta)
                    place = {
                        "dataset": dataset,
                        "guarantee": (
                            NO_GUARANTEE.format(stated) if dataset in unprotected else stated
                        ),
                        "epsilon": epsilon,
                        "delta": delta,
                    }
                    yield place, _without_doubles(able[at & (able["epsilon"] == epsilon)])


def _without_doubles(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each noise, the one with the strongest guarantee."""
    order = rows["guarantee"].map(_strength).sort_values(kind="stable").index
    return rows.loc[order].drop_duplicates(["metric", "noise"]).sort_index()


def _deltas(own: pd.DataFrame) -> Sequence[float | None]:
    """Return the δ of a guarantee, None for one without."""
    deltas = own["delta"].drop_duplicates()
    return [
        None if missing else delta for delta, missing in zip(deltas, deltas.isna(), strict=True)
    ]


class _At(NamedTuple):
    """The noise of a mechanism at a grid point, with all digits, and its guarantee."""

    stated: Guarantee
    noise: Noise
    one_cell: OneCell

    @property
    def same(self) -> str:
        """A text that is equal for noise that agrees to nine digits."""
        numbers = (f"{name} {value:.9g}" for name, value in self.noise.numbers.items())
        return ", ".join([type(self.noise).__name__, *numbers])

    @property
    def exact_delta(self) -> float:
        """The δ for which the noise satisfies approximate DP at this ε."""
        return self.noise.delta(
            epsilon=self.one_cell.epsilon, sensitivity=self.one_cell.sensitivity
        )

    def satisfied(self, *, approximate: bool) -> Guarantee | None:
        """Return the guarantee that the releases satisfy, None if they satisfy none.

        approximate: whether they satisfy approximate DP at best.
        """
        if approximate and self.one_cell.delta is None:  # of other data sets: all of these have a δ
            return None
        return of_release(
            Guarantee.APPROXIMATE if approximate else self.stated,
            self.noise,
            **self.one_cell._asdict(),
            processed=True,
        )


def _at(row: Mapping[Any, Any], neighbours: Neighbours) -> _At:
    """Return a mechanism's noise at a grid point.

    row: a row of the scales, whose order and δ are missing if there is none.
    """
    order, delta = (None if pd.isna(row[name]) else row[name] for name in ("order", "delta"))
    mechanism = Mechanism(order, row["calibration"])
    rule = RULES[mechanism.calibration]
    one_cell = of_one_cell(
        order,
        neighbours,
        has_norm=rule.family.has_norm,
        epsilon=row["epsilon"],
        delta=delta,
    )
    return _At(rule.guarantee, mechanism.noise(**one_cell._asdict()), one_cell)
