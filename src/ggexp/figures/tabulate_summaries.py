"""The numbers of figures that show summaries: of a data set, and of all readings.

The tables errors, accuracy and retained have the columns of `ggexp.experiment.summary.summarize`
for one data set. The table equal has the errors of equal counts in all cells; a figure's column
equal has that of its row's metric.
"""

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np
import pandas as pd

MARGINALS = ["one_way", "two_way"]
TRAINING = ["dataset", "mechanism", "epsilon", "delta", "method"]
ACCURACIES = ["repeats", "mean", "sd", "se", "loss"]
#: The models of `baseline`, which are rows of figures of accuracy.
MODELS = ORIGINAL, MAJORITY, EQUAL = "original", "majority", "equal"
#: The metric of rows with ratios.
RATIO = "ratio"
#: The error that replaces the metric accuracy: the share of test records predicted wrongly.
MISCLASSIFICATION = "misclassification"
#: The metrics of a figure of retained cells, and the mechanism of their references.
RETAINED = ["l1", "kept", "accuracy"]
REFERENCE = "reference"
#: The group of the claims whose readings are shown, and their outcomes.
GROUP = "results of section 4"
OUTCOMES = ["holds", "partly", "undecided", "fails"]
#: The kinds of choices that are conditions of a share.
CONDITIONS = ("correction", "threshold")
#: The losses that the paper states of the Adult data, in percentage points.
STATED_LOSSES = (0.25, 1.0)
#: Baseline -> the choices on which its accuracy depends.
DEPENDS_ON = {
    "same": ["training", "test-records", "bins", "seed"],
    "weighted": ["test-records", "bins", "seed"],
    "records": ["seed"],
}


def deltas_of(table: pd.DataFrame) -> list[float]:
    """Return the δ of a figure's panels, or [NaN] if no mechanism has a δ."""
    return list(table["delta"].dropna().unique()) or [np.nan]


def rows_at(table: pd.DataFrame, delta: float) -> pd.DataFrame:
    """Return the rows at this δ, and the rows of mechanisms without a δ."""
    return table[table["delta"].isna() | (table["delta"] == delta)]


