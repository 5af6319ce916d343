# What the rules share: the checked configuration, the design, paths, fingerprints of code.

import os
import re
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from ggexp.datasets.layout import Layout
from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import SETTINGS as TABLE_SETTINGS
from ggexp.datasets.tables import make_table
from ggexp.experiment import configuration, run_checks
from ggexp.experiment.design import Design
from ggexp.experiment.metrics import METRICS
from ggexp.figures import kinds as figure_kinds
from ggexp.mechanisms.noise import module_of
from ggexp.releases import kinds
from ggexp.releases.release import module_of as module_of_kind
from ggexp.run.fingerprint import fingerprint

# The folder of this project, seen from the one where Snakemake runs: another workflow may import this.
PROJECT = Path(os.path.relpath(Path(str(workflow.current_basedir)).parents[1]))
IS_IMPORTED = not workflow.modifier.is_main_snakefile()


class FigureOf(NamedTuple):
    """A figure: its kind, its data set if it has one, what it is about, and its section."""

    kind: str
    dataset: str
    about: str
    section: str


def target_of(dataset):
    """The column of a data set that classifiers are to predict, if there is one."""
    return CLASSIFIERS[dataset]["target"] if dataset in CLASSIFIERS else None


def placed(settings):
    """A data set's settings, with the way to a table of the paper where another workflow imports this."""
    counts = settings.get("counts")
    if counts in run_checks.PUBLIC:
        return settings | {"counts": str(PROJECT / counts)}
    return settings


try:
    schema = (PROJECT / "config/schema.yaml").read_text("utf-8")
    config.update(configuration.check(config, yaml.safe_load(schema)))
    figure_kinds.check(config)
    run_checks.check_results_dir(config, Path.cwd(), PROJECT)
    run_checks.check_files(config, Path.cwd(), PROJECT)
    with warnings.catch_warnings(record=True) as caught:
        DESIGN = Design.from_config(config)
    HISTOGRAMS = {dataset: placed(config["histograms"][dataset]) for dataset in config["datasets"]}
    TABLES = {dataset: settings for dataset, settings in HISTOGRAMS.items() if "counts" in settings}
    RECORDS = {
        dataset: settings["records"]
        for dataset, settings in HISTOGRAMS.items()
        if "records" in settings
    }
    CLASSIFIERS = {
        dataset: settings["classifier"]
        for dataset, settings in HISTOGRAMS.items()
        if "classifier" in settings
    }
    for dataset, records in RECORDS.items():
        layout = Layout.from_config(records, f"histograms.{dataset}.records")
        if dataset in CLASSIFIERS:
            layout.check_target(target_of(dataset), f"histograms.{dataset}.classifier.target")
    if workflow.is_main_process:  # a mistake is best known before any job; jobs look once more
        for dataset, table in TABLES.items():
            make_table(table, f"histograms.{dataset}")
        for dataset, records in RECORDS.items():
            if not records["file"].startswith("data/downloads/"):  # these are checked by their sum
                make_histogram(
                    records,
                    dataset=dataset,
                    seed=DESIGN.seed,
                    target=target_of(dataset),
                    lists_empty=kinds.kind_of(HISTOGRAMS[dataset]).lists_empty,
                )
except (ValueError, OSError) as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["results_dir"]
# What the jobs are told of a grid point. If its noise changes, they run again.
POINTS = {
    noisy.point.path: noisy.parameters() for points in DESIGN.points.values() for noisy in points
}
if workflow.is_main_process:  # not once more in each job
    of_design = dict.fromkeys(str(warning.message) for warning in caught)
    for warning in (*of_design, *run_checks.warnings_of(config)):
        logger.warning(f"Note: {warning}")

