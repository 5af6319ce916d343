# What the rules share: the checked configuration, the design, paths, fingerprints of code.

from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import yaml
from snakemake.exceptions import WorkflowError

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
except ValueError as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["results_dir"]
HISTOGRAMS = config["histograms"]
TABLES = [dataset for dataset in config["datasets"] if "counts" in HISTOGRAMS[dataset]]
# what the jobs are told of a grid point; a scale that changes reruns them, an edit of its rule not
POINTS = {
    point.path: {"point": asdict(point), "scale": scale(point)}
    for points in DESIGN.points.values()
    for point in points
}
FIGURES = {
    number: FigureOf(kind, dataset)
    for dataset in config["datasets"]
    for kind, number in HISTOGRAMS[dataset].get("figures", {}).items()
}


wildcard_constraints:
    dataset="[a-z0-9-]+",
    mechanism="[a-z0-9-]+",
    point="epsilon-[^/]+",


def code(script):
    """A fingerprint of the library code that a script's results depend on (see DESIGN of rules)."""
    return fingerprint(Path(workflow.basedir, "workflow/scripts", script))


def figure_files(number):
    """The picture in both formats, and the numbers drawn in it."""
    return [f"{RESULTS}/figures/figure_{number:02d}.{ending}" for ending in ("png", "pdf", "csv")]
