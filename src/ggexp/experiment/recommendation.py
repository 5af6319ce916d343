"""Which mechanism keeps a table most useful, and how large ε must be: an answer from a summary.

Mechanisms are compared whose releases satisfy one guarantee, and with them those that satisfy a
stronger one: ε-DP implies (ε, δ)-approximate DP for every δ. Released counts are clamped, so that
mechanisms of probabilistic DP satisfy approximate DP (`ggexp.mechanisms.guarantee`).
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import exp, hypot, isfinite, log
from typing import Any

import pandas as pd

from ggexp.experiment.metrics import SHOWN
from ggexp.experiment.summary import KEYS
from ggexp.mechanisms.calibration import RULES
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.sensitivity import Neighbours, OneCell, of_one_cell

#: What `recommend` tells, but for the relative error.
RECOMMENDED = [
    *("dataset", "guarantee", "epsilon", "delta", "metric", "mechanism", "mean", "se"),
    *("runner_up", "runner_up_mean", "runner_up_se", "difference", "difference_se"),
    *("clear", "alike"),
]
#: The one metric of which the largest is the best.
ACCURACY = "accuracy"
#: Standard errors that a difference must exceed to be told from chance, as in the claims.
CLEAR = 3
#: Relative errors that are asked for.
WITHIN = (0.05, 0.1, 0.2)


def recommend(
    summary: pd.DataFrame,
    scales: pd.DataFrame,
    totals: Mapping[str, int],
    neighbours: Neighbours,
    approximate: Container[str] = (),
    metrics: Iterable[str] = (),
) -> pd.DataFrame:
    """Return, for each data set, guarantee, ε, δ and metric, the best mechanism and the second.

    summary: of the repeats. scales: of the noise, as `tabulate_scales` gives them. totals: data
    set -> n, the sum of its counts. neighbours: as in the configuration. approximate: data sets
    whose releases satisfy approximate DP whatever the noise, because which cells are empty costs δ.
    metrics: by which they are compared, beside l1, kl and accuracy.

    The columns are dataset, guarantee, epsilon, delta (null for ε-DP), metric, mechanism, mean, se
    (of its metric), relative (the mean over n, for l1), runner_up, runner_up_mean, runner_up_se,
    difference (how much worse it is), difference_se, clear, whether the difference is more than
    `CLEAR` standard errors, and alike, the names of all mechanisms that are not so much worse, the
    best first. The runner-up's are null where there is one mechanism. The mechanisms in `left_out`
    are not compared.
    """
    compared = dict.fromkeys((*SHOWN, *metrics, ACCURACY))
    rows = [
        {
            **place,
            "metric": metric,
            **_first_two(found, sign=-1 if metric == ACCURACY else 1),
        }
        for place, candidates in _places(summary, scales, neighbours, approximate)
        for metric in compared
        for found in [candidates[candidates["metric"] == metric]]
        if not found.empty
    ]
    table = pd.DataFrame(rows, columns=RECOMMENDED)
    n = table["dataset"].map(totals)
    table.insert(8, "relative", (table["mean"] / n).where((table["metric"] == "l1") & (n > 0)))
    return table


def left_out(scales: pd.DataFrame, neighbours: Neighbours) -> pd.DataFrame:
    """Return the mechanisms whose releases do not satisfy their guarantee, and where.

    scales, neighbours: as for `recommend`. The columns are mechanism, epsilon, delta and
    exact_delta, the δ with which they do satisfy approximate DP at this ε.
    """
    rows = [
        {name: row[name] for name in ("mechanism", "epsilon", "delta")}
        | {"exact_delta": _exact_delta(row, neighbours)}
        for row in scales.to_dict("records")
        if _satisfied(row, neighbours, approximate=False) is None
    ]
    return pd.DataFrame(rows, columns=["mechanism", "epsilon", "delta", "exact_delta"])


def needed_epsilon(recommended: pd.DataFrame) -> pd.DataFrame:
    """Return the smallest ε at which the relative l1 error of the best mechanism is small enough.

    recommended: what `recommend` returned.
    The columns are dataset, guarantee, delta, within (the relative error, see `WITHIN`), epsilon,
    mechanism (the best at the ε of the run that is next above), and how: "interpolated" between two
    ε of the run, on logarithmic scales, "the smallest ε of the run" where the error is that small
    there already, so that less may do, or "not reached" with neither ε nor mechanism.
    """
    errors = recommended[recommended["relative"].notna()]
    keys = ["dataset", "guarantee", "delta"]
    rows = [
        {**dict(zip(keys, key, strict=True)), "within": within, **_reached(group, within)}
        for key, group in errors.groupby(keys, sort=False, dropna=False)
        for within in WITHIN
    ]
    return pd.DataFrame(rows, columns=[*keys, "within", "epsilon", "mechanism", "how"])


def _reached(group: pd.DataFrame, within: float) -> dict[str, Any]:
    """Return where a falling error comes to be within a bound, of rows at several ε."""
    before: tuple[float, float] | None = None
    for row in group.sort_values("epsilon").to_dict("records"):
        epsilon, error = row["epsilon"], row["relative"]
        if error > within:
            before = epsilon, error
            continue
        how = "the smallest ε of the run"
        if before is not None and error > 0:
            share = log(before[1] / within) / log(before[1] / error)
            epsilon = exp(log(before[0]) + share * (log(epsilon) - log(before[0])))
        if before is not None:
            how = "interpolated"
        return {"epsilon": epsilon, "mechanism": row["mechanism"], "how": how}
    return {"epsilon": None, "mechanism": None, "how": "not reached"}


def _first_two(found: pd.DataFrame, sign: int) -> dict[str, Any]:
    """Return the best mechanism of one metric and place, and the second.

    sign: 1 if the smallest is the best, -1 if the largest is.
    """
    # means that agree to ten digits are alike, in the configuration's order: no processor decides
    cost = [sign * float(f"{mean:.10g}") for mean in found["mean"]]
    ranked = found.assign(cost=cost).sort_values("cost", kind="stable")
    best, *others = ranked.to_dict("records")
    told = {"mechanism": best["mechanism"], "mean": best["mean"], "se": best["se"]}
    if not others:
        names = ("runner_up", "runner_up_mean", "runner_up_se", "difference", "difference_se")
        return {**told, **dict.fromkeys(names), "clear": False, "alike": best["mechanism"]}
    second = others[0]
    alike = [row["mechanism"] for row in ranked.to_dict("records") if not _is_worse(row, best)]
    return {
        **told,
        "runner_up": second["mechanism"],
        "runner_up_mean": second["mean"],
        "runner_up_se": second["se"],
        "difference": second["cost"] - best["cost"],
        "difference_se": hypot(best["se"], second["se"]),
        "clear": _is_worse(second, best),
        "alike": ", ".join(alike),
    }


def _is_worse(row: Mapping[Any, Any], best: Mapping[Any, Any]) -> bool:
    """Return whether a mechanism is worse than the best beyond the Monte Carlo error of both."""
    error = hypot(best["se"], row["se"])
    # of a single repeat no error is known
    return isfinite(error) and row["cost"] - best["cost"] > CLEAR * error


def _places(
    summary: pd.DataFrame,
    scales: pd.DataFrame,
    neighbours: Neighbours,
    approximate: Container[str],
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield each data set, guarantee, ε and δ with the rows of the mechanisms that keep it."""
    keys = KEYS[1:]
    for dataset in summary["dataset"].unique():
        satisfied = [
            _satisfied(row, neighbours, approximate=dataset in approximate)
            for row in scales.to_dict("records")
        ]
        known = scales[keys].assign(guarantee=pd.Series(satisfied, scales.index, dtype=object))
        known = known.dropna(subset="guarantee")
        rows = summary[summary["dataset"] == dataset].merge(known, on=keys)
        for guarantee in Guarantee:
            own = rows[rows["guarantee"] == guarantee]
            enough = [held for held in Guarantee if held.implies(guarantee)]
            able = rows[rows["guarantee"].isin(enough)]
            for epsilon in able["epsilon"].unique():
                for delta in _deltas(own):
                    at = able["delta"].isna() | (able["delta"] == delta)
                    place = {
                        "dataset": dataset,
                        "guarantee": guarantee.value,
                        "epsilon": epsilon,
                        "delta": delta,
                    }
                    yield place, able[at & (able["epsilon"] == epsilon)]