def with_equal(table: pd.DataFrame, equal: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the column equal, which is empty for metrics without it."""
    return table.assign(equal=table["metric"].map(equal.set_index("metric")["equal"]))


def errors(
    errors: pd.DataFrame,
    metrics: Collection[str],
    equal: pd.DataFrame,
    recommended: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the rows of these metrics, and ratios of the first of them: Figures 7, 9 and 11.

    recommended: the result of `ggexp.recommend`, perhaps of several data sets.
    Rows of the metric "ratio" have the mean of a mechanism divided by the mean of another one at
    the same ε and δ, which is in the column reference, and the standard error of the ratio. The
    other mechanism is the one recommended at the largest number of grid points, or without
    recommendations Laplace, if it is there, or the first.
    """
    drawn = errors[errors["metric"].isin(metrics)]
    first = drawn[drawn["metric"] == drawn["metric"].iloc[0]]
    names = [*first["mechanism"].unique()]
    reference = "laplace" if "laplace" in names else names[0]
    if recommended is not None:
        is_about = recommended["dataset"].isin(first["dataset"])
        is_about &= recommended["metric"].isin(first["metric"])
        reference = Counter(recommended["mechanism"][is_about]).most_common(1)[0][0]
    other = first[first["mechanism"] == reference].set_index(["epsilon", "delta"])
    if other.index.get_level_values("delta").isna().all():
        by_delta = [(first, other.droplevel("delta"))]
    else:
        by_delta = [
            (rows_at(first, delta).assign(delta=delta), other.xs(delta, level="delta"))
            for delta in deltas_of(first)
        ]
    ratios = [_ratios(rows, others, reference) for rows, others in by_delta]
    return with_equal(pd.concat([drawn, *ratios], ignore_index=True), equal)


def _ratios(rows: pd.DataFrame, others: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return rows with the ratios to the means of others, which are by ε."""
    mean, se = (rows["epsilon"].map(others[name]) for name in ("mean", "se"))
    ratio = (rows["mean"] / mean).where(rows["mean"] != mean, 1.0)
    error = ratio * np.hypot(rows["se"] / rows["mean"], se / mean)
    error = error.where(rows["mechanism"] != reference, 0.0)
    return rows.assign(metric=RATIO, mean=ratio, sd=np.nan, se=error, reference=reference)


def losses(accuracy: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracies by grid point and of the baselines, and their losses: Figure 12.

    baseline: model and accuracy. Its rows become the last rows, with the model as mechanism and the
    accuracy as mean. loss: the accuracy of "original" minus the mean, in percentage points.
    """
    baselines = baseline.rename(columns={"model": "mechanism", "accuracy": "mean"})
    table = pd.concat([accuracy.drop(columns="metric"), baselines])
    original = baselines.set_index("mechanism")["mean"][ORIGINAL]
    return table.assign(loss=100 * (original - table["mean"]))


def marginals(synthetic: pd.DataFrame, equal: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of marginals from a data set's summary of synthetic records."""
    return with_equal(synthetic[synthetic["metric"].isin(MARGINALS)], equal)


def training(
    synthetic: pd.DataFrame, accuracy: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Return the accuracies of training on synthetic records and on releases, and of baselines.

    synthetic: a data set's summary of synthetic records. accuracy: of training on its releases,
    whose rows get the method "release". baseline, and the column loss: as in Figure 12.
    """
    of_records = synthetic[synthetic["metric"] == "accuracy"]
    accuracies = pd.concat([accuracy.assign(method="release"), of_records])
    return losses(accuracies, baseline)[TRAINING + ACCURACIES]


def count_bias(count_bias: pd.DataFrame) -> pd.DataFrame:
    """Return the measured count bias at all grid points of a data set, unchanged.

    count_bias: the third table of `ggexp.experiment.marginals.measure_records`, for all points.
    """
    return count_bias


def retained_cells(
    retained: pd.DataFrame,
    tally: pd.DataFrame,
    equal: pd.DataFrame,
    accuracy: pd.DataFrame | None = None,
    baseline: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the rows of a data set's summaries that are drawn, and a reference for each metric.

    tally: of the records. baseline: model and accuracy.
    The references are rows of the mechanism "reference". For l1 it is twice the number of records,
    the distance of a release that has nothing in common with the original; for kept, the number of
    non-empty cells; for accuracy, the accuracy of training on the original counts.
    """
    quantity = tally.set_index("quantity")["count"]
    references = {"l1": 2 * quantity["training"], "kept": quantity["cells"]}
    if baseline is not None:
        references["accuracy"] = baseline.set_index("model")["accuracy"]["original"]
    summary = pd.concat([retained, accuracy])
    shown = summary[summary["metric"].isin(RETAINED)]
    rows = pd.DataFrame({"metric": references.keys(), "mean": references.values()})
    rows = rows.assign(mechanism=REFERENCE, dataset=summary["dataset"].iloc[0])
    return with_equal(pd.concat([shown, rows], ignore_index=True), equal)


def ranks(
    errors: pd.DataFrame,
    metrics: Iterable[str],
    equal: pd.DataFrame,
    accuracy: pd.DataFrame | None = None,
    baseline: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the excess of each mechanism's error over the smallest error, at each ε and δ.

    metrics: the errors to rank. baseline: model and accuracy.
    The columns are error (a metric, or `MISCLASSIFICATION`), epsilon, delta, mechanism, rank (from
    1), repeats, mean, se of the mean, excess (the mean divided by the smallest mean, minus 1),
    excess_se (its standard error by the delta method, 0 for the smallest mean) and equal (the
    excess of equal counts). A mechanism without a δ has a row for each δ of the other mechanisms.
    """
    of_equal = equal.set_index("metric")["equal"].to_dict()
    if baseline is not None:
        of_equal[MISCLASSIFICATION] = 1 - baseline.set_index("model")["accuracy"].get(EQUAL, np.nan)
    summary = pd.concat([errors, accuracy])
    deltas = deltas_of(summary)
    ranked_by = {metric: metric for metric in metrics} | {"accuracy": MISCLASSIFICATION}
    ranked = [
        _ranked(
            rows_at(means[means["epsilon"] == epsilon], delta),
            *(error, epsilon, delta, of_equal.get(error, np.nan)),
        )
        for metric, error in ranked_by.items()
        for means in [summary[summary["metric"] == metric]]
        for epsilon in means["epsilon"].unique()
        for delta in deltas
    ]
    return pd.concat(ranked, ignore_index=True)


def _ranked(
    means: pd.DataFrame, error: str, epsilon: float, delta: float, equal: float
) -> pd.DataFrame:
    """Return the rows of one error at one (ε, δ), in the order of the mechanisms."""
    mean = 1 - means["mean"] if error == MISCLASSIFICATION else means["mean"]
    best = mean.argmin()
    smallest, smallest_se = mean.iloc[best], means["se"].iloc[best]
    is_best = np.arange(len(mean)) == best
    with np.errstate(divide="ignore", invalid="ignore"):  # if the smallest error is 0
        ratio = np.where(mean == smallest, 1.0, mean / smallest)
        excess_se = ratio * np.hypot(means["se"] / mean, smallest_se / smallest)
        excess_of_equal = np.divide(equal, smallest) - 1
    return pd.DataFrame(
        {
            "error": error,
            "epsilon": epsilon,
            "delta": delta,
            "mechanism": means["mechanism"],
            "rank": mean.rank(method="first").astype(int),
            "repeats": means["repeats"],
            "mean": mean,
            "se": means["se"],
            "excess": ratio - 1,
            "excess_se": np.where(is_best, 0.0, excess_se),
            "equal": excess_of_equal,
        }
    )


def sentences(shares: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of readings in which each sentence of the paper's results holds: Figure M1.

    shares: the table of `ggexp.multiverse.universes`. A sentence has each of its rows once, from
    the factorial with the most readings.
    """
    table = shares[shares["group"] == GROUP].sort_values("readings", kind="stable", ascending=False)
    table = table.drop_duplicates(["claim", "choice", "alternative"]).sort_index()
    return table.drop(columns=["group", "factorial", "comparisons", "verdict"])


def losses_of_readings(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the losses of accuracy of each mechanism at each ε, by reading.

    measured: the measured table of accuracies (`ggexp.multiverse.accuracy.measure`) that varies
        rounding, training, baseline, test records, bins and seed.
    The columns are test-records, baseline, training, rounding, epsilon and mechanism; losses, the
    number of losses, one for each δ, seed and set of bins; their mean, and the lowest and highest
    of them, in percentage points; and within, the share of them in `STATED_LOSSES`.
    """
    is_original = measured["mechanism"] == ORIGINAL
    releases = measured[measured["epsilon"].notna()].drop(columns="baseline")
    parts = []
    for baseline, choices in DEPENDS_ON.items():
        originals = measured[is_original & (measured["baseline"] == baseline)]
        originals = originals[[*choices, "mean"]].rename(columns={"mean": "original"})
        parts.append(releases.merge(originals, on=choices).assign(baseline=baseline))
    table = pd.concat(parts, ignore_index=True)
    table["loss"] = 100 * (table["original"] - table["mean"])
    table["within"] = table["loss"].between(*STATED_LOSSES)
    keys = ["test-records", "baseline", "training", "rounding", "epsilon", "mechanism"]
    summaries = {
        "losses": ("loss", "size"),
        "mean": ("loss", "mean"),
        "lowest": ("loss", "min"),
        "highest": ("loss", "max"),
        "within": ("within", "mean"),
    }
    # sorted by the keys, each of them in the order of the measured table
    ordered = {
        name: pd.Categorical(table[name], table[name].unique())
        for name in keys
        if name != "epsilon"
    }
    groups = table.assign(**ordered).groupby(keys, observed=True)
    return groups.agg(**summaries).reset_index().astype(dict.fromkeys(ordered, str))
