# Shared by all rules: the checked configuration, the design, paths and fingerprints of code.

import re
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.utils import update_config

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
from ggexp.releases.release import PRIVATE
from ggexp.releases.release import module_of as module_of_kind
from ggexp.run.fingerprint import fingerprint, store
from ggexp.run.project import ROOT
from ggexp.run.storage import check_results, check_sha256, sha256
from ggexp.run.written import check_written, config_files


def local(path):
    """Return a path, relative to the working directory if it is in this folder."""
    path = path.resolve()
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


# Folder of this project's files. It differs from the working directory if the workflow is installed,
# or if another workflow imports it.
PROJECT = local(ROOT)
# The paper's design, and the files of --configfile, each of which overrides those before it.
CONFIGURATIONS = [PROJECT / "config/config.yaml", *config_files(sys.argv)]
IS_IMPORTED = not Path(str(workflow.basedir)).resolve().is_relative_to(ROOT)


class FigureInfo(NamedTuple):
    """A figure: its kind, its data set (or ""), its topic, and its section in the report.

    package: the package with the modules of the kind.
    """

    kind: str
    dataset: str
    topic: str
    section: str
    package: str = figure_kinds.PACKAGE


def target_of(dataset):
    """Return the column of a data set that classifiers predict, or None."""
    return CLASSIFIERS[dataset]["target"] if dataset in CLASSIFIERS else None


def read_design(name):
    """Return the content of a file in the project's folder of designs."""
    return yaml.safe_load((PROJECT / f"config/{name}.yaml").read_text("utf-8"))


def with_key(key):
    """Return data set -> the value of a key, for the data sets that have it."""
    return {dataset: settings[key] for dataset, settings in HISTOGRAMS.items() if key in settings}


def locate_paper_table(settings):
    """Return a data set's settings, with `PROJECT` prefixed to the path of a table of the paper."""
    counts = settings.get("counts")
    if counts in run_checks.PUBLIC:
        return settings | {"counts": str(PROJECT / counts)}
    return settings


REFETCH = "Delete the file, and the next run fetches it"

try:
    if workflow.is_main_process:
        store()
        for path in CONFIGURATIONS:
            check_written(path)
    # The configuration of a run has only the keys that differ from the paper's design.
    settings = read_design("config")
    update_config(settings, config)
    config.update(configuration.check(settings, read_design("schema")))
    figure_kinds.check(config)
    run_checks.check_results_dir(config, Path.cwd(), PROJECT)
    run_checks.check_files(config, Path.cwd(), PROJECT)
    with warnings.catch_warnings(record=True) as caught:
        DESIGN = Design.from_config(config)
    HISTOGRAMS = {
        dataset: locate_paper_table(config["histograms"][dataset]) for dataset in config["datasets"]
    }
    TABLES = {dataset: settings for dataset, settings in HISTOGRAMS.items() if "counts" in settings}
    RECORDS = with_key("records")
    CLASSIFIERS = with_key("classifier")
    for dataset, records in RECORDS.items():
        layout = Layout.from_config(records, f"histograms.{dataset}.records")
        if dataset in CLASSIFIERS:
            layout.check_target(target_of(dataset), f"histograms.{dataset}.classifier.target")
    DOWNLOADS = {
        f"data/downloads/{name}": file["sha256"].lower()
        for name, file in config["download"]["files"].items()
    }
    # Report mistakes in data, and damage, before any job starts. Jobs check what they read again.
    if workflow.is_main_process:
        unknown = check_results(Path(config["results_dir"]))
        for dataset, table in TABLES.items():
            make_table(table, f"histograms.{dataset}")
        for dataset, records in RECORDS.items():
            if records["file"] in DOWNLOADS:
                if Path(records["file"]).exists():
                    check_sha256(records["file"], DOWNLOADS[records["file"]], REFETCH)
            else:
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
# Path of each grid point -> its parameters, which jobs receive. A job reruns if its noise changes.
POINTS = {
    noisy.point.path: noisy.parameters() for points in DESIGN.points.values() for noisy in points
}
if workflow.is_main_process:  # print warnings once, not in each job
    notes = [*dict.fromkeys(str(warning.message) for warning in caught)]
    if unknown:
        notes.append(
            f"{len(unknown)} results have no checksum, for example {unknown[0]}, perhaps because an "
            "earlier version made them: damage to them is not noticed. The run makes them again if "
            "you delete them"
        )
    for warning in (*notes, *run_checks.warnings_of(config)):
        logger.warning(f"Note: {warning}")

