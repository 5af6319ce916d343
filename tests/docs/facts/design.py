"""How much the paper's design computes."""

import yaml
from conftest import ROOT

from facts import fact
from ggexp.experiment.design import Design


@fact
def jobs():
    """Jobs that sanitize and that classify, one for each grid point, and classifiers in all."""
    design = Design.from_config(yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8")))
    points = {dataset: len(points) for dataset, points in design.points.items()}
    return {
        "sanitize": sum(points.values()),
        "classify": points["adult"],
        "classifiers": points["adult"] * design.repeats,
    }
