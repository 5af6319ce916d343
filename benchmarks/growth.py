"""Seconds, memory and disk space of commands as tables and designs grow.

    python benchmarks/growth.py > tests/data/growth.csv    # needs psutil, as the tests do

Each row is one command on one core, from its start to its end. Its memory is the largest of all its
processes together, and its disk space that of its results. The table has 100,000 records, 1,000
cells and 100 repeats, unless the row says otherwise.
"""

import sys
import tempfile

import numpy as np
import pandas as pd
from reproduce import timed

from ggexp.experiment.design import PROPOSED_MECHANISMS

DESCRIBE, RUN = (
    [sys.executable, "-m", "ggexp", name, "table.csv", "--columns", "x,y,z"]
    for name in ("describe", "run")
)
RUN += ["--cores", "1", "--config"]


def measure(
    along: str, size: int, command: list[str], *, records: int = 10**5, levels: int = 10
) -> None:
    """Print the row of a command, whose table has three columns with equally many levels."""
    work = "plan" if "--dry-run" in command else command[3]
    codes = np.random.default_rng(1).integers(levels, size=(records, 3))
    names = np.array([f"v{level}" for level in range(levels)], object)
    with tempfile.TemporaryDirectory() as folder:
        pd.DataFrame(names[codes], columns=[*"xyz"]).to_csv(f"{folder}/table.csv", index=False)
        seconds, memory, disk = timed(command, folder)
    numbers = f"{seconds:.4g},{memory / 1e6:.4g},{disk / 1e6:.4g}"
    print(f"{work},{along},{size},{numbers}", flush=True)


if __name__ == "__main__":
    print("work,along,size,seconds,memory_mb,disk_mb")
    for records in (10**5, 10**6, 10**7):
        measure("records", records, DESCRIBE, records=records)
        measure("records", records, [*RUN, "repeats=100"], records=records)
    for levels in (10, 22, 46, 100):
        measure("cells", levels**3, [*RUN, "repeats=100"], levels=levels)
    for repeats in (500, 5000, 50_000):
        measure("repeats", repeats, [*RUN, f"repeats={repeats}"])
    for number in (6, 100, 1000, 2000):
        epsilons = [round(0.01 * i, 2) for i in range(1, number + 1)]
        points = number * len(PROPOSED_MECHANISMS)
        command = [*RUN, "repeats=100", f"epsilon={epsilons}"]
        measure("grid points", points, [*command, "--dry-run"])
        if number <= 100:
            measure("grid points", points, command)
