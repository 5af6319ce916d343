"""Investigate how the paper's numbers for the Adult data arise, for docs/reproduction.md.

    python studies/adult_numbers.py data/downloads/adult.data

Prints, in a few seconds: the number of records that various exclusions keep; the values whose
exclusion would remove as many records as the workflow excludes; and the number of non-empty
training cells over 1000 random splits, for our bins and for other bins with the same total number.
"""

import sys
from collections import Counter
from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np
import yaml

from ggexp.datasets.layout import Layout
from ggexp.datasets.records import read_histogram

CONFIG = yaml.safe_load(Path(__file__).parents[1].joinpath("config/config.yaml").read_text("utf-8"))
PAPER = Layout.from_config(CONFIG["histograms"]["adult"]["records"], "adult")
TRAINING = 20_009  # training records: two thirds of the kept records
CELLS = 17_985  # non-empty training cells, as printed in the paper
SPLITS = 1000
RANGES = {  # smallest and largest values of the kept records
    "age": (17, 90),
    "fnlwgt": (13_769, 1_484_705),
    "capital-gain": (0, 41_310),
    "capital-loss": (0, 4_356),
    "hours-per-week": (1, 99),
}
# Numbers of bins for the columns in RANGES; each product is 360,000. Bins have equal widths.
OTHER_BINS = [
    (15, 30, 8, 10, 10),
    (12, 30, 10, 10, 10),
    (9, 40, 10, 10, 10),
    (20, 20, 10, 9, 10),
    (18, 20, 10, 10, 10),
    (15, 24, 10, 10, 10),
    (8, 30, 10, 10, 15),
]


def exclusions(records: list[dict[str, str]]) -> None:
    """Print the numbers of records that exclusions keep, and the sizes of a 2/3 to 1/3 split."""
    complete = [record for record in records if "?" not in record.values()]
    kept = [record for record in complete if record["capital-gain"] != "99999"]
    subsets = {
        "all records": records,
        "complete": complete,
        "complete, no duplicates": {tuple(record.values()) for record in complete},
        "complete, hours-per-week < 99": [r for r in complete if r["hours-per-week"] != "99"],
        "complete, age < 90": [r for r in complete if r["age"] != "90"],
        "all, capital-gain < 99999": [r for r in records if r["capital-gain"] != "99999"],
        "complete, capital-gain < 99999": kept,
        "the same, no duplicates": {tuple(record.values()) for record in kept},
    }
    for name, members in subsets.items():
        n = len(members)
        print(f"{name:32s} {n:6d}  2/3: {2 * n / 3:9.2f}  1/3: {n / 3:9.2f}")
    excluded = len(complete) - len(kept)
    values = Counter(item for record in complete for item in record.items())
    matches = [f"{name} = {value}" for (name, value), n in values.items() if n == excluded]
    print(f"\nvalues that {excluded} of the complete records have: {', '.join(matches)}")


def cells_over_splits(path: Path, layout: Layout) -> tuple[float, float, float]:
    """Return the mean and sd of the number of non-empty training cells over random splits.

    The third value is the share of splits with fewer than 17,985 such cells. A split draws records
    without replacement, therefore the training counts are multivariate hypergeometric.
    """
    counts = read_histogram(path, replace(layout, training=None), dataset="adult", seed=0).cells
    rng = np.random.default_rng(1)
    splits = rng.multivariate_hypergeometric(counts["count"], TRAINING, size=SPLITS, method="count")
    cells = (splits > 0).sum(axis=1)
    return cells.mean(), cells.std(ddof=1), (cells < CELLS).mean()


def main() -> None:
    """Print all measurements."""
    path = Path(sys.argv[1])
    names = [*PAPER.columns]
    records = [
        dict(zip(names, map(str.strip, line.split(",")), strict=True))
        for line in path.read_text("utf-8").splitlines()
        if line
    ]
    exclusions(records)
    layouts = {"ours": PAPER}
    for bins in OTHER_BINS:
        columns_config = {
            name: {"from": start, "to": stop, "bins": number}
            for (name, (start, stop)), number in zip(RANGES.items(), bins, strict=True)
        }
        columns = Layout.from_config({"columns": columns_config}, "other").columns
        name = " · ".join(map(str, bins)) + f" = {prod(bins)}"
        layouts[name] = replace(PAPER, columns={**PAPER.columns, **columns})
    print(f"\nnon-empty training cells over {SPLITS} splits, and the share below 17,985")
    for name, layout in layouts.items():
        mean, sd, below = cells_over_splits(path, layout)
        print(f"{name:32s} {mean:8.1f} ± {sd:4.1f}  {below:6.1%}")


if __name__ == "__main__":
    main()
