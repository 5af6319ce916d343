"""The size of the paper's design."""

import yaml
from conftest import ROOT

from facts import fact
from ggexp.experiment.design import Design


@fact
def jobs():
    """The numbers of sanitizing and classifying jobs, one per grid point."""
    design = Design.from_config(yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8")))
    points = {dataset: len(points) for dataset, points in design.points.items()}
    return {
        "sanitize": sum(points.values()),
        "classify": points["adult"],
    }
