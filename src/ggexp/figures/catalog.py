"""The table of figures: what each reads, and the functions that tabulate and draw it.

The function that tabulates returns the numbers. The function that draws takes this table, and the
name of the data set if the figure has one; it computes nothing further.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from ggexp.experiment.configuration import invalid
from ggexp.experiment.keys import Configuration, RecordsData, TableData
from ggexp.experiment.metrics import LISTED, METRICS, UNLISTED
from ggexp.releases.kinds import KINDS as RELEASES

#: The groups of figures. The target `all` makes those without data, of one data set each, and of
#: all data sets; `guarantees` makes the supplement, and `multiverse` the readings of the paper.
THEORY, DATA, DATA_SETS = "theory", "data", "data sets"
SUPPLEMENT, READINGS = "supplement", "readings"


class Figure(NamedTuple):
    """How a figure is made.

    tabulate, draw: its functions in the modules tabulate_… and draw_… of a package, such as
        "theory.densities"; both have the same name if draw is empty.
    reads: the parameters of the first function, which are tables and settings
        (`ggexp.plan.figures` lists all of them).
    optional: parameters that it gets only if the run has them.
    about: the subject of a figure without a data set of its own.
    group: of these, the group; a figure of the group `DATA_SETS` reads the tables of all data sets.
    """

    tabulate: str
    draw: str = ""
    reads: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    about: str = ""
    group: str = THEORY
    package: str = __package__

    def function(self, step: Literal["tabulate", "draw"]) -> str:
        """Return the full name of the function for a step."""
        name = self.draw if step == "draw" and self.draw else self.tabulate
        return f"{self.package}.{step}_{name}"


#: The kinds of figures that a data set may have, by their names in configurations.
KINDS = {
    "accuracy": Figure("summaries.losses", reads=("accuracy", "baseline")),
    "count_bias": Figure("other_releases.count_bias", "summaries.count_bias", ("count_bias",)),
    "errors": Figure("summaries.errors", reads=("errors", "metrics", "equal")),
    "marginals": Figure("other_releases.marginals", "summaries.marginals", ("synthetic", "equal")),
    "mode": Figure("mode.mode", "releases.mode", ("histogram", "points", "seed", "neighbours")),
    "ranks": Figure(
        "rows.ranks", reads=("errors", "metrics", "equal"), optional=("accuracy", "baseline")
    ),
    "releases": Figure(
        "releases.releases", reads=("histogram", "points", "release", "seed", "repeats")
    ),
    "retained_cells": Figure(
        "other_releases.retained_cells",
        "summaries.retained_cells",
        ("retained", "tally", "equal"),
        ("accuracy", "baseline"),
    ),
    "training": Figure(
        "other_releases.training", "summaries.losses", ("synthetic", "accuracy", "baseline")
    ),
}
#: Earlier name of a kind -> its name.
RENAMED = {"gains": "count_bias", "survivors": "retained_cells"}
#: The figures that are not of one data set, by number, which may be any letters and digits.
NUMBERED = {
    "01": Figure("theory.densities", about="densities"),
    "02": Figure("theory.corollary_7", reads=("seed",), about="scale of Corollary 7"),
    "03": Figure("theory.gaussian_bounds", about="bounds on σ"),
    "04": Figure("theory.tail_ratios", about="tail probabilities"),
    "05": Figure("theory.relative_costs", about="relative privacy cost"),
    "s3": Figure("best_order.tabulate", "best_order.draw", about="best order", group=SUPPLEMENT),
    "s9": Figure("best_order.noise_of_tables", about="noise for several tables", group=SUPPLEMENT),
    "m1": Figure(
        "rows.sentences",
        reads=("shares",),
        about="the sentences of section 4 in all readings",
        group=READINGS,
    ),
    "m2": Figure(
        "rows.losses_of_readings",
        reads=("measured",),
        about="the loss of accuracy in all readings",
        group=READINGS,
    ),
}


def missing_tables(data: TableData | RecordsData) -> dict[str, str]:
    """Return the tables that a data set with these settings lacks, and the setting each needs."""
    listed = [name for name, kind in RELEASES.items() if kind.lists_cells]
    unlisted = [name for name in RELEASES if name not in listed]
    training = "classifier, with the column to predict"
    if data.classifier:
        training = "classifier.mechanisms, the mechanisms on whose releases classifiers are trained"
    synthesis = "synthetic, the methods to make records"
    requirements = {
        "histogram": (data.release.kind in listed, f"release.kind: {' or '.join(listed)}"),
        "retained": (data.release.kind in unlisted, f"release.kind: {' or '.join(unlisted)}"),
        "tally": (data.records is not None, "records"),
        **dict.fromkeys(("accuracy", "baseline"), (bool(data.trained), training)),
        **dict.fromkeys(("synthetic", "count_bias"), (data.synthetic is not None, synthesis)),
    }
    return {table: setting for table, (is_met, setting) in requirements.items() if not is_met}


def check(config: Configuration) -> None:
    """Raise ValueError if a figure's kind is unknown, its number is taken, or its data are missing.

    The message has a line for each mistake.
    """
    reserved = {
        int(number): "set theory: false" if made.group == THEORY else "choose another number"
        for number, made in NUMBERED.items()
        if number.isdigit() and (config.theory or made.group != THEORY)
    }
    problems: list[str] = []
    same: list[str] = []
    numbers: dict[int, str] = {}
    for name, data in config.data.items():
        problems += _problems(f"histograms.{name}", data, config.metrics, reserved)
        for kind, number in data.numbers.items():
            figure = f"histograms.{name}.figures.{kind}"
            if (earlier := numbers.setdefault(number, figure)) != figure:
                same.append(f"{figure}: {number} is also the number of {earlier}")
    if problems := problems or same:
        raise invalid(*problems)


def _problems(
    key: str, data: TableData | RecordsData, metrics: Iterable[str], reserved: Mapping[int, str]
) -> Iterator[str]:
    """Yield a message for each figure that a data set cannot have.

    metrics: the metrics that figures show. reserved: number of a figure of `NUMBERED` -> advice.
    """
    missing = missing_tables(data)
    releases = LISTED if data.release.type.lists_cells else UNLISTED
    for kind, number in data.figures.items():
        if kind not in KINDS:
            now = f" (now {RENAMED[kind]})" if kind in RENAMED else ""
            yield f"unknown key in {key}.figures: {kind}{now}; allowed: {', '.join(KINDS)}"
        elif number is not None:
            if number in reserved:
                group = NUMBERED[f"{number:02d}"].group
                yield f"{key}.figures.{kind}: {number} is a figure of {group}; {reserved[number]}"
            reads = KINDS[kind].reads
            needed = dict.fromkeys(missing[table] for table in missing if table in reads)
            yield from (f"{key}.figures.{kind}: needs {key}.{setting}" for setting in needed)
            for metric in metrics if "metrics" in reads else []:
                if not METRICS[metric].can_measure(releases):
                    yield (
                        f"{key}.figures.{kind}: shows {metric}, which cannot measure releases of "
                        f"{key}.release.kind: {data.release.kind}; name other metrics"
                    )