DOWNLOADS = {
    f"data/downloads/{name}": file["sha256"] for name, file in config["download"]["files"].items()
}
# How the synthetic records of data sets that have some are made.
SYNTHETIC = {
    dataset: settings["synthetic"]
    for dataset, settings in HISTOGRAMS.items()
    if "synthetic" in settings
}
FIGURES = {
    f"{number:02d}": FigureOf(kind, dataset, kind, dataset.capitalize())
    for dataset, settings in HISTOGRAMS.items()
    for kind, number in configuration.figures_of(settings).items()
}
FIGURE_KINDS = {number: figure.kind for number, figure in FIGURES.items()}
# Figures that need no data: the paper's, and those of the target `guarantees`, S before F
NUMBERED = sorted(figure_kinds.numbered().items(), key=lambda item: (item[0][0] == "f", item[0]))
THEORY = {
    number: FigureOf(kind, "", about, "Theory")
    for number, (kind, about) in NUMBERED
    if number.isdigit() and config["theory"]
}
BEYOND = {
    number: FigureOf(kind, "", about, "Supplement")
    for number, (kind, about) in NUMBERED
    if not number.isdigit()
}
EVERY_FIGURE = THEORY | FIGURES | BEYOND


report: "../report/workflow.rst"


wildcard_constraints:
    dataset="[A-Za-z0-9._-]+",
    mechanism="[A-Za-z0-9._-]+",
    point="epsilon-[^/]+",


def one_of(names):
    """A pattern of these names, or of nothing where there are none."""
    return "|".join(map(re.escape, names)) or "$^"


def scaled(amount):
    """A resource: this amount at a job's first attempt, twice as much at the second, and so on."""
    return lambda wildcards, attempt: amount * attempt


@cache  # many rules, and the manifest, ask for the same scripts
def code(script, *modules):
    """A fingerprint of the library code that a script's results depend on.

    modules: those that the script imports by the name that its parameters have.
    """
    return fingerprint(PROJECT / "workflow/scripts" / script, also=modules)


def point_of(wildcards):
    """A grid point, as jobs are told of it."""
    return POINTS[f"{wildcards.dataset}/{wildcards.mechanism}/{wildcards.point}"]


def code_and_noise(script, points, *modules):
    """A fingerprint of a script's code and of the families of noise at some grid points.

    modules: others that the script uses without importing them by their names.
    """
    families = {module_of(point["noise"]) for point in points}
    return code(script, *sorted(families), *modules)


def paths(dataset):
    """The path of each grid point of a data set."""
    return [noisy.point.path for noisy in DESIGN.points[dataset]]


def points_of(dataset):
    """The grid points of a data set, as jobs are told of them."""
    return [POINTS[path] for path in paths(dataset)]


def repeats_files(dataset):
    """The file of each grid point's repeats, in turn."""
    return [f"{RESULTS}/repeats/{path}.parquet" for path in paths(dataset)]


def classified(dataset):
    """The grid points on whose releases classifiers are trained."""
    mechanisms = CLASSIFIERS[dataset]["mechanisms"] if dataset in CLASSIFIERS else []
    points = [noisy.point for noisy in DESIGN.points[dataset]]
    return [point for point in points if point.mechanism in mechanisms]


def accuracy_files(dataset):
    """For each grid point in turn, its repeats' accuracies, as many files as there are jobs."""
    step, repeats = config["execution"]["repeats_per_job"], CLASSIFIERS[dataset]["repeats"]
    return [
        f"{RESULTS}/accuracy/{point.path}/repeats-{first}-{min(first + step, repeats) - 1}.parquet"
        for point in classified(dataset)
        for first in range(0, repeats, step)
    ]


def figures_of(kind):
    """The numbers of the figures of one kind."""
    return [number for number, figure in FIGURES.items() if figure.kind == kind]


def figure_module(step, number):
    """The module that makes a figure's numbers, tabulate_…, or its drawing, draw_…."""
    return figure_kinds.module(step, EVERY_FIGURE[number].kind)


def figure_files(number):
    """The picture in both formats, and the numbers drawn in it."""
    return [f"{RESULTS}/figures/figure_{number}.{ending}" for ending in ("png", "pdf", "csv")]


def name_of(number):
    """What a figure is called: Figure 7, Figure S3."""
    return f"Figure {number.upper().lstrip('0')}"


def title_of(number):
    """What a figure is called, and what it is about."""
    return f"{name_of(number)}: {EVERY_FIGURE[number].about}"


def figure_label(wildcards):
    """What the report calls a figure.

    One label a result: of several, the report takes those after the first for switches between
    results, and fails where two results of a category differ in them.
    """
    return {"figure": title_of(wildcards.number)}
