"""Thirty public tables, each from its file to an answer by `ggexp run`, and what that is worth.

    python studies/own_tables.py [TABLE ...]

Writes each table into data/own/thirty/ in a form in which people have such files and runs `ggexp
run` on it, with no option but those of `OPTIONS`. For each it prints what the run said first, and

- *simulated*: the l₁ error at the ε of that sentence, by a simulation of the noise, of clamping and
  of rescaling that has no line in common with the program, next to the error that the sentence
  promises. Only of histograms whose cells are all listed, and of whole-number noise;
- *audited*: the largest lower bound on ε that releases of a small version of the table show, over
  the ε that they should satisfy, of all mechanisms that the page ranks. The small version has the
  first cells of the histogram in the same domain. A bound above 1 would refute the page; that one
  of all is, by chance, has a probability of at most 0.001.

Needs R with its package MASS, and a package index, from which packages of Python are unpacked into
that folder, not installed.
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

from ggexp.guarantees import audit
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
FALSE_ALARM = 1e-3  # of all audits together
RELEASES, CELLS = 100_000, 40  # of each neighbour, and of a small version
REPEATS = 400  # of a simulation
WITHIN = 0.08  # of the promised error: ε is printed with two digits
SENTENCE = re.compile(
    r"Use the ([\w-]+) mechanism; an l₁ error of ([\d.]+) % of n needs ε\s(≈|≤)\s([\d.e-]*\d)"
    r"(?: and δ = ([\d.e-]*\d))?"
)


def of_sklearn(name: str, write: str = "to_csv", **options: Any) -> Callable[[Path], object]:
    """Return what writes a data set of scikit-learn, with the names of its classes."""

    def table(path: Path) -> object:
        loaded = getattr(sklearn_datasets, f"load_{name}")(as_frame=True)
        frame = loaded.frame
        if "target_names" in loaded:
            frame["target"] = [loaded.target_names[label] for label in frame["target"]]
        return getattr(frame, write)(path, **{"index": False, **options})

    return table


def of_package(name: str, write: str = "to_csv", **options: Any) -> Callable[[Path], object]:
    """Return what writes a CSV file of an unpacked package in another form."""
    read = partial(pd.read_csv, PACKAGES / name, sep=None, engine="python")
    return lambda path: getattr(read(), write)(path, **options)


def as_text(frame: str, convert: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], None]:
    """Return what writes a data frame of R after a change of how its fields are written."""

    def table(path: Path) -> None:
        from_r(frame, 'csv({frame}, "{path}", row.names = FALSE)')(path)
        convert(pd.read_csv(path, dtype=str)).to_csv(path, index=False)

    return table


def plain(frame: str) -> Callable[[Path], object]:
    """Return what writes a data frame of R as CSV without the names of its rows."""
    return from_r(frame, 'csv({frame}, "{path}", row.names = FALSE)')


def thousands(frame: pd.DataFrame) -> pd.DataFrame:
    """Write the counts a thousand times as large, with commas."""
    return frame.assign(Freq=[f"{1000 * int(count):,}" for count in frame["Freq"]])


def floating(frame: pd.DataFrame) -> pd.DataFrame:
    """Write the counts as pandas does after a merge."""
    return frame.assign(Freq=[f"{count}.0" for count in frame["Freq"]])


#: Each file's name, and what writes it.
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
    # records of few columns
    "iris.csv": of_sklearn("iris"),
    "tooth-growth.csv": plain("ToothGrowth"),
    "co2.csv": from_r("CO2", 'csv2({frame}, "{path}", row.names = FALSE)'),
    "quine.csv": plain("quine"),
    "shuttle.csv": plain("shuttle"),
    "bacteria.csv": plain("bacteria"),
    "warpbreaks.csv": plain("warpbreaks"),
    # of many columns, with gaps, identifiers and long tails
    "wine.csv": of_sklearn("wine"),
    "breast-cancer.xlsx": of_sklearn("breast_cancer", "to_excel"),
    "biopsy.csv": plain("biopsy"),
    "survey.csv": from_r("survey", 'csv2({frame}, "{path}")'),
    "aids.csv": plain("Aids2"),
    "melanoma.csv": plain("Melanoma"),
    "infert.csv": from_r("infert", 'csv({frame}, "{path}")'),
    "mtcars.csv": from_r("mtcars", 'csv({frame}, "{path}")'),
    "quakes.csv": plain("quakes"),
    # from other programs, and large
    "anes96.dta": of_package(
        "statsmodels/datasets/anes96/anes96.csv", "to_stata", write_index=False
    ),
    "heart.parquet": of_package("statsmodels/datasets/heart/heart.csv", "to_parquet"),
    "randhie.csv.gz": of_package("statsmodels/datasets/randhie/randhie.csv", index=False),
    "riots.csv": of_package("vega_datasets/_data/la-riots.csv", index=False),
    "airports.csv": of_package("vega_datasets/_data/airports.csv", index=False, sep="|"),
    "seattle-temps.csv": of_package("vega_datasets/_data/seattle-temps.csv", index=False),
}
#: Of tables that hold what no program can guess.
OPTIONS = {
    "caithness.csv": ["--wide"],
    "insurance.csv": ["--count", "Claims"],
    "iris.csv": ["--target", "target"],
    "wine.csv": ["--target", "target"],
    "shuttle.csv": ["--target", "use"],
}


class Run(NamedTuple):
    """A finished run of one table: its first sentence, its configuration, its folder of results."""

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
        """The data set's own settings."""
        settings: dict[str, Any] = self.config["histograms"][self.dataset]
        return settings

    @property
    def counts(self) -> np.ndarray:
        """The histogram's counts, of the cells that are listed."""
        return read_parquet(self.results / f"histograms/{self.dataset}.parquet")["count"].to_numpy()

    @property
    def cells(self) -> int:
        """The number of all cells, also of those that are not listed."""
        tally = self.results / f"histograms/{self.dataset}_tally.csv"
        return read_tally(tally)["bins"] if tally.exists() else self.counts.size


