"""The verdict on each claim in each reading of the paper, and the shares of open readings."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ggexp.claims.check import MECHANISMS, Claim, compare, conclude_in_reading
from ggexp.claims.evidence import Comparison, Results
from ggexp.experiment.keys import ChoiceSettings
from ggexp.multiverse.choices import CORRECTION, REPETITION, THRESHOLD, Factorial, Reading
from ggexp.multiverse.tables import COLUMNS, ORIGINAL

#: The choices of the configuration's section ``multiverse``, by their names.
Choices = Mapping[str, ChoiceSettings]
#: Column of the shares -> the verdicts that it counts.
OUTCOMES = {
    "holds": ("confirmed", "by construction"),
    "partly": ("partly",),
    "undecided": ("undecided",),
    "fails": ("refuted", "misprint"),
}
#: The kinds of choices that are conditions of a share.
CONDITIONS = (CORRECTION, THRESHOLD)
#: The choice of the split of the records.
SEED = "seed"
#: The columns of `losses_over_splits`.
LOSSES = (
    *("dataset", "mechanism", "other", "epsilon", "delta"),
    *("repeats", "splits", "mean", "sd", "half_width"),
)
#: The columns of `shares`.
SHARES = (
    *("claim", "group", "factorial", "kind", "choice", "alternative", "readings", "repetitions"),
    *OUTCOMES,
    *("se", "lowest", "highest", "comparisons", "verdict"),
)


def judge_all(
    claims: Sequence[Claim], measured: Collection[tuple[Factorial, pd.DataFrame]], choices: Choices
) -> pd.DataFrame:
    """Return the verdicts: the columns of ``multiverse.csv``.

    measured: each factorial with its measured table. A claim has a row for each combination of the
    alternatives on which its comparisons can depend; other choices are empty.
    """
    rows = [
        {
            "claim": claim.id,
            "factorial": factorial.name,
            **reading,
            "comparisons": len(comparisons),
            "verdict": conclude_in_reading(tested, comparisons)[0],
            "margin": min(comparison.margin for comparison in comparisons),
        }
        for claim in claims
        for factorial, table in measured
        for reading, comparisons, tested in _readings(claim, factorial, table, choices)
    ]
    columns = ["claim", "factorial", *choices, "comparisons", "verdict", "margin"]
    return pd.DataFrame(rows, columns=columns)


def shares(readings: pd.DataFrame, claims: Iterable[Claim], choices: Choices) -> pd.DataFrame:
    """Return the shares of readings (of `judge_all`) with each outcome: ``shares.csv``.

    The first row of each claim and factorial is for the paper's words and our thresholds, and has
    no choice. Each further row has another alternative of one choice. The shares are over the open
    choices and the repetitions; corrections and thresholds without a word about them are ours.
    """
    groups: dict[Hashable, str] = {claim.id: claim.group for claim in claims}
    outcomes = {name: readings["verdict"].isin(OUTCOMES[name]).astype(float) for name in OUTCOMES}
    table = readings.assign(**outcomes)
    rows = []
    for (claim, factorial), group in table.groupby(["claim", "factorial"], sort=False):
        varied = {name: choices[name] for name in choices if group[name].notna().any()}
        known = {"claim": claim, "group": groups[claim], "factorial": factorial}
        rows.append(known | _shares(group, varied, ""))
        for name, choice in varied.items():
            for alternative in group[name].unique():
                if alternative != choice.ours or choice.kind not in CONDITIONS:
                    chosen = group[group[name] == alternative]
                    key = {"kind": choice.kind, "choice": name, "alternative": alternative}
                    rows.append(known | key | _shares(chosen, varied, name))
    return pd.DataFrame(rows).reindex(columns=SHARES)


def _shares(readings: pd.DataFrame, varied: Choices, chosen: str) -> dict[str, object]:
    """Return the shares of readings of a claim, all with the same alternative of a choice."""
    others = {name: choice for name, choice in varied.items() if name != chosen}
    conditions = [name for name, choice in others.items() if choice.kind in CONDITIONS]
    seeds = [name for name, choice in others.items() if choice.kind == REPETITION]
    ours = pd.Series({name: choice.ours for name, choice in others.items()}, dtype=str)
    is_ours = readings[[*others]] == ours
    here = readings[is_ours[conditions].all(axis="columns")]
    by_seed = here.groupby(["claim", *seeds])["holds"].mean()
    by_condition = readings.groupby(["claim", *conditions])["holds"].mean()
    return {
        "readings": len(here) // len(by_seed),
        "repetitions": len(by_seed),
        **here[[*OUTCOMES]].mean(),
        "se": by_seed.sem(),
        "lowest": by_condition.min(),
        "highest": by_condition.max(),
        **readings.loc[is_ours.all(axis="columns"), ["comparisons", "verdict"]].iloc[0],
    }


def _readings(
    claim: Claim, factorial: Factorial, table: pd.DataFrame, choices: Choices
) -> Iterator[tuple[Reading, list[Comparison], Claim]]:
    """Yield each reading of a claim, its comparisons, and the claim with its thresholds."""
    rows = _rows_of(claim, table)
    varied = {
        name: names
        for name, names in factorial.varies.items()
        if len(rows[name].dropna().unique()) > 1
    }
    thresholds = {
        name: [*choice.alternatives]
        for name, choice in choices.items()
        if any(_is_threshold(claim, parameter) for parameter in choice.parameters)
    }
    # the number of each row's alternative; -1 for a row that is valid for all
    codes = [
        rows[choice].astype(pd.CategoricalDtype([*names])).cat.codes.to_numpy()
        for choice, names in varied.items()
    ]
    measures = rows.reindex(columns=COLUMNS)
    losses: dict[tuple[int, ...], pd.DataFrame] = {}
    for numbers in product(*map(range, map(len, varied.values()))) if len(rows) else []:
        matches = np.ones(len(rows), dtype=bool)
        of_seeds = matches.copy()
        for name, code, number in zip(varied, codes, numbers, strict=True):
            is_valid = (code == number) | (code == -1)
            matches &= is_valid
            of_seeds &= is_valid | (name == SEED)
        reading = {name: varied[name][i] for name, i in zip(varied, numbers, strict=True)}
        others = tuple(i for name, i in zip(varied, numbers, strict=True) if name != SEED)
        if others not in losses:
            losses[others] = losses_over_splits(rows[of_seeds])
        results = replace(_results(measures[matches]), losses=losses[others])
        known: dict[str, list[Comparison]] = {}
        for values in product(*thresholds.values()):
            limits = dict(zip(thresholds, values, strict=True))
            tested = _with_thresholds(claim, limits, choices)
            key = repr(tested.parameters)  # the tolerance changes no comparison
            if key not in known:
                known[key] = compare(tested, results)
            if known[key]:
                yield {**reading, **limits}, known[key], tested


def losses_of_ours(measured: Collection[tuple[Factorial, pd.DataFrame]]) -> pd.DataFrame:
    """Return the losses over splits in the reading of the paper's design: ``losses.csv``."""
    tables = [pd.DataFrame(columns=LOSSES)]
    for factorial, table in measured:
        is_ours = np.ones(len(table), dtype=bool)
        for name, names in factorial.varies.items():
            others = {*names} - {factorial.ours[name]}
            is_ours &= ~table[name].isin(others) | (name == SEED)
        tables.append(losses_over_splits(table[is_ours]))
    return pd.concat([table for table in tables if len(table)] or tables)


