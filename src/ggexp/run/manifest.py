"""The manifest of a run: its origin, and checksums of its results for comparison with other runs.

The checksum of a column of numbers is a weighted sum of their logarithms. It hardly changes if
numbers differ in their last bits, as those of different processors do, but it shows a relative
change of 1e-8 in any single number. A hash of numbers rounded to ten digits would differ in about
half of all runs of the paper's design.
"""

import hashlib
import json
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from math import fsum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
import pandas as pd

from ggexp.run.files import read_table
from ggexp.run.project import commit, name_of
from ggexp.run.storage import stated
from ggexp.section import Settings

#: The number of rows of a table, and the checksum of each column: a number, or a hash.
Checksums = dict[str, float | str]
TOLERANCE = 1e-8  # two checksums of a column agree if they differ by at most this
#: The tolerances for accuracies if the two computers are of different kinds. Rounding errors in
#: training then differ, and about one test record in 200,000 is classified differently. The
#: measured differences of the checksums are 4e-5 (mean) and 0.005 (sd and se).
TOLERANCE_ELSEWHERE = {"mean of accuracy": 1e-3, "sd of accuracy": 0.05, "se of accuracy": 0.05}
#: The tolerance for losses of accuracy. The measured difference between computers is 0.02.
TOLERANCE_OF_LOSSES = {"loss": 0.2}
#: Settings that no result depends on: paths, and the division of the work into jobs.
WITHOUT_EFFECT = ("results_dir", "execution", "download", "overwrite")
#: The parts of a manifest that differences are in.
PARTS: tuple[Literal["data"], Literal["outputs"]] = ("data", "outputs")


class FileSums(TypedDict):
    """Name of a data file -> its sha256, and path of a table of results -> its checksums."""

    data: dict[str, str]
    outputs: dict[str, Checksums]


class Manifest(FileSums):
    """The manifest of a run, as JSON stores it.

    configuration: see `hash_configuration`. points: the paths of the grid points, missing in those
    of version 0.2. machine: see `machine`. packages: name -> version. code: script -> fingerprint.
    """

    configuration: str
    seed: int
    repeats: int
    points: NotRequired[list[str]]
    commit: str | None
    machine: dict[str, str]
    python: str
    packages: dict[str, str]
    code: dict[str, str]


def write_manifest(
    config: Settings,
    results: Path,
    points: Iterable[str],
    code: Mapping[str, str],
    data: Mapping[str, str],
    outputs: Iterable[Path],
) -> Manifest:
    """Return the manifest of a finished run, in a form that JSON can store.

    results: the folder of the results, which are copies if it is not ``results_dir``.
    points: their paths. code: script -> fingerprint. data: stored histogram -> its data file.
    outputs: CSV and Parquet files in the folder.
    """
    packages: dict[str, str] = {}
    for distribution in metadata.distributions(path=[*dict.fromkeys(sys.path)]):
        # only the first lines, because the attribute `metadata` takes ten times as long
        text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
        facts = dict(re.findall(r"^(Name|Version): (.+)", text.partition("\n\n")[0], re.MULTILINE))
        if "Name" in facts:  # the first version is imported, if several are installed
            packages.setdefault(facts["Name"], facts["Version"])
    return {
        "configuration": hash_configuration(config),
        "seed": config["seed"],
        "repeats": config["repeats"],
        "points": [*points],
        "commit": commit(),
        "machine": machine(),
        "python": platform.python_version(),
        "packages": {name: packages[name] for name in sorted(packages, key=str.lower)},
        "code": dict(code),
        **read_files(config, results, data, outputs),
    }


def read_files(
    config: Settings, results: Path, data: Mapping[str, str], outputs: Iterable[Path]
) -> FileSums:
    """Return the checksums of the results on the disk, and of the data that the jobs read.

    Raises ValueError with the name of a file that is damaged, or that changed between two jobs.
    """
    read: dict[str, str] = {}
    for histogram, file in data.items():
        stored = results / Path(histogram).relative_to(config["results_dir"])
        if not (sha256 := stated(stored, "sha256")):
            raise ValueError(f"{stored}: it does not state the sha256 of its data file")
        if read.setdefault(name_of(Path(file)), sha256) != sha256:
            raise ValueError(f"{file} changed while the run read it. Run again")
    return {
        "data": dict(sorted(read.items())),
        "outputs": {str(path.relative_to(results)): checksums(path) for path in outputs},
    }


def hash_configuration(config: Settings) -> str:
    """Return a hash of the settings of a checked configuration that the results depend on.

    Settings of data sets and mechanisms that are not run are left out; 1 and 1.0 are the same.
    """
    settings = {key: value for key, value in config.items() if key not in WITHOUT_EFFECT}
    settings["histograms"] = {name: config["histograms"][name] for name in config["datasets"]}
    used = {
        name for histogram in settings["histograms"].values() for name in histogram["mechanisms"]
    }
    settings["mechanisms"] = {name: config["mechanisms"][name] for name in used}
    return hashlib.sha256(json.dumps(_whole_as_int(settings), sort_keys=True).encode()).hexdigest()


