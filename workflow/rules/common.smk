# What the rules share: the checked configuration, the design, paths, fingerprints of code.

import warnings
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from ggexp.datasets.layout import Layout
from ggexp.datasets.tables import read_table
from ggexp.experiment import configuration
from ggexp.experiment.design import Design, scale
from ggexp.fingerprint import fingerprint


class FigureOf(NamedTuple):
    kind: str
    dataset: str


try:
    schema = Path(workflow.basedir, "config/schema.yaml").read_text("utf-8")
    configuration.check(config, yaml.safe_load(schema))
    DESIGN = Design.from_config(config)
    HISTOGRAMS = {dataset: config["histograms"][dataset] for dataset in config["datasets"]}
    TABLES = {dataset: made for dataset, made in HISTOGRAMS.items() if "counts" in made}
    RECORDS = {dataset: made for dataset, made in HISTOGRAMS.items() if "records" in made}
    for dataset, made in RECORDS.items():
        Layout.from_config(made["records"], f"histograms.{dataset}.records")
    for table in TABLES.values():  # they are small, and a mistake is best known before any job
        read_table(table["counts"], table["factors"], table["total"])
except (ValueError, OSError) as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["results_dir"]
# What the jobs are told of a grid point. A scale that changes reruns them, an edit of its rule not.
with warnings.catch_warnings(record=True) as cautions:
    POINTS = {
        point.path: {"point": asdict(point), "scale": scale(point)}
        for points in DESIGN.points.values()
        for point in points
    }
for caution in dict.fromkeys(str(caution.message) for caution in cautions):
    logger.warning(f"Note: {caution}")

DOWNLOADS = {
    f"data/downloads/{name}": file["sha256"] for name, file in config["download"]["files"].items()
}
TARGETS = {
    dataset: made["records"]["target"]
    for dataset, made in RECORDS.items()
    if "target" in made["records"]
}
FIGURES = {
    number: FigureOf(kind, dataset)
    for dataset, made in HISTOGRAMS.items()
    for kind, number in made.get("figures", {}).items()
}
THEORY = {  # the figures that need no data, and what they are about
    1: "densities",
    2: "scale of Corollary 7",
    3: "bounds on σ",
    4: "tail probabilities",
    5: "relative privacy cost",
}


report: "../report/workflow.rst"


wildcard_constraints:
    dataset="[a-z0-9-]+",
    mechanism="[a-z0-9-]+",
    point="epsilon-[^/]+",


def either(names):
    """A pattern of these names, or of nothing where there are none."""
    return "|".join(names) or "$^"


@cache  # many rules, and the manifest, ask for the same scripts
def code(script):
    """A fingerprint of the library code that a script's results depend on."""
    return fingerprint(Path(workflow.basedir, "workflow/scripts", script))


def divergence(dataset):
    """How the Kullback-Leibler divergence of a data set is computed."""
    return {**config["kl"], **HISTOGRAMS[dataset].get("kl", {})}


def repeats_files(dataset):
    """The file of each grid point's repeats, in turn."""
    return [f"{RESULTS}/repeats/{point.path}.parquet" for point in DESIGN.points[dataset]]


def accuracy_files(dataset):
    """For each grid point in turn, its repeats' accuracies, as many files as there are jobs."""
    step = config["svm"]["repeats_per_job"]
    return [
        f"{RESULTS}/accuracy/{point.path}/repeats-{first}-{min(first + step, DESIGN.repeats) - 1}.parquet"
        for point in DESIGN.points[dataset]
        for first in range(0, DESIGN.repeats, step)
        if dataset in TARGETS
    ]


def figure_files(number):
    """The picture in both formats, and the numbers drawn in it."""
    return [f"{RESULTS}/figures/figure_{number:02d}.{ending}" for ending in ("png", "pdf", "csv")]