def losses_over_splits(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the losses of accuracy over the splits of the records: the columns `LOSSES`.

    rows: of a measured table, in one reading with all its seeds, each of which has its own split.
    A loss is the accuracy of ``other`` minus that of the mechanism on the same split. The other one
    is the original counts, or a mechanism at the same ε, and the same δ if both have one. sd: of
    the losses over the splits. half_width: of the 95 % interval of their mean, by t.
    """
    keys = ["dataset", "mechanism", "epsilon", "delta"]
    accuracies = rows[rows["metric"] == "accuracy"].fillna({"epsilon": 0, "delta": 0})
    number = accuracies[SEED].nunique() if SEED in accuracies else 0
    if number < 2:
        return pd.DataFrame(columns=LOSSES)
    index = [*keys, "repeats"]
    means = accuracies.pivot_table("mean", index=index, columns=SEED, aggfunc="first")
    named: Iterable[Any] = means.index.to_frame().itertuples(index=False)
    points = [*zip(named, means.to_numpy(), strict=True)]
    quantile = float(stdtrit(number - 1, 0.975))
    losses: list[tuple[Any, ...]] = []
    for (point, mean), (other, other_mean) in product(points, repeat=2):
        same_delta = point.delta == other.delta or 0 in (point.delta, other.delta)
        same_point = point.epsilon == other.epsilon > 0 and same_delta
        is_pair = same_point and other.mechanism < point.mechanism
        is_loss = other.mechanism == ORIGINAL != point.mechanism
        if point.dataset == other.dataset and (is_pair or is_loss):
            names = point.dataset, point.mechanism, other.mechanism
            at = point.epsilon or np.nan, max(point.delta, other.delta) or np.nan
            loss = other_mean - mean
            sd = float(loss.std(ddof=1))
            half_width = quantile * sd / sqrt(number)
            losses.append((*names, *at, point.repeats, number, float(loss.mean()), sd, half_width))
    return pd.DataFrame(losses, columns=LOSSES)


def _rows_of(claim: Claim, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a measured table on which a claim depends, none without its subject."""
    parameters = claim.parameters
    datasets = parameters.get("datasets") or [parameters.get("dataset")]
    metric = parameters.get("metric", "accuracy")
    table = table[table["dataset"].isin(datasets)]
    is_original = table["mechanism"] == ORIGINAL
    is_measured = ~is_original & (table["metric"] == metric)
    # a claim that lists no mechanisms is about all of them
    if lists := [parameters[name] for name in MECHANISMS if isinstance(parameters.get(name), list)]:
        named = {parameters.get("mechanism"), *chain(*lists)}
        is_measured &= table["mechanism"].isin(named)
    if not is_measured.any():
        return table[:0]
    is_baseline = is_original & table["metric"].isin(["records", metric])
    return table[is_measured | is_baseline]


def _is_threshold(claim: Claim, parameter: str) -> bool:
    """Return whether a claim has a number as this parameter."""
    value = claim.tolerance if parameter == "tolerance" else claim.parameters.get(parameter)
    return isinstance(value, float | int)


def _with_thresholds(claim: Claim, limits: Mapping[str, str], choices: Choices) -> Claim:
    """Return a claim with some thresholds replaced; ours leave it unchanged."""
    changed = {
        parameter: float(value)
        for name, value in limits.items()
        if value != choices[name].ours
        for parameter in choices[name].parameters
        if _is_threshold(claim, parameter)
    }
    tolerance = changed.pop("tolerance", claim.tolerance)
    parameters = {**claim.parameters, **changed}
    return claim.model_copy(update={"tolerance": tolerance, "parameters": parameters})


def _results(rows: pd.DataFrame) -> Results:
    """Return the rows of one reading as the results of a run."""
    is_original = rows["mechanism"] == ORIGINAL
    originals = rows[is_original]
    accuracy, sizes = (originals[originals["metric"] == name] for name in ("accuracy", "records"))
    return Results(
        summary=rows[~is_original],
        scales=pd.DataFrame(),
        baseline=accuracy.rename(columns={"mechanism": "model", "mean": "accuracy"}),
        tallies={
            dataset: pd.DataFrame({"quantity": ["records"], "count": [total]})
            for dataset, total in zip(sizes["dataset"], sizes["mean"], strict=True)
        },
    )
