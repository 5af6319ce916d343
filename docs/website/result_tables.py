"""Write docs/numbers.md: tables of results, and the statements that runs test with their verdicts.

The numbers are from the committed tables of full runs (tests/data/README.md), from the CSV files of
the benchmarks, and from the library. No page repeats them; pages link to the sections.
"""
# ruff: noqa: D205, D401  (the docstrings of sections are the texts above their tables)

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from inspect import cleandoc
from itertools import pairwise, product
from math import erf, exp, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import gennorm, norm
from statements import read

from ggexp import GeneralizedGaussian, Mechanism, bounded, epsilon_for_error
from ggexp.claims.check import VERDICTS
from ggexp.companions import queries
from ggexp.companions.continuous_guesses import Normal, best_radius
from ggexp.companions.figures import tabulate_above_best
from ggexp.experiment.metrics import SHOWN
from ggexp.figures import tabulate_best_order, tabulate_ranks
from ggexp.guarantees import advantage, approximate_advantage, composition
from ggexp.guarantees.composition import Composition
from ggexp.mechanisms.noise_losses import randomized_response
from ggexp.run.columns import read_csv

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/numbers.md"

INTRODUCTION = """\
# Numbers

`make numbers` writes this page from the tables of full runs in `tests/data/`, from the CSV files of
the benchmarks, and from the library. Pairs are (ε, δ). ± is one standard error of the mean.
[Statements](#statements) lists what runs test, with the verdicts.
"""

EPSILONS = (0.5, 1, 2)  # these and the δ are the paper's
DELTAS = (0.01, 0.05, 0.1, 0.25)
GRID = [*product(EPSILONS, DELTAS)]
DATASETS = {"mildew": "mildew", "czech": "Czech", "adult": "Adult"}
ERRORS = {"l1": "l₁", "kl": "KL"}
CONTINUOUS = ("gg-1", "gg-2", "gg-3", "gg-best", "truncated-laplace")
APPROXIMATE = (*CONTINUOUS, "discrete-1", "discrete-2", "discrete-3", "optimal")
#: Beginnings of the names of statements about runs other than the paper's.
OTHER_RUNS = ("equal-", "replaced-", "empty-")

Cell = float | str
Rows = Iterable[Sequence[Cell]]
#: The titles of the sections and the functions that make their tables, in the order of the page.
SECTIONS: list[tuple[str, Callable[[], str]]] = []


def section(title: str) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Add a section: the docstring of the decorated function is the text above its table."""

    def add(make: Callable[[], str]) -> Callable[[], str]:
        SECTIONS.append((title, make))
        return make

    return add


def table(header: str, formats: str, rows: Rows) -> str:
    """Return a table in Markdown.

    header: the titles of the columns, separated by " | ". formats: for each column, how a number is
    formatted, separated by spaces; the last one holds for all remaining columns.
    """
    columns = header.count(" | ") + 1
    specifications = formats.split()
    specifications += specifications[-1:] * (columns - len(specifications))
    lines = [f"| {header} |", "|" + "---|" * columns]
    for row in rows:
        cells = [
            cell if isinstance(cell, str) else f"{cell:{specification}}"
            for cell, specification in zip(row, specifications, strict=True)
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


@cache
def committed(path: str) -> pd.DataFrame:
    """Return a table of a full run, by its path below tests/data."""
    return read_csv(ROOT / f"tests/data/{path}.csv")


def means(path: str, dataset: str, metric: str) -> pd.DataFrame:
    """Return the rows of a summary, by mechanism, ε and δ (0 if the mechanism has none)."""
    summary = committed(path).fillna({"delta": 0})
    rows = summary[(summary["dataset"] == dataset) & (summary["metric"] == metric)]
    return rows.set_index(["mechanism", "epsilon", "delta"])


@section("Verdicts")
def verdicts() -> str:
    """On the sentences of the paper and on our own, in the paper's design."""
    groups: dict[str, list[str]] = {}
    for claim in read("claims"):
        if not claim["id"].startswith(OTHER_RUNS):
            groups.setdefault(claim.get("group", "this project"), []).append(claim["expected"])
    rows = [
        [group, len(found), *(found.count(verdict) for verdict in VERDICTS)]
        for group, found in groups.items()
    ]
    return table(" | ".join(["about", "statements", *VERDICTS]), "s d", rows)


