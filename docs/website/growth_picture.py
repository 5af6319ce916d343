"""Draw docs/growth.png from the measurements in tests/data; `make numbers` runs this program."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import style

ROOT = Path(__file__).parents[2]
MARKERS = "os^Dv"
TRAINING = {"release": "training on a release", "SVC": "SVC on a release"}


def measurements() -> pd.DataFrame:
    """Return the columns along, work, size, seconds and memory_mb, also of the training."""
    runs = pd.read_csv(ROOT / "tests/data/growth.csv")
    trained = pd.read_csv(ROOT / "tests/data/growth_svm.csv").sort_values("cells")
    trained = trained[(trained["classes"] == "overlapping") & (trained["mean count"] < 2)]
    parts = [runs]
    for column, work in TRAINING.items():
        names = {"cells": "size", column: "seconds"}
        part = trained[[*names]].rename(columns=names).assign(work=work, along="training cells")
        parts.append(part.assign(memory_mb=trained["MB"] if column == "release" else None))
    return pd.concat(parts)


def draw(table: pd.DataFrame) -> Figure:
    """Return a figure of seconds and memory against size: a column for each growing quantity."""
    quantities = {"seconds": "seconds", "memory_mb": "memory (MB)"}
    growing = table["along"].unique()
    looks = dict(zip(table["work"].unique(), zip(style.CURVES, MARKERS, strict=False), strict=True))
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 3.6))
        grid = figure.subplots(2, len(growing), sharey="row", sharex="col")
        for column, along in zip(grid.T, growing, strict=True):
            for work, rows in table[table["along"] == along].groupby("work", sort=False):
                (colour, line), marker = looks[work]
                for axes, quantity in zip(column, quantities, strict=True):
                    look = {"color": colour, "marker": marker, "linestyle": line}
                    axes.loglog(rows["size"], rows[quantity], label=work, **look)
            column[0].legend(fontsize=6, loc="lower center", bbox_to_anchor=(0.5, 1))
            column[1].set_xlabel(along)
        for axes, label in zip(grid[:, 0], quantities.values(), strict=True):
            axes.set_ylabel(label)
        for axes in grid.flat:
            axes.minorticks_off()
        megabytes = [200, 500, 1000, 2000, 5000]
        grid[1, 0].set_yticks(megabytes, [f"{each:,}" for each in megabytes])
        grid[1, -1].set_xticks([10_000, 40_000], ["10,000", "40,000"])
        grid[0, 0].set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1,000"])
    return figure


if __name__ == "__main__":
    style.save(draw(measurements()), ROOT / "docs/growth.png")
