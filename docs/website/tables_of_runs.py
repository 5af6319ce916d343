"""The tables of docs/numbers.md from full runs (tests/data/README.md)."""
# ruff: noqa: D205, D401  (the docstrings of sections are the texts above their tables)

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import pandas as pd
import yaml
from sections import EPSILONS, ROOT, Cell, committed, section, table
from statements import read

from ggexp import Mechanism
from ggexp.claims.check import DESIGNS, GROUPS
from ggexp.experiment.metrics import SHOWN
from ggexp.figures import tabulate_rows
from ggexp.run.pages import tally_sentences
from ggexp.words import VERDICTS

DATASETS = {"mildew": "mildew", "czech": "Czech", "adult": "Adult"}
ERRORS = {"l1": "l₁", "kl": "KL"}
CONTINUOUS = ("gg-1", "gg-2", "gg-3", "gg-best", "truncated-laplace")
APPROXIMATE = (*CONTINUOUS, "discrete-1", "discrete-2", "discrete-3", "optimal")


def means(path: str, dataset: str, metric: str) -> pd.DataFrame:
    """Return the rows of a summary, by mechanism, ε and δ (0 if the mechanism has none)."""
    summary = committed(path).fillna({"delta": 0})
    rows = summary[(summary["dataset"] == dataset) & (summary["metric"] == metric)]
    return rows.set_index(["mechanism", "epsilon", "delta"])