@section("Readings")
def readings() -> str:
    """The share of the [readings](reproduction.md#all-readings-of-the-paper) of the paper in
    which each sentence of section 4 holds.
    """
    found = pd.read_csv(ROOT / "reference/readings.csv")
    found = found[found["group"] == "results of section 4"]
    largest = found.sort_values("readings", ascending=False, kind="stable")
    sentences = largest.drop_duplicates("claim").set_index("claim").loc[found["claim"].unique()]
    rows = [
        [f"[{name}](claims.md#{name})", row["readings"], row["holds"], row["partly"]]
        for name, row in sentences.iterrows()
    ]
    holds = sentences["holds"]
    total = f"all {len(holds)}: {sum(holds == 1)} in all readings, {sum(holds == 0)} in none"
    rows.append([total, sentences["readings"].sum(), "", ""])
    return table("sentence | readings | holds in | partly in", "s ,d .0%", rows)


@section("Readings of the training")
def losses() -> str:
    """The mean loss of accuracy on Adult with Gaussian-aDP at ε = 0.5, over δ, splits and bins."""
    found = pd.read_csv(ROOT / "tests/data/multiverse/figure_m2.csv")
    keys = ["test-records", "training", "rounding", "baseline"]
    found = found[(found["mechanism"] == "gaussian-adp") & (found["epsilon"] == 0.5)]
    rows = [[*key, mean] for key, mean in found.groupby(keys)["mean"].mean().items()]
    return table(" | ".join([*keys, "loss (percentage points)"]), "s s s s .2f", rows)


@section("The paper's design")
def paper() -> str:
    """Means over 500 releases. δ = 0 means ε-DP."""
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
    return table(
        " | ".join(["mechanism", "δ", *titles]),
        " ".join(["s", "g", *(digit for digit in digits for _ in EPSILONS)]),
        [
            [name, delta, *(mean[name, e, delta] for mean in found for e in EPSILONS)]
            for name, delta in found[0].index.droplevel("epsilon").unique()
        ],
    )


@cache
def ranked(dataset: str, mechanisms: tuple[str, ...]) -> pd.DataFrame:
    """Return the ranks of mechanisms at equal privacy, by error, ε, δ and mechanism."""
    summary = committed("equal_privacy/summary")
    selected = (summary["dataset"] == dataset) & summary["mechanism"].isin(mechanisms)
    return tabulate_ranks.tabulate(summary[selected], SHOWN)


def ranks(dataset: str, error: str, *mechanisms: str) -> Iterator[tuple[tuple, pd.DataFrame]]:
    """Yield each (ε, δ) with the ranks of mechanisms at equal privacy."""
    found = ranked(dataset, mechanisms)
    rows = found[found["error"] == error].set_index("mechanism", drop=False)
    yield from rows.groupby(["epsilon", "delta"], dropna=False)


@section("Wins at equal privacy")
def winners() -> str:
    """Of twelve points (ε, δ). Better and worse: by more than three standard errors."""
    compared = {
        "optimal": (APPROXIMATE, "all mechanisms"),
        "truncated-laplace": (CONTINUOUS, "continuous noise"),
        "gg-1": (CONTINUOUS[:3], "the orders 1, 2 and 3"),
    }
    rows = []
    for (name, (group, words)), error in product(compared.items(), ERRORS):
        for dataset, title in DATASETS.items():
            smallest = better = worse = points = 0
            for _, found in ranks(dataset, error, *group):
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


@section("Orders if a record is replaced")
def orders_if_replaced() -> str:
    """The smallest standard deviation under exact (ε, δ)-approximate DP, for the orders 1 to 3,
    if one record is added or removed (±1), and if one is replaced.
    """
    orders = (1, 1.25, 1.5, 2, 3)
    rows = [
        [
            *point,
            *(
                Mechanism(order, "adp-exact").noise(epsilon=point[0], delta=point[1], cells=n).sd
                for n in (1, 2)
                for order in orders
            ),
        ]
        for point in GRID
    ]
    titles = [f"{neighbours}: {order:g}" for neighbours in ("±1", "replaced") for order in orders]
    return table(" | ".join(["ε | δ", *titles]), "g g .3f", rows)


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