def run(path: Path) -> Run:
    """Take a file to an answer."""
    ended = subprocess.run(
        [sys.executable, "-m", "ggexp", "run", path, *OPTIONS.get(path.name, [])],
        check=False,
        capture_output=True,
        text=True,
    )
    printed = ended.stdout + ended.stderr
    if ended.returncode:
        sys.exit(f"{path}:\n{printed}")
    (configuration,) = re.findall(r"configuration: (\S+)", printed)
    config = yaml.safe_load(Path(configuration).read_text("utf-8"))
    results = Path(config["results_dir"])
    (name,) = config["datasets"]
    answer = (results / "answer.txt").read_text("utf-8").splitlines()[0]
    assert answer in " ".join(printed.split())  # lines are broken at a terminal's width
    return Run(answer.removeprefix(f"{name}: "), config, results)


def simulated(made: Run) -> tuple[float, float] | None:
    """Return the relative l₁ error at the ε of the sentence, and the one that it promises.

    None if the sentence names no ε of whole-number noise, or cells are not listed.
    """
    found = SENTENCE.match(made.sentence)
    if not found or not kind_of(made.settings).lists_cells or found[3] != "≈":
        return None
    epsilon, counts = float(found[4]), made.counts
    rng, n = np.random.default_rng(7), counts.sum()
    if found[1] == "geometric":
        stop = -np.expm1(-epsilon)
        shape = (REPEATS, counts.size)
        noise = rng.geometric(stop, shape) - rng.geometric(stop, shape)
    elif found[1] == "optimal":
        delta = float(found[5])
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
    return float(np.abs(released - counts).sum(axis=1).mean() / n), float(found[2]) / 100


def audited(made: Run, error: float) -> float:
    """Return the largest bound on a loss that releases show, relative to the ε of the page.

    Of each ε and guarantee the mechanism that the page names is audited, in a cell with few records
    and in one that is empty or nearly so. error: the probability that the result is too large.
    """
    best = read_csv(made.results / "recommendation.csv")
    best = best[best["metric"] == "l1"].to_dict("records")
    orders = read_csv(made.results / "scales.csv").set_index(["mechanism", "epsilon"])["order"]
    kind = kind_of(made.settings)
    counts = np.sort(made.counts[:CELLS])
    if not kind.lists_cells:
        counts = np.append(0, counts)  # a cell that only the neighbour has
    n = int(counts.sum()) + 1  # which neighbours share, as it is taken as public
    largest = 0.0
    for row in best:
        calibration = made.config["mechanisms"][row["mechanism"]]["calibration"]
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
            of = {key: value for key, value in made.settings["release"].items() if key != "kind"}
            unlisted = kind(made.cells, **of)
            assert isinstance(unlisted, Unlisted)
            threshold = unlisted.threshold(noise, delta)
            return unlisted.sanitize_times(
                counts, noise, rng, times=times, total=n, threshold=threshold
            )

        for first in (0, counts.size // 2):
            cell = np.append(counts[first], np.delete(counts, first))
            cuts = audit.thresholds(noise, int(cell[0]))
            rng = stream(1, f"{made.dataset} {row} {first}")
            found = audit.tally(release, cell, cuts, releases=RELEASES, rng=rng)
            bound = audit.bound(
                found, Guarantee(row["guarantee"]), delta=delta, error=error / (2 * len(best))
            )
            largest = max(largest, bound / row["epsilon"])
    return largest


def main() -> None:
    """Print a line for each table, and fail if an answer is wrong."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    unpack = ["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", PACKAGES]
    subprocess.run([sys.executable, *unpack, "statsmodels", "vega_datasets"], check=True)
    wrong = []
    for name in sys.argv[1:] or TABLES:
        path = FOLDER / name
        TABLES[name](path)
        start = perf_counter()
        made = run(path)
        seconds = perf_counter() - start
        error = simulated(made)
        told = "-"
        if error:
            told = f"{error[0]:.3f} for {error[1]:g}"
            if abs(error[0] / error[1] - 1) > WITHIN:
                wrong.append(f"{name}: simulated {told}")
        loss = audited(made, FALSE_ALARM / len(TABLES))
        if loss > 1:
            wrong.append(f"{name}: a loss of {loss:.3f} ε was shown")
        print(f"{name} ({seconds:.0f} s): {made.sentence}\n  simulated {told}, audited {loss:.3f}")
        sys.stdout.flush()
    if wrong:
        sys.exit("\n".join(["wrong:", *wrong]))


if __name__ == "__main__":
    main()