@section("Verdicts")
def verdicts() -> str:
    """In the paper's design. A sentence is confirmed if all statements that test it are."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for claim in read("claims"):
        if claim.get("group") not in DESIGNS:
            groups.setdefault(claim.get("group", "this project"), []).append(claim["expected"])
    steps = [claim for claim in read("claims") if "step" in claim]
    sentences = dict(tally_sentences((claim["says"], claim["expected"]) for claim in steps))
    verdicts = VERDICTS[:-1]  # without "not tested"
    counts = [sentences.get(verdict, 0) for verdict in verdicts]
    rows: list[list[Cell]] = [["sentences of section 4", sum(counts), *counts]]
    rows += [
        [f"statements: {group}", len(found), *(found.count(verdict) for verdict in verdicts)]
        for group, found in groups.items()
    ]
    return table(" | ".join(["about", "number", *verdicts]), "s d", rows)


@section("Readings")
def readings() -> str:
    """The share of the [open readings](reproduction.md#all-readings-of-the-paper) in which each
    sentence of section 4 holds, with the paper's words and our thresholds; ± is one standard error
    over the seeds. Least and most: over all combinations of corrections and thresholds.
    """
    found = pd.read_csv(ROOT / "reference/readings.csv")
    shown = tabulate_rows.sentences(found)
    written = shown[shown["choice"].isna()]
    rows = [
        [
            f"[{row['claim']}](claims.md#{row['claim']})",
            *(row[name] for name in ("readings", "repetitions", "holds")),
            f"± {row['se']:.0%}" if row["repetitions"] > 1 else "",
            *(row[name] for name in ("partly", "lowest", "highest")),
        ]
        for row in written.to_dict("records")
    ]
    holds = written["holds"]
    total = f"all {len(holds)}: {sum(holds == 1)} in all readings, {sum(holds == 0)} in none"
    rows.append([total, *[""] * 7])
    header = "sentence | open readings | seeds | holds in | ± | partly in | least | most"
    return table(header, "s ,d d .0% s .0%", rows)


@section("Conditions of the readings")
def conditions() -> str:
    """The share of open readings in which a sentence holds, if one correction or one threshold is
    another. Conditions that change no share are left out.
    """
    written = read_multiverse()
    follows = {
        (name, alternative): choice.get("follows", {}).get(alternative, "")
        for name, choice in written.items()
        for alternative in choice["alternatives"]
    }
    found = tabulate_rows.sentences(pd.read_csv(ROOT / "reference/readings.csv"))
    texts = found[found["choice"].isna()].set_index("claim")["holds"]
    changed = found[found["kind"].isin(["correction", "threshold"])]
    changed = changed[changed["holds"] != changed["claim"].map(texts)]
    rows = [
        [kind, name, alternative, follows[name, alternative], claim, texts[claim], holds]
        for kind, name, alternative, claim, holds in changed[
            ["kind", "choice", "alternative", "claim", "holds"]
        ].to_numpy()
    ]
    rows.sort(key=lambda row: [*follows].index((row[1], row[2])))
    header = "kind | choice | alternative | it follows | sentence | as written | with it"
    return table(header, "s s s s s .0%", rows)


def read_multiverse() -> dict[str, dict]:
    """Return the choices of config/multiverse.yaml, as written."""
    text = (ROOT / "config/multiverse.yaml").read_text("utf-8")
    return yaml.safe_load(text)["multiverse"]["choices"]


@section("Readings of the training")
def losses() -> str:
    """The mean loss of accuracy on Adult with Gaussian-aDP at ε = 0.5, over δ, seeds and bins."""
    found = pd.read_csv(ROOT / "tests/data/multiverse/figure_m2.csv")
    keys = ["test-records", "training", "rounding", "baseline"]
    found = found[(found["mechanism"] == "gaussian-adp") & (found["epsilon"] == 0.5)]
    rows = [[*key, mean] for key, mean in found.groupby(keys)["mean"].mean().items()]
    return table(" | ".join([*keys, "loss (percentage points)"]), "s s s s .2f", rows)


@section("The paper's design")
def paper() -> str:
    """Means over 500 releases. δ = 0 means ε-DP. Equal counts in all listed cells are a table
    without information.
    """
    digits = {"mildew": (".1f", ".3f"), "czech": (".1f", ".5f"), "adult": (",.0f", ".4f", ".2%")}
    return "\n\n".join(
        f"### {title}\n\n{errors(dataset, digits[dataset])}" for dataset, title in DATASETS.items()
    )


def errors(dataset: str, digits: Sequence[str]) -> str:
    """Return the mean errors and accuracies of all mechanisms of the paper's design."""
    metrics = {"l1": "l₁", "kl": "KL", "accuracy": "accuracy"}
    shown = dict(zip(metrics, digits, strict=False))
    found = [means("full_run/summary", dataset, metric)["mean"] for metric in shown]
    titles = [f"{metrics[metric]}, ε = {e:g}" for metric in shown for e in EPSILONS]
    rows: list[list[Cell]] = [
        [name, delta, *(mean[name, e, delta] for mean in found for e in EPSILONS)]
        for name, delta in found[0].index.droplevel("epsilon").unique()
    ]
    equal = equal_counts("full_run", dataset)
    rows.append(["equal counts", "", *(equal[metric] for metric in shown for _ in EPSILONS)])
    return table(
        " | ".join(["mechanism", "δ", *titles]),
        " ".join(["s", "g", *(digit for digit in digits for _ in EPSILONS)]),
        rows,
    )


def equal_counts(run: str, dataset: str) -> dict[str, float]:
    """Return metric -> error of equal counts, or accuracy of training on them."""
    errors, models = committed(f"{run}/equal_counts"), committed(f"{run}/baseline")
    errors = errors[errors["dataset"] == dataset].set_index("metric")["equal"]
    accuracies = models[models["dataset"] == dataset].set_index("model")["accuracy"]
    return errors.to_dict() | {"accuracy": accuracies.get("equal", float("nan"))}


@cache
def ranked(dataset: str, mechanisms: tuple[str, ...]) -> pd.DataFrame:
    """Return the ranks of mechanisms at equal privacy, by error, ε, δ and mechanism."""
    summary = committed("equal_privacy/summary")
    selected = (summary["dataset"] == dataset) & summary["mechanism"].isin(mechanisms)
    equal = committed("full_run/equal_counts").query("dataset == @dataset")
    return tabulate_rows.ranks(summary[selected], SHOWN, equal)


def ranks(dataset: str, error: str, *mechanisms: str) -> Iterator[tuple[tuple, pd.DataFrame]]:
    """Yield each (ε, δ) with the ranks of mechanisms at equal privacy."""
    found = ranked(dataset, mechanisms)
    rows = found[found["error"] == error].set_index("mechanism", drop=False)
    yield from rows.groupby(["epsilon", "delta"], dropna=False)


@section("Wins at equal privacy")
def winners() -> str:
    """Of the points (ε, δ) with δ from 0.01 to 0.25. Better and worse: by more than three standard
    errors.
    """
    compared = {
        "optimal": (APPROXIMATE, "all mechanisms"),
        "truncated-laplace": (CONTINUOUS, "continuous noise"),
        "gg-1": (CONTINUOUS[:3], "the orders 1, 2 and 3"),
    }
    rows = []
    for (name, (group, words)), error in product(compared.items(), ERRORS):
        for dataset, title in DATASETS.items():
            smallest = better = worse = points = 0
            for (_, delta), found in ranks(dataset, error, *group):
                if delta < 0.01:
                    continue
                loses = found["excess"] > 3 * found["excess_se"]
                points += 1
                smallest += found.loc[name, "rank"] == 1
                better += found.loc[name, "rank"] == 1 and loses.drop(name).all()
                worse += loses[name]
            tied = points - better - worse
            rows.append([f"`{name}`", words, ERRORS[error], title, smallest, better, tied, worse])
    return table("noise | among | error | data | smallest mean | better | tied | worse", "d", rows)


@section("Smallest l₁ distance at equal privacy")
def least_l1() -> str:
    """Under (ε, δ)-approximate DP ([equal privacy](equal-privacy.md)). Geometric noise satisfies
    the stronger ε-DP.
    """
    rows = []
    for dataset, title in DATASETS.items():
        for (epsilon, delta), found in ranks(dataset, "l1", *APPROXIMATE):
            best = found.loc[found["rank"].idxmin()]
            name = best["mechanism"]
            continuous = found.loc[found.loc[[*CONTINUOUS], "rank"].idxmin()]
            pure = dict(ranks(dataset, "l1", "laplace", "geometric", name))[epsilon, delta]
            excesses = [continuous["excess"], pure.loc["geometric", "excess"]]
            mean = f"{best['mean']:,.1f} ± {best['se']:,.1f}"
            rows.append([title, epsilon, delta, name, mean, continuous["mechanism"], *excesses])
    return table(
        "data | ε | δ | smallest | mean l₁ | best continuous | exceeds by | geometric exceeds by",
        "s g g s s s +.1%",
        rows,
    )


@section("Geometric instead of Laplace noise")
def pure_noise() -> str:
    """The change of the mean error under ε-DP."""
    rows = []
    for (dataset, title), error in product(DATASETS.items(), ERRORS):
        found = [points["mean"] for _, points in ranks(dataset, error, "laplace", "geometric")]
        changes = [mean["geometric"] / mean["laplace"] - 1 for mean in found]
        rows.append([f"{title}, {ERRORS[error]}", *changes])
    return table("data and error | ε = 0.5 | 1 | 2", "s +.1%", rows)


@section("Size of noise at equal privacy")
def moments() -> str:
    """At (2, 0.25)."""
    scales = committed("equal_privacy/scales").query("epsilon == 2 and delta == 0.25")
    rows = []
    for row in scales[scales["mechanism"].isin(APPROXIMATE)].to_dict("records"):
        order = None if row["mechanism"] == "optimal" else row["order"]
        noise = Mechanism(order, row["calibration"]).noise(epsilon=2, delta=0.25)
        rows.append([f"`{row['mechanism']}`", noise.mean_absolute, noise.sd])
    return table("noise | E\\|e\\| | standard deviation", "s .3f", rows)


@section("The paper's noise if a record is replaced")
def paper_if_replaced() -> str:
    """The exact δ of approximate DP at the same ε ([limits](limits.md))."""
    scales = committed("full_run/scales").fillna({"delta": 0})
    columns = ["mechanism", "epsilon", "delta", "sd", "replaced_delta"]
    rows = scales[columns].drop_duplicates().itertuples(index=False)
    return table("mechanism | ε | claimed δ | standard deviation | exact δ", "s g g .2f .3g", rows)


@section("Empty cells")
def empty_cells() -> str:
    """Means over 50 releases of Adult; accuracies over 10, ± one standard deviation
    ([empty cells](empty-cells.md)).
    """
    metrics = {"kept": ",.1f", "kept_records": ",.0f", "added": ",.0f", "l1": ",.0f"}
    points = {
        "threshold": [("laplace", 0.5, 0), ("laplace", 2, 0), ("ggm-3", 2, 0.25)],
        "stability": [
            *(("laplace", 0.5, 0.01), ("laplace", 1, 0.05), ("laplace", 2, 0.01)),
            *(("laplace", 2, 0.25), ("ggm-3", 2, 0.25)),
        ],
    }
    domains = {"adult": "all", "no-fnlwgt": "no fnlwgt", "five-columns": "five columns"}
    baseline = committed("empty_cells/baseline").set_index(["dataset", "model"])["accuracy"]
    rows: list[list[Cell]] = []
    for (domain, title), kind in product(domains.items(), points):
        dataset = f"{domain}-{kind}"
        found = [means("empty_cells/summary", dataset, metric)["mean"] for metric in metrics]
        accuracies = means("empty_cells/summary", dataset, "accuracy")
        for point in points[kind]:
            accuracy = ""
            if point in accuracies.index:
                accuracy = "{mean:.1%} ± {sd:.1%}".format(**accuracies.loc[point])
            rows.append([title, kind, *point, *(mean[point] for mean in found), accuracy])
        models = ("original", "majority")
        accuracies_of_models = [f"{baseline[dataset, model]:.1%}" for model in models]
        rows += [
            [title, kind, model, *[""] * 6, accuracy]
            for model, accuracy in zip(models, accuracies_of_models, strict=True)
        ]
        l1 = equal_counts("empty_cells", dataset)["l1"]
        rows.append([title, kind, "equal counts in all cells", *[""] * 5, l1, ""])
    header = "domain | release | noise | ε | δ | retained cells | their records"
    return table(
        f"{header} | added empty cells | l₁ | accuracy",
        f"s s s g g {' '.join(metrics.values())} s",
        rows,
    )


@section("Number of synthetic records")
def synthetic_records() -> str:
    """By the method `counts` ([synthetic records](synthetic.md))."""
    made = committed("synthetic/records").query("metric == 'records'")
    rows = []
    for dataset, title in DATASETS.items():
        found = made[made["dataset"] == f"{dataset}-records"]
        found = found.set_index(["mechanism", "epsilon", "method"])["mean"]
        points = product(("laplace", "gaussian-pdp"), EPSILONS)
        counts = [found[*point, "counts"] for point in points]
        rows.append([title, found["laplace", 1, "release"], *counts])
    titles = [f"{name}, ε = {e:g}" for name in ("Laplace", "Gaussian-pDP") for e in EPSILONS]
    return table(" | ".join(["data", "original", *titles]), "s ,.0f ,.1f", rows)


@section("Error of synthetic records")
def marginal_errors() -> str:
    """The share of records to move to restore the original two-way marginals; Laplace noise."""
    methods = ("release", "largest-remainder", "counts", "multinomial")
    found = committed("synthetic/records").query("metric == 'two_way' and mechanism == 'laplace'")
    errors = found.set_index(["dataset", "epsilon", "method"])["mean"]
    rows = [
        [title, e, *(errors[f"{dataset}-records", e, method] for method in methods)]
        for dataset, title in DATASETS.items()
        for e in EPSILONS
    ]
    return table("data | ε | the release itself | " + " | ".join(methods[1:]), "s g .2%", rows)


@section("Noise for several tables")
def noise_of_tables() -> str:
    """Its standard deviation, if m tables satisfy (1, δ) together
    ([several tables](several-tables.md)).
    """
    found = committed("figure_s9")
    names = ("Laplace, ε/m", "order 1", "order 1.5", "order 2", "order 3", "best order")
    sds = found.set_index(["delta", "tables", "noise"])["sd"]
    orders = found[found["noise"] == names[-1]].set_index(["delta", "tables"])["order"]
    rows = [
        [f"{delta:g}", tables, *(sds[delta, tables, name] for name in names), order]
        for (delta, tables), order in orders.items()
    ]
    header = f"δ | m | {' | '.join(names)} | the best order"
    return table(header, "s d .3f .3f .3f .3f .3f .3f .2f", rows)


@section("Wrong modes")
def wrong_modes() -> str:
    """The exact probability that the released mode is wrong."""
    names = ("exponential", "exponential-one-sided", "laplace", "gaussian-pdp", "ggm-3")
    modes = (*names, "gaussian-adp")
    wrong = committed("synthetic/modes").set_index(["dataset", "mechanism", "epsilon"])["wrong"]
    datasets = {"mildew-records": "mildew", "czech-records": "Czech", "adult-age": "Adult, age"}
    rows = [
        [title, e, *(wrong[dataset, mode, e] for mode in modes)]
        for dataset, title in datasets.items()
        for e in EPSILONS
    ]
    return table("data | ε | " + " | ".join(modes), "s g .2g", rows)