SYNTHETIC = with_key("synthetic")  # data set -> its methods of making synthetic records
FIGURES = {
    f"{number:02d}": FigureInfo(kind, dataset, kind, dataset.capitalize())
    for dataset, settings in HISTOGRAMS.items()
    for kind, number in configuration.figures_of(settings).items()
}
FIGURE_KINDS = {number: figure.kind for number, figure in FIGURES.items()}
# Figures of no single data set: those of the paper, then S1, S2, … and F1, F2, … of the target
# `guarantees`, and M1, M2, … of the target `multiverse`.
NUMBERED = figure_kinds.numbered() | figure_kinds.numbered("ggexp.companions.figures")


def numbered_figures(letters, section):
    """Return the figures whose numbers begin with one of these letters, in their order."""
    return {
        number: FigureInfo(figure.kind, "", figure.about, section, figure.package)
        for letter in letters
        for number, figure in sorted(NUMBERED.items())
        if number[0] == letter
    }


THEORY = numbered_figures("0" if config["theory"] else "", "Theory")
SUPPLEMENT = numbered_figures("sf", "Supplement")
READINGS = numbered_figures("m" if "multiverse" in config else "", "Readings of the paper")
ALL_FIGURES = THEORY | FIGURES | SUPPLEMENT | READINGS


report: "../report/workflow.rst"


wildcard_constraints:
    dataset="[A-Za-z0-9._-]+",
    mechanism="[A-Za-z0-9._-]+",
    point="epsilon-[^/]+",


def one_of(names):
    """Return a regular expression that matches only these names, or nothing if there are none."""
    return "|".join(map(re.escape, names)) or "$^"


def scaled(amount):
    """Return a resource that grows with the attempt: attempt k of a job requests k × amount."""
    return lambda wildcards, attempt: amount * attempt


@cache  # called for the same script by several rules and by the manifest
def code(script, *modules):
    """Return a fingerprint of the library code on which a script's results depend, and modules.

    modules: modules whose names are in the script's parameters, and that it therefore imports
        without an import statement. A job fails if one is missing here.
    """
    return " ".join([fingerprint(PROJECT / "workflow/scripts" / script, also=modules), *modules])


def point_of(wildcards):
    """Return the parameters of a grid point, which jobs receive."""
    return POINTS[f"{wildcards.dataset}/{wildcards.mechanism}/{wildcards.point}"]


def code_and_noise(script, points, *modules):
    """Return a fingerprint of a script's code and of the families of noise at some grid points.

    modules: further modules that the script uses without an import statement.
    """
    families = {module_of(point["noise"]) for point in points}
    return code(script, *sorted(families), *modules)


def point_paths(dataset):
    """Return the path of each grid point of a data set."""
    return [noisy.point.path for noisy in DESIGN.points[dataset]]


def points_of(dataset):
    """Return the parameters of each grid point of a data set, which jobs receive."""
    return [POINTS[path] for path in point_paths(dataset)]


def repeats_files(dataset):
    """Return the file of repeats of each grid point of a data set."""
    return [f"{RESULTS}/repeats/{path}.parquet" for path in point_paths(dataset)]


def trained_points(dataset):
    """Return the grid points of a data set on whose releases classifiers are trained."""
    mechanisms = CLASSIFIERS[dataset]["mechanisms"] if dataset in CLASSIFIERS else []
    points = [noisy.point for noisy in DESIGN.points[dataset]]
    return [point for point in points if point.mechanism in mechanisms]


def accuracy_files(dataset):
    """Return the files of accuracies of a data set: for each grid point, one file per job."""
    step, repeats = config["execution"]["repeats_per_job"], CLASSIFIERS[dataset]["repeats"]
    return [
        f"{RESULTS}/accuracy/{point.path}/repeats-{first}-{min(first + step, repeats) - 1}.parquet"
        for point in trained_points(dataset)
        for first in range(0, repeats, step)
    ]


def figures_of(kind):
    """Return the figure numbers, such as "07", of one kind of figure."""
    return [number for number, figure in FIGURES.items() if figure.kind == kind]


def figure_module(step, number):
    """Return the module of a figure for a step, "tabulate" or "draw"."""
    figure = ALL_FIGURES[number]
    return figure_kinds.module(step, figure.kind, figure.package)


def figure_inputs(number):
    """Return the inputs of a figure's function `tabulate`: name -> whether it is required."""
    figure = ALL_FIGURES[number]
    return figure_kinds.reads(figure.kind, figure.package)


def figure_files(number):
    """Return the files of a figure: the picture in two formats, and the data that it shows."""
    return [f"{RESULTS}/figures/figure_{number}.{ending}" for ending in ("png", "pdf", "csv")]


def figure_name(number):
    """Return the name of a figure, such as Figure 7 or Figure S3."""
    return f"Figure {number.upper().lstrip('0')}"


def figure_title(number):
    """Return the name of a figure and its topic."""
    return f"{figure_name(number)}: {ALL_FIGURES[number].topic}"