def _whole_as_int(value: Any) -> Any:
    """Return a setting in which whole numbers have the type int."""
    if isinstance(value, Mapping):
        return {name: _whole_as_int(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_whole_as_int(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def checksums(path: Path) -> Checksums:
    """Return the number of rows of a table, and the checksum of each column.

    The statistics of accuracies have separate checksums.
    """
    frame = read_table(path)
    sums: Checksums = {"rows": len(frame)}
    if {"mean", "sd", "se"} <= {*frame}:
        # without the column metric, means up to 1 are taken for accuracies
        of_accuracy = frame["metric"] == "accuracy" if "metric" in frame else frame["mean"] <= 1
        for name in ("mean", "sd", "se"):
            if of_accuracy.any():
                sums[f"{name} of accuracy"] = _checksum(frame[name][of_accuracy])
            frame[name] = frame[name].mask(of_accuracy, 0)
    return sums | {str(name): _checksum(frame[name]) for name in frame}


def _checksum(column: "pd.Series[Any]") -> float | str:
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return hashlib.sha256("\n".join(map(str, column)).encode()).hexdigest()[:16]
    values = column.to_numpy(float)
    logs = np.log(np.abs(np.where(np.isfinite(values) & (values != 0), values, 1)))
    for constant, selected in enumerate(
        (values < 0, values == 0, np.isnan(values), np.isposinf(values), np.isneginf(values)), 10
    ):
        logs[selected] += constant
    weights = 1 + np.random.default_rng(0).random(len(values))
    return round(fsum(weights * logs), 10)


def differences(ours: Manifest, reference: Manifest) -> list[str]:
    """Return a message for each difference between two runs in their data or results."""
    if ours["configuration"] != reference["configuration"]:
        return ["the configuration differs: the results are not comparable"]
    is_elsewhere = {*_changed(ours["machine"], reference["machine"])} - {"system"}
    tolerances = TOLERANCE_OF_LOSSES | (TOLERANCE_ELSEWHERE if is_elsewhere else {})
    texts = []
    for part in PARTS:
        for name in sorted({*ours[part], *reference[part]}):
            fact, expected = ours[part].get(name), reference[part].get(name)
            if fact is None or expected is None:
                texts.append(f"{part}: {name} is {'missing' if fact is None else 'new'}")
            elif isinstance(fact, dict) and isinstance(expected, dict):
                if columns := _changed(fact, expected, tolerances):
                    texts.append(f"{part}: {name} differs in {', '.join(columns)}")
            elif fact != expected:
                texts.append(f"{part}: {name} is {fact}, not {expected}")
    return texts


def explanations(ours: Manifest, reference: Manifest) -> list[str]:
    """Return a text on each difference that may explain why the results of two runs differ.

    These are differences of the computers, the versions of packages, and the code.
    """

    def changes(facts: Mapping[str, object], expected: Mapping[str, object]) -> list[str]:
        return [
            f"{name} is {facts.get(name, 'absent')}, not {expected.get(name, 'absent')}"
            for name in _changed(facts, expected)
        ]

    texts = changes(
        *(
            {**run["machine"], "python": run["python"], "commit": run["commit"]}
            for run in (ours, reference)
        )
    )
    if packages := changes(ours["packages"], reference["packages"]):
        texts.append(f"packages: {'; '.join(packages)}")
    if scripts := _changed(ours["code"], reference["code"]):
        texts.append(f"code differs for {', '.join(scripts)}")
    return texts


def _changed(
    ours: Mapping[str, object],
    reference: Mapping[str, object],
    tolerances: Mapping[str, float] = MappingProxyType({}),
) -> list[str]:
    """Return the names whose values differ; tolerances: of checksums, if not `TOLERANCE`."""
    changed = []
    for name in {**ours, **reference}:
        value, other = ours.get(name), reference.get(name)
        is_same = value == other
        if isinstance(value, float) and isinstance(other, float):
            is_same = abs(value - other) <= tolerances.get(name, TOLERANCE)
        if not is_same:
            changed.append(name)
    return changed


def machine() -> dict[str, str]:
    """Return processor, instructions, system and blas of the computer that runs this process.

    processor: LLVM's name of its type, for which numba compiles. instructions: the sets by which
    numpy chooses its logarithms, without those that NPY_DISABLE_CPU_FEATURES disables. blas: the
    library of linear algebra, with its kernel if threadpoolctl recognizes it.
    Paths and numbers of threads are not included, because no result depends on them.
    """
    from llvmlite import binding  # not needed to plan a run, nor is the next one
    from threadpoolctl import threadpool_info

    built = np.show_config(mode="dicts")
    extensions = built["SIMD Extensions"]
    kernels = {
        f"{library['internal_api']} {library['version']} {library.get('architecture', '')}".rstrip()
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    return {
        "processor": binding.get_host_cpu_name(),
        "instructions": " ".join([*extensions["baseline"], *extensions.get("found", [])]),
        "system": platform.platform(),
        "blas": ", ".join(sorted(kernels)) or built["Build Dependencies"]["blas"]["name"],
    }