@section("Noise by rule")
def noise_by_rule() -> str:
    """The standard deviation for one count."""
    rules = [("pure", 1), ("pdp", 2), ("pdp", 3), *(("adp-exact", order) for order in (1, 2, 3))]
    rows = [
        [*point, *(noise_of(rule, order, *point).sd for rule, order in rules)] for point in GRID
    ]
    titles = [f"`{rule}`, p = {order}" for rule, order in rules]
    return table(" | ".join(["ε", "δ", *titles]), "g g .2f", rows)


def noise_of(rule: str, order: float, epsilon: float, delta: float) -> GeneralizedGaussian:
    """Return the noise of a rule, also if its scale is too small for its guarantee."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="noise of calibration 'adp-")
        return Mechanism(order, rule).noise(
            epsilon=epsilon, delta=None if rule == "pure" else delta
        )


@section("Exact δ")
def exact_deltas() -> str:
    """Of approximate DP ([exact privacy loss](exact-privacy-loss.md))."""
    mechanisms = [("adp-classical", 2), ("pdp", 2), ("pdp", 3)]
    rows = [
        [
            *point,
            *(noise_of(rule, p, *point).delta(epsilon=point[0]) for rule, p in mechanisms),
        ]
        for point in GRID
    ]
    return table("ε | claimed δ | Gaussian-aDP | Gaussian-pDP | GGM-3", "g g .3g", rows)


@section("Looseness of rules")
def looseness() -> str:
    """Scales relative to the rule `adp-exact` of the same order."""
    names = ("adp-classical", "adp-lecture", "zcdp", "pdp", "pdp-exact")
    rules = [*((name, 2) for name in names), ("pdp", 3)]
    points = [(0.5, 1e-6), (0.5, 0.01), (0.5, 0.25), (2, 0.25), (6, 0.1)]
    rows = [[*point, *(relative_scale(*rule, *point) for rule in rules)] for point in points]
    return table(" | ".join(["ε", "δ", *names, "pdp, order 3"]), "g g .3f", rows)


def relative_scale(rule: str, order: float, epsilon: float, delta: float) -> float:
    """Return the scale of a rule divided by the smallest scale for approximate DP."""
    return (
        noise_of(rule, order, epsilon, delta).scale
        / noise_of("adp-exact", order, epsilon, delta).scale
    )


@section("Two bounds at large ε")
def false_bounds() -> str:
    """Above these ε, the exact δ exceeds the claimed δ."""
    deltas = (1e-6, 0.01, 0.1, 0.25)

    def excess(epsilon: float, rule: str, delta: float) -> float:
        return relative_scale(rule, 2, epsilon, delta) - 1

    rows = [
        [f"`{rule}`", *(brentq(excess, 1, 99, args=(rule, delta)) for delta in deltas)]
        for rule in ("adp-classical", "adp-lecture")
    ]
    return table("false above ε = | " + " | ".join(f"δ = {d:g}" for d in deltas), "s .3f", rows)


@section("Smallest noise for counts")
def least_absolute() -> str:
    """The smallest mean absolute value under approximate DP, and the ratios of other noise to it
    ([whole-number noise](whole-numbers.md)).
    """
    rows = []
    for point in [(0.1, 0.01), (0.1, 0.25), (0.5, 0.01), (2, 0.25), (5, 0.01)]:
        found = [*tabulate_above_best.mean_absolutes(*point)]
        rows.append([*point, found[0][2], *(value / smallest for _, value, smallest in found)])
    titles = [name for name, *_ in tabulate_above_best.mean_absolutes(1, 0.01)]
    return table(" | ".join(["ε", "δ", "smallest", *titles]), "g g .3f .2f", rows)


@section("pDP beside aDP")
def pdp_beside_adp() -> str:
    """The smallest Gaussian noise at ε = 1 under each guarantee; δ′ is the exact δ of the noise
    for pDP ([errata](errata.md)).
    """
    rows = []
    for delta in (0.1, 0.01, 1e-6, 1e-12, 1e-100):
        exact = noise_of("pdp-exact", 2, 1, delta).delta(epsilon=1)
        rows.append([delta, relative_scale("pdp-exact", 2, 1, delta), exact / delta])
    return table("δ | σ of pDP / σ of aDP | δ′ / δ", "g .3f .3g", rows)


@section("Best order")
def best_orders() -> str:
    """The order with the smallest standard deviation under approximate DP, and standard
    deviations of other noise ([best order](best-order.md)).
    """
    names = ("order", "sd", "sd_laplace", "sd_gaussian", "sd_truncated")
    points = [(0.1, 1e-6), (0.1, 0.25), (0.5, 0.1), (1, 1e-6), (1, 0.1), (2, 0.4), (5, 0.4)]
    rows = []
    for point in points:
        found = tabulate_best_order.compare(1, *point)
        rows.append([*point, *(found[name] for name in names)])
    titles = "best order | noise of this order | Laplace | Gaussian | truncated Laplace"
    return table(f"ε | δ | {titles}", "g g .3f", rows)


@section("Bounded support")
def bounded_scales() -> str:
    """Scales b for ε-DP of one count in [0, 20] at ε = 1, the largest loss at one of them, and
    root mean squared errors ([bounding](bounding.md)).
    """
    width = 20
    rows = []
    for order in (1, 2, 3, 4):
        sufficient = bounded.truncated_scale(
            order=order, epsilon=1, widths=[width], sensitivities=[1]
        )
        lemma_9, exact = (
            bounded.gg_scale(order=order, epsilon=1, utility_sensitivity=sensitivity)
            for sensitivity in (
                bounded.lemma_9(order, [(0, width)], [1]),
                bounded.utility_sensitivity(order, [width], [1]),
            )
        )
        inflated = bounded.inflated_scale(order=order, epsilon=1, width=width, sensitivity=1)
        loss = truncated_loss(order, exact, width)
        errors = [
            bounded_error(order, b, count, width, inflated=b == inflated)
            for b in (exact, inflated)
            for count in (10, 1)
        ]
        rows.append([order, sufficient, lemma_9, exact, loss, *errors[:2], inflated, *errors[2:]])
    titles = "Definition 5 | exponential, Lemma 9 | exponential, exact Δ_u | its largest loss"
    return table(
        f"p | {titles} | its error at 10 | at 1 | BIT | its error at 10 | at 1", "g .2f", rows
    )


def truncated_loss(order: float, b: float, width: float) -> float:
    """Return the largest log ratio of the truncated densities of two neighbours, on a grid."""
    s, release = np.linspace(0, width - 1, 191)[:, None], np.linspace(0, width, 2001)

    def log_density(value: np.ndarray) -> np.ndarray:
        noise = gennorm(order, loc=value, scale=b)
        return noise.logpdf(release) - np.log(noise.cdf(width) - noise.cdf(0))

    return float(np.abs(log_density(s + 1) - log_density(s)).max())


def bounded_error(order: float, b: float, count: float, width: float, *, inflated: bool) -> float:
    """Return the root mean squared error of a truncated or boundary-inflated release."""
    noise = gennorm(order, loc=count, scale=b)
    square = sum(
        quad(lambda x: (x - count) ** 2 * noise.pdf(x), *part)[0]
        for part in ((0, count), (count, width))
    )
    if inflated:
        square += count**2 * noise.cdf(0) + (width - count) ** 2 * noise.sf(width)
    else:
        square /= noise.cdf(width) - noise.cdf(0)
    return float(sqrt(square))


@section("Composition of Laplace releases")
def composed_laplace() -> str:
    """The joint ε at δ = 1e-6 of releases that each satisfy 0.1-DP
    ([many queries](many-queries.md)).
    """
    rows = [
        [
            k,
            composition.basic_of([(0.1, 0, k)]).epsilon,
            composition.advanced_of([(0.1, 0, k)], slack=1e-6).epsilon,
            composition.zcdp(rho=0.005, delta=1e-6, k=k),
            composition.exact(order=1, scale=10, k=k, delta=1e-6),
        ]
        for k in (10, 100, 1000)
    ]
    return table("releases | basic | advanced | zCDP | exact", "d .3f", rows)


@section("Composition of different releases")
def mixed_releases() -> str:
    """The joint ε at δ = 1e-6. For any mechanism, only the ε and δ of each release are used."""
    kinds = {
        "100 geometric (ε = 0.1), 4 Gaussian (0.5, 1e-8)": [
            ("pure-integer", None, 0.1, None, 100),
            ("adp-exact", 2, 0.5, 1e-8, 4),
        ],
        "1000 discrete canonical (0.05, 1e-10)": [("adp-optimal", None, 0.05, 1e-10, 1000)],
    }
    rows = []
    for title, releases in kinds.items():
        budgets = [(epsilon, delta or 0.0, k) for *_, epsilon, delta, k in releases]
        basic = composition.basic_of(budgets)
        advanced = composition.advanced_of(budgets, slack=1e-6 - basic.delta)
        worst = [(randomized_response(epsilon=e, delta=d), k) for e, d, k in budgets]
        noises = [
            (Mechanism(order, rule).noise(epsilon=e, delta=d), k)
            for rule, order, e, d, k in releases
        ]
        exact = [Composition(losses).epsilon(delta=1e-6).upper for losses in (worst, noises)]
        rows.append([title, basic.epsilon, advanced.epsilon, *exact])
    return table("releases | basic | advanced | any mechanism | exact", "s .3f", rows)


@section("Trade-off")
def trade_offs() -> str:
    """The smallest false negative rate at the false positive rate 0.05, at (1, 0.05)."""
    mechanisms = {
        "laplace": Mechanism(1, "pure"),
        "gaussian-pdp": Mechanism(2, "pdp"),
        "ggm-3": Mechanism(3, "pdp"),
        "gaussian-adp": Mechanism(2, "adp-classical"),
    }
    rows = []
    for name, mechanism in mechanisms.items():
        noise = mechanism.noise(epsilon=1, delta=None if name == "laplace" else 0.05)
        curves = [Composition([(noise, k)]).trade_off(np.array([0.05])) for k in (1, 10)]
        rows.append([f"`{name}`", *np.concatenate(curves)])
    return table("mechanism | one release | ten releases", "s .3f", rows)


@section("Largest of many errors")
def largest_errors() -> str:
    """The expected largest error of k queries at joint ε = 1, by bounds or exact composition."""
    points = [(1e-6, 10), (1e-6, 100), (1e-6, 1000), (1e-3, 10), (1e-3, 100)]
    rows = [
        [d, k, *(queries.largest_error(way, epsilon=1, delta=d, k=k) for way in queries.WAYS)]
        for d, k in points
    ]
    return table(" | ".join(["δ", "queries", *queries.WAYS]), "g d .2f", rows)


@section("Guessing advantage")
def advantages() -> str:
    """Under ε-DP ([guessing](guessing.md))."""
    epsilons = (0.1, 0.5, 1, 2, 4)
    guesses = {1: "in the table?", 2: "which answer?"}
    rows = [
        [
            f"{guess} {f'prior {prior}' if prior else 'worst prior'}",
            *(advantage.of(epsilon=e, prior=prior, radius=radius) for e in epsilons),
        ]
        for radius, guess in guesses.items()
        for prior in (None, 0.01)
    ]
    return table(" | ".join(["guess", *(f"ε = {e:g}" for e in epsilons)]), "s .3f", rows)


@section("Mean guessing advantage")
def mean_advantages() -> str:
    """The bound under (ε, δ)-probabilistic DP."""
    rows = [
        [
            e,
            advantage.of(epsilon=e, prior=None),
            *(approximate_advantage.of_pdp(epsilon=e, delta=d, prior=None).average for d in DELTAS),
        ]
        for e in EPSILONS
    ]
    return table("ε | no δ | " + " | ".join(f"δ = {d:g}" for d in DELTAS), "g .3f", rows)


@section("Guesses within a precision")
def within_a_precision() -> str:
    """ε per unit of the value, for an advantage of at most 0.1; exact for Laplace noise."""

    def excess(epsilon: float, spread: float, precision: float) -> float:
        return after_laplace(epsilon, spread, precision) - 0.1

    rows = []
    examples = {"6.2, salaries": (55556, 100, 0.0038), "6.3, ships": (1250, 10, 0.063)}
    for example, (variance, precision, printed) in examples.items():
        guess = (sqrt(variance), precision)
        prior = erf(precision / sqrt(2 * variance))
        best = best_radius(advantage=0.1, prior=Normal(sqrt(variance)), precision=precision)
        exact = brentq(excess, best.epsilon, printed, args=guess)
        reached = after_laplace(printed, *guess)
        rows.append([example, prior, printed, reached, best.radius, best.epsilon, exact])
    titles = "prior | printed ε | advantage at printed ε | best radius | ε at best radius | exact ε"
    return table(f"example | {titles}", "s .4f g .3f .1f .3g", rows)


def after_laplace(epsilon: float, spread: float, precision: float) -> float:
    """Return the advantage for a normal value at its mean after a release of the mean.

    The release has Laplace noise with ε per unit, and no other release tells more.
    """
    cuts = (-9 * spread, -precision, 0, precision, 9 * spread)
    parts = [
        quad(lambda x: exp(-epsilon * abs(x) - (x / spread) ** 2 / 2), *part)[0]
        for part in pairwise(cuts)
    ]
    return sum(parts[1:3]) / sum(parts) - (2 * norm.cdf(precision / spread) - 1)


@section("ε for an error")
def epsilons_for_errors() -> str:
    """For an l₁ error up to a share of 1841 records in 64 cells, in 19 of 20 releases
    ([choose ε](choose-epsilon.md)).
    """
    rows = []
    for share in (0.05, 0.1, 0.2):
        bound = {"cells": 64, "confidence": 0.95, "l1": 1841 * share}
        pure = epsilon_for_error(**bound)
        approximate = epsilon_for_error(**bound, delta=1e-4)
        rescaled = epsilon_for_error(**bound, rescale=True)
        rows.append([share, pure.epsilon, pure.advantage, approximate.epsilon, rescaled.epsilon])
    titles = "ε-DP: ε | advantage | ε with δ = 0.0001 | ε if counts are rescaled"
    return table(f"l₁ error / n | {titles}", ".0% .3f", rows)


@section("Other programs")
def other_programs() -> str:
    """The numbers that tests compare with ours ([related work](related-work.md))."""
    found = pd.read_csv(ROOT / "tests/data/other_libraries.csv", dtype={"version": str})
    compared = found.groupby(["program", "version", "quantity"])
    rows = [[*key, len(group)] for key, group in compared]
    return table("program | version | quantity | numbers", "s s s d", rows)


@section("Growth of a run")
def growth() -> str:
    """On one core of a two-core computer ([growth](growth.md))."""
    found = pd.read_csv(ROOT / "benchmarks/growth.csv")
    rows = found[["work", "along", "size", "seconds", "memory_mb", "disk_mb"]].values
    return table(
        "work | along | size | seconds | memory (MB) | disk (MB)", "s s ,d .1f .0f .3g", rows
    )


@section("Growth of the training")
def growth_of_classifiers() -> str:
    """On one core; the seconds of scikit-learn's `SVC` are for one of the releases."""
    found = pd.read_csv(ROOT / "benchmarks/growth_svm.csv").sort_values(["classes", "cells"])
    rows = found[["classes", "cells", "mean count", "release", "SVC", "ratio", "MB"]].values
    return table(
        "classes | training cells | mean count | seconds a release | seconds of SVC | ratio | MB",
        "s ,d .1f .3f .1f .0f ,.0f",
        rows,
    )


@section("Statements")
def statements() -> str:
    """Of runs other than the paper's. Their evidence is in the `claims.csv` of each run;
    [claims](claims.md) has those of the paper's run.
    """
    rows = [
        [f"`{claim['id']}`", claim["claim"], claim["stated_by"], claim["expected"]]
        for name in ("claims", "companions", "synthetic")
        for claim in read(name)
        if name != "claims" or claim["id"].startswith(OTHER_RUNS)
    ]
    return table("name | statement | stated by | verdict", "s", rows)


def page() -> str:
    """Return the page in Markdown."""
    sections = [
        f"## {title}\n\n{cleandoc(make.__doc__ or '')}\n\n{make()}\n" for title, make in SECTIONS
    ]
    return "\n".join([INTRODUCTION, *sections])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
