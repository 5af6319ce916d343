"""What the paper's Adult experiment must count to, in UCI's adult.data."""

import pandas as pd

from ggexp.datasets.layout import Layout
from ggexp.datasets.records import Histogram

PAPER = Layout.from_config(
    {
        "columns": {
            "age": {"from": 15, "to": 90, "bins": 15},
            "workclass": "categorical",
            "fnlwgt": {"from": 0, "to": 1_500_000, "bins": 30},
            "education": "categorical",
            "education-num": "unused",
            "marital-status": "categorical",
            "occupation": "categorical",
            "relationship": "categorical",
            "race": "categorical",
            "sex": "categorical",
            "capital-gain": {"from": 0, "to": 41_310, "bins": 8},
            "capital-loss": {"from": 0, "to": 4_356, "bins": 10},
            "hours-per-week": {"from": 0, "to": 100, "bins": 10},
            "native-country": "categorical",
            "income": "categorical",
        },
        "missing": "?",
        "drop": {"capital-gain": [99_999]},
        "training": "2/3",
    },
    key="adult",
)
NUMBERS = {
    "records": 32_561,
    "complete": 30_162,
    "dropped": 148,
    "kept": 30_014,
    "training": 20_009,  # printed as 2009
    "test": 10_005,  # printed
    "bins": 19_440_691_200_000,  # printed as 1.944e13
    "cells": 17_985,  # printed
}
CELLS_SD = 29  # of the non-empty training cells over random splits (docs/reproduction.md)


def compare(layout: Layout, histogram: Histogram) -> pd.DataFrame:
    """Return the paper's numbers beside ours: quantity, paper, ours, verdict.

    A number is compared where the part of the layout that it depends on is the paper's. The
    non-empty cells depend on the split as well: three standard deviations pass.
    Raises ValueError, with the table and an explanation, where a number is off.
    """
    tally = histogram.tally
    same_records = (
        layout.missing == PAPER.missing and layout.attributes.keys() == PAPER.attributes.keys()
    )
    same_kept = same_records and layout.drop == PAPER.drop
    same_split = same_kept and layout.training == PAPER.training
    same_bins = same_kept and layout.columns == PAPER.columns
    comparable = {
        "records": True,
        "complete": same_records,
        "dropped": same_kept,
        "kept": same_kept,
        "training": same_split,
        "test": same_split,
        "bins": same_bins,
        "cells": same_split and same_bins,
    }
    slack = {"cells": 3 * CELLS_SD}

    def verdict(quantity: str) -> str:
        if not comparable[quantity]:
            return "not the paper's configuration"
        off = abs(tally[quantity] - NUMBERS[quantity])
        if off > slack.get(quantity, 0):
            return "OFF"
        return "within 3 sd" if quantity in slack else "equal"

    table = pd.DataFrame(
        {
            "quantity": NUMBERS.keys(),
            "paper": NUMBERS.values(),
            "ours": [tally[quantity] for quantity in NUMBERS],
            "verdict": [verdict(quantity) for quantity in NUMBERS],
        }
    )
    if (table["verdict"] == "OFF").any():
        raise ValueError(
            "the Adult data do not count to the paper's numbers:\n"
            f"{table.to_string(index=False)}\n"
            "records: the file is not UCI's adult.data. complete, dropped, kept: a record has been "
            "changed, or the columns are not in the file's order. training, test: the split is not "
            "that of 30,014 records. bins, cells: levels are missing, or the split is unlike a "
            "random one (as one seed in 300 gives)."
        )
    return table
