"""Time, peak memory and disk space as the numbers of cells, records, repeats and points grow.

    python benchmarks/growth.py          # some minutes, on a computer with nothing else to do
    python benchmarks/growth.py short    # the smaller sizes, a minute
    python benchmarks/growth.py page     # no measurement

Each measurement is a separate process on one core. Its time includes the start of the process, and
its memory is the peak memory of the process. The measurements are written to
`benchmarks/growth.csv`. The figure of docs/growth.md is drawn from this file and from
`benchmarks/growth_svm.csv`, which `benchmarks/growth_svm.py` writes. The short form only prints its
measurements; `page` draws the figure and prints extrapolations of earlier measurements.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import yaml
from matplotlib.figure import Figure

from ggexp.workload import LARGE_COUNTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggexp.releases.point import NoisyPoint

ROOT = Path(__file__).parents[1]
SEED = 1
EPSILONS = [0.01 * i for i in range(1, 5001)]


def noisy_point(epsilon: float = 1.0) -> "NoisyPoint":
    """Return a grid point with Laplace noise."""
    from ggexp.mechanisms.mechanism import Mechanism
    from ggexp.releases.point import GridPoint, NoisyPoint

    mechanism = Mechanism(order=1, calibration="pure")
    point = GridPoint("growth", "laplace", 1, "pure", epsilon, None)
    return NoisyPoint(point, mechanism.noise(epsilon=epsilon))


def make_counts(cells: int) -> "NDArray[np.int64]":
    """Return counts, most of them small and some large."""
    rng = np.random.default_rng(SEED)
    return rng.poisson(rng.lognormal(0, 2, cells))


def make_records(records: int) -> dict[str, "NDArray[Any]"]:
    """Return records with three attributes and a target with overlapping classes."""
    rng = np.random.default_rng(SEED)
    age = rng.integers(18, 90, records)
    ill = rng.random(records) < 1 / (1 + np.exp((50 - age) / 15))
    work = np.array([*"abcde"])[rng.integers(0, 5, records)]
    region = np.array([f"r{i}" for i in range(40)])[rng.integers(0, 40, records)]
    return {"age": age, "work": work, "region": region, "ill": np.where(ill, "yes", "no")}


def write_records(records: int) -> None:
    """Write records as CSV, before the measurements that read them."""
    from pyarrow import Table, csv

    csv.write_csv(Table.from_pydict(make_records(records)), "records.csv")


def measure_errors(counts: "NDArray[np.int64]", repeats: int) -> None:
    """Measure the errors of releases at a grid point, as the job `measure_releases` does."""
    from ggexp.experiment.errors import measure_releases
    from ggexp.releases.sanitize import Listed
    from ggexp.run.storage import write_parquet

    kind = Listed(counts.size)
    table = measure_releases(
        counts, kind, noisy_point(), seed=SEED, repeats=repeats, pseudo_count=0.5
    )
    write_parquet(table, "repeats.parquet")


def errors_of_cells(cells: int) -> None:
    """Measure the errors of a hundred releases of a histogram."""
    measure_errors(make_counts(cells), repeats=100)


def errors_of_repeats(repeats: int) -> None:
    """Measure the errors of releases of a histogram with a thousand cells."""
    measure_errors(make_counts(1000), repeats)


def figure_of_cells(cells: int) -> None:
    """Compute and draw a figure of releases at three ε."""
    from ggexp.figures import draw_releases, style
    from ggexp.figures.tabulate_releases import tabulate_releases
    from ggexp.run.columns import read_csv
    from ggexp.run.storage import write_csv

    points = [noisy_point(epsilon) for epsilon in (0.1, 0.5, 1)]
    table = tabulate_releases(make_counts(cells), points, seed=SEED, repeats=100)
    write_csv(table, "figure.csv")
    style.save(draw_releases.draw(read_csv(Path("figure.csv")), "growth"), Path("figure.pdf"))


def describe_records(_: int) -> None:
    """Describe a file of records, as `ggexp describe` does."""
    from ggexp.proposal.describe import describe

    Path("described.yaml").write_text(describe("records.csv", "ill"), "utf-8")


def histogram_of_records(_: int) -> None:
    """Make the histogram and the test records of a file, as the workflow does."""
    from ggexp.datasets.records import make_histogram
    from ggexp.run.storage import write_parquet

    described = yaml.safe_load(Path("described.yaml").read_text("utf-8"))
    records = described["histograms"]["records"]["records"]
    histogram = make_histogram(
        records, dataset="records", seed=SEED, target="ill", lists_empty=True
    )
    write_parquet(dict(histogram.cells.items()), "histogram.parquet")
    write_parquet(dict(histogram.test.items()), "test.parquet")


def plan_of_points(points: int) -> None:
    """Plan a design with the given number of grid points (a dry run)."""
    _snakemake(points, "--dry-run", "--quiet", "all")


def run_of_points(points: int) -> None:
    """Run a design with the given number of grid points, with ten repeats each."""
    _snakemake(points)


def _snakemake(points: int, *options: str) -> None:
    config = {
        "results_dir": "results/growth",
        "theory": False,
        "epsilon": EPSILONS[: points // 2],
        "repeats": 10,
        "mechanisms": {
            "laplace": {"order": 1, "calibration": "pure"},
            "geometric": {"calibration": "pure-integer"},
        },
        "datasets": ["mildew"],
        "histograms": {
            "mildew": {"mechanisms": ["laplace", "geometric"], "figures": {"errors": 7}}
        },
    }
    Path("growth.yaml").write_text(yaml.safe_dump(config), "utf-8")
    for folder in ("config", "data"):
        Path(folder).symlink_to(ROOT / folder)
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--configfile", "growth.yaml", "--cores", "1", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Growth(NamedTuple):
    """A measurement at several sizes.

    work: the measured function of a size. along: the quantity that grows. sizes: its values in the
    whole benchmark. outputs: the pattern of the files that count as disk space. before: functions
    that run first and are not measured.
    """

    work: Callable[[int], None]
    along: str
    sizes: tuple[int, ...]
    outputs: str
    before: tuple[Callable[[int], None], ...] = ()


CELLS, RECORDS = (10**3, 10**4, 10**5, 10**6), (10**5, 10**6, 10**7)
MEASURED = {
    "errors, 100 repeats": Growth(errors_of_cells, "cells", CELLS, "repeats.parquet"),
    "figure of releases": Growth(figure_of_cells, "cells", CELLS, "figure.*"),
    "describe": Growth(
        describe_records, "records", RECORDS, "described.yaml", before=(write_records,)
    ),
    "histogram": Growth(
        histogram_of_records,
        "records",
        RECORDS,
        "*.parquet",
        before=(write_records, describe_records),
    ),
    "errors, 1,000 cells": Growth(
        errors_of_repeats, "repeats", (500, 5000, 50_000), "repeats.parquet"
    ),
    "plan": Growth(plan_of_points, "grid points", (24, 500, 5000), "results/**/*"),
    "run": Growth(run_of_points, "grid points", (24, 120, 500), "results/**/*"),
}


def measure(name: str, size: int) -> dict[str, float | str]:
    """Return the time, memory and disk space of one measurement."""
    growth = MEASURED[name]
    with tempfile.TemporaryDirectory() as folder:
        for step in range(len(growth.before)):
            _run_step(name, size, folder, step)
        start = time.perf_counter()
        memory = _run_step(name, size, folder, len(growth.before))
        seconds = time.perf_counter() - start
        disk = sum(
            file.stat().st_size for file in Path(folder).glob(growth.outputs) if file.is_file()
        )
    numbers = {"seconds": seconds, "memory_mb": memory / 1e6, "disk_mb": disk / 1e6}
    return {"work": name, "along": growth.along, "size": size, **numbers}


def _run_step(name: str, size: int, folder: str, step: int) -> int:
    """Run one step of a measurement in a process, and return its peak memory in bytes."""
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "step", name, str(size), str(step)]
    process = subprocess.Popen(command, cwd=folder, env=os.environ | one_thread)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{name} at {size:,} ended with {process.returncode}")
    return usage.ru_maxrss * 1024  # the largest of the process and its subprocesses


def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """Return, for each kind of work, the power of the size with which its time grows.

    It is estimated from the two largest sizes, because the start of the process takes much of the
    time at smaller sizes.
    """
    rows = []
    for work, measurements in table.groupby("work", sort=False):
        largest = measurements.nlargest(2, "size")
        slope, _ = np.polyfit(np.log(largest["size"]), np.log(largest["seconds"]), 1)
        rows.append({"work": work, "along": measurements["along"].iloc[0], "exponent": slope})
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame, classifiers: pd.DataFrame) -> Figure:
    """Return a figure of seconds and memory against size: one column for each growing quantity."""
    growing = [*table["along"].unique(), "training cells"]
    figure = Figure(figsize=(2.4 * len(growing), 4.2), layout="constrained")
    grid = figure.subplots(2, len(growing), squeeze=False, sharey="row", sharex="col")
    for column, along in zip(grid.T, growing, strict=True):
        for work, measurements in table[table["along"] == along].groupby("work", sort=False):
            for axes, quantity in zip(column, ("seconds", "memory_mb"), strict=True):
                axes.loglog(measurements["size"], measurements[quantity], marker="o", label=work)
        column[1].set_xlabel(along)
    time_axes, memory_axes = grid[:, -1]
    overlapping = small_counts(classifiers, "overlapping")
    time_axes.loglog(overlapping["cells"], overlapping["release"], marker="o", label="a release")
    time_axes.loglog(overlapping["cells"], overlapping["SVC"], marker="o", label="SVC")
    memory_axes.loglog(overlapping["cells"], overlapping["MB"], marker="o")
    for axes in grid.flat:
        axes.grid(alpha=0.3)
    for axes in grid[0]:
        axes.legend(fontsize=7)
    grid[0, 0].set_ylabel("seconds")
    grid[1, 0].set_ylabel("memory (MB)")
    return figure


def small_counts(classifiers: pd.DataFrame, classes: str) -> pd.DataFrame:
    """Return the measurements of tables with small counts, in order of the number of cells."""
    chosen = (classifiers["mean count"] < LARGE_COUNTS) & (classifiers["classes"] == classes)
    return classifiers[chosen].sort_values("cells")


def requirements(table: pd.DataFrame, classifiers: pd.DataFrame) -> dict[str, str]:
    """Return the requirements of a design with 10^4 grid points, 5,000 repeats and 10^5 cells."""
    points, repeats, cells = 10**4, 5000, 10**5
    measurements = table.set_index(["work", "size"])
    errors = measurements.loc["errors, 100 repeats"]
    startup, largest = (errors.loc[size]["seconds"] for size in (10**3, 10**6))
    # the smallest size takes little longer than the start of a process
    seconds = (largest - startup) * cells / 10**6 * repeats / 100 + startup
    plan = measurements.loc["plan"].iloc[-1]
    disk = measurements.loc["errors, 1,000 cells", 5000]["disk_mb"] * repeats / 5000 * points
    trained = classifiers[classifiers["cells"] > 0.9 * cells]
    release = trained["release"].max()
    return {
        "errors: core hours": f"{points * seconds / 3600:,.0f}",
        "errors: seconds per job": f"{seconds:.0f}",
        "errors: memory per job": f"{errors.loc[cells]['memory_mb']:,.0f} MB",
        "files of repeats": f"{points:,}, {disk / 1e3:.1f} GB",
        f"planning of {measurements.loc['plan'].index[-1]:,} points": (
            f"{plan['seconds']:.0f} s, {plan['memory_mb']:,.0f} MB"
        ),
        "support vector machines: core hours": f"{points * repeats * release / 3600:,.0f}",
        "support vector machines: hours per job": f"{repeats * release / 3600:.1f}",
        "support vector machines: memory per job": f"{trained['MB'].max():,.0f} MB",
    }


def main(form: str) -> None:
    """Print the measurements and draw the figure; form: "", "short" or "page"."""
    if form == "page":
        table = pd.read_csv(ROOT / "benchmarks/growth.csv")
    else:
        table = measure_all(is_short=form == "short")
    print(exponents(table).round(2).to_string(index=False))
    if form != "short":
        classifiers = pd.read_csv(ROOT / "benchmarks/growth_svm.csv")
        for requirement, estimate in requirements(table, classifiers).items():
            print(f"{requirement}: {estimate}")
        draw(table, classifiers).savefig(ROOT / "docs/growth.png", dpi=150)


def measure_all(is_short: bool) -> pd.DataFrame:
    """Return all measurements, and write them to growth.csv except in the short form."""
    rows = []
    for name, growth in MEASURED.items():
        for size in growth.sizes[: 2 if is_short else None]:
            rows.append(measure(name, size))
            shown = (
                f"{cell:.4g}" if isinstance(cell, float) else cell for cell in rows[-1].values()
            )
            print(*shown, sep=" | ", flush=True)
    table = pd.DataFrame(rows)
    if not is_short:
        table.to_csv(ROOT / "benchmarks/growth.csv", index=False, float_format="%.4g")
    return table


if __name__ == "__main__":
    if sys.argv[1:2] == ["step"]:
        name, size, step = sys.argv[2:]
        growth = MEASURED[name]
        [*growth.before, growth.work][int(step)](int(size))
    else:
        main("".join(sys.argv[1:]))
