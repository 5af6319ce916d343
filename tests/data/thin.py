"""Make a folder of tests/data/ from the results of a run: full_run, if no other is named.

From `make multiverse`, also make tables of reference/ and the pictures of docs/reproduction.md.

python tests/data/thin.py results
python tests/data/thin.py results/equal-privacy equal_privacy
python tests/data/thin.py results/equal-privacy-replaced equal_privacy_replaced
python tests/data/thin.py results/empty-cells empty_cells
python tests/data/thin.py results/multiverse multiverse
"""

import shutil
import sys
from pathlib import Path

import pandas as pd

from ggexp.claims.sd_errors import with_sd_errors
from ggexp.run.files import read_csv

ROOT = Path(__file__).parents[2]
MEASURED = ("summary.csv", "scales.csv", "baseline.csv")
WHOLE = {
    "full_run": (*MEASURED, "histograms/adult_tally.csv", "figures/figure_02.csv"),
    "equal_privacy": MEASURED,
    "equal_privacy_replaced": MEASURED[:2],
    "empty_cells": ("summary.csv", "baseline.csv"),
}
# file of `make multiverse` -> its copy
READINGS = {
    "shares.csv": "reference/readings.csv",
    "losses.csv": "reference/losses.csv",
    "figures/figure_m2.csv": "tests/data/multiverse/figure_m2.csv",
    "figures/figure_m1.png": "docs/readings.png",
    "figures/figure_m2.png": "docs/accuracy-readings.png",
}
# number -> one point of so many is kept, and what tells the curves apart
CURVES = {
    1: (4, ["panel", "order"]),
    3: (2, ["panel"]),
    4: (8, ["epsilon", "delta"]),
    5: (8, ["epsilon", "delta"]),
}
LEFT_OUT = ["p1", "p2", "tail", "epsilon_2"]  # no claim is about them


def main(results: Path, copy: Path) -> None:
    if copy.name == "multiverse":
        for name, path in READINGS.items():
            shutil.copy(results / name, ROOT / path)
        return
    copy.mkdir(exist_ok=True)
    for name in WHOLE[copy.name]:
        shutil.copy(results / name, copy)
    if copy.name in ("full_run", "empty_cells"):
        equal = pd.concat(map(read_csv, sorted((results / "equal_counts").glob("*.csv"))))
        equal.to_csv(copy / "equal_counts.csv", index=False, float_format="%.10g")
    if copy.name != "full_run":
        return
    repeats = map(pd.read_parquet, sorted((results / "repeats").glob("*.parquet")))
    errors = with_sd_errors(read_csv(results / "summary.csv"), repeats).dropna(subset="sd_se")
    errors = errors.query("metric in ('l1', 'kl')").drop(columns=["repeats", "mean", "sd", "se"])
    errors.to_csv(copy.parent / "sd_errors.csv", index=False, float_format="%.7g")
    for number, (step, curve) in CURVES.items():
        name = f"figure_{number:02}.csv"
        table = read_csv(results / "figures" / name)
        kept = table[table.groupby(curve).cumcount() % step == 0]
        kept.drop(columns=LEFT_OUT, errors="ignore").to_csv(
            copy / name, index=False, float_format="%.7g"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), ROOT / "tests/data" / (*sys.argv[2:], "full_run")[0])