def _deltas(own: pd.DataFrame) -> Sequence[float | None]:
    """Return the δ of a guarantee, None for one without."""
    deltas = own["delta"].drop_duplicates()
    return [
        None if missing else delta for delta, missing in zip(deltas, deltas.isna(), strict=True)
    ]


def _satisfied(
    row: Mapping[Any, Any], neighbours: Neighbours, *, approximate: bool
) -> Guarantee | None:
    """Return what the releases of a mechanism satisfy at a grid point, None for nothing.

    row: of the scales. approximate: whether they satisfy approximate DP at best.
    """
    if approximate and pd.isna(row["delta"]):  # of other data sets: all of these have a δ
        return None
    stated = RULES[row["calibration"]].guarantee
    noise, one_cell = _noise(row, neighbours)
    return of_release(
        Guarantee.APPROXIMATE if approximate else stated,
        noise,
        **one_cell._asdict(),
        processed=True,
    )


def _exact_delta(row: Mapping[Any, Any], neighbours: Neighbours) -> float:
    noise, one_cell = _noise(row, neighbours)
    return noise.delta(epsilon=one_cell.epsilon, sensitivity=one_cell.sensitivity)


def _noise(row: Mapping[Any, Any], neighbours: Neighbours) -> tuple[Noise, OneCell]:
    """Return the noise of a mechanism at a grid point, with all digits, and what it must satisfy.

    row: of the scales, whose order is missing if the noise has none.
    """
    order = None if pd.isna(row["order"]) else row["order"]
    mechanism = Mechanism(order, row["calibration"])
    one_cell = of_one_cell(
        order,
        neighbours,
        has_norm=RULES[mechanism.calibration].family.has_norm,
        epsilon=row["epsilon"],
        delta=row["delta"],
    )
    return mechanism.noise(**one_cell._asdict()), one_cell
