"""The manifest of a run: what it was made of, and checksums of its results to compare with.

Logarithms differ in their last bits between processors. Values rounded to ten digits and hashed
would still differ where one of them lies on the edge of rounding: one in a million, so in every
other run of the paper's design. Therefore a column of numbers has a weighted sum of logarithms as
its checksum. That moves by no more than the values do, and shows a relative change of 1e-8 in any
one of them, large or small.
"""

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from importlib import metadata
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ggexp.run.columns import read_csv
from ggexp.run.machine import machine
from ggexp.run.repository import commit
from ggexp.run.storage import read_parquet

TOLERANCE = 1e-8  # of a column's checksum
#: The same of accuracies on another kind of processor: training rounds otherwise there, and about
#: one test record in 200,000 is classified otherwise. Measured: 4e-5 (mean) and 0.005 (sd and se).
TOLERANCE_ELSEWHERE = {"mean of accuracy": 1e-3, "sd of accuracy": 0.05, "se of accuracy": 0.05}
#: Places, and how jobs are cut: no result depends on them.
WITHOUT_EFFECT = ("results_dir", "execution", "download", "overwrite")


def write_manifest(
    config: Mapping[str, Any],
    code: Mapping[str, str],
    data: Iterable[Path],
    outputs: Iterable[Path],
) -> dict[str, Any]:
    """Return the manifest of a finished run, for JSON.

    code: script -> fingerprint of the library code that its results depend on. data: the files that
    results are made of. outputs: CSV and Parquet files below ``results_dir``.
    """
    return {
        "configuration": hash_configuration(config),
        "seed": config["seed"],
        "repeats": config["repeats"],
        "commit": commit(),
        "machine": machine(),
        "python": platform.python_version(),
        "packages": _packages(),
        "code": dict(code),
        **read_files(config, data, outputs),
    }


def read_files(
    config: Mapping[str, Any], data: Iterable[Path], outputs: Iterable[Path]
) -> dict[str, Any]:
    """Return the checksums of data and results as they are on the disk, as in the manifest.

    Raises ValueError naming a file that is damaged.
    """
    results = Path(config["results_dir"])
    return {
        "data": {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in data},
        "outputs": {str(path.relative_to(results)): checksums(path) for path in outputs},
    }


def hash_configuration(config: Mapping[str, Any]) -> str:
    """Return a hash of the settings that results depend on, of the data sets that are run.

    config: what `ggexp.experiment.configuration.check` returned. 1 and 1.0 are one setting.
    """
    settings = {key: value for key, value in config.items() if key not in WITHOUT_EFFECT}
    settings["histograms"] = {name: config["histograms"][name] for name in config["datasets"]}
    used = {
        name for histogram in settings["histograms"].values() for name in histogram["mechanisms"]
    }
    settings["mechanisms"] = {name: config["mechanisms"][name] for name in used}
    return hashlib.sha256(json.dumps(_plain(settings), sort_keys=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Return a setting in which each whole number is an int."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def checksums(path: Path) -> dict[str, Any]:
    """Return the rows of a table, and a checksum of each column: a number, or a hash of text.

    The statistics of accuracies have checksums of their own.
    """
    frame = read_csv(path) if path.suffix == ".csv" else read_parquet(path)
    found: dict[str, Any] = {"rows": len(frame)}
    if {"mean", "sd", "se"} <= {*frame}:  # of all metrics, or without that column of accuracies
        of_accuracy = frame["metric"] == "accuracy" if "metric" in frame else frame["mean"] <= 1
        for name in ("mean", "sd", "se"):
            if of_accuracy.any():
                found[f"{name} of accuracy"] = _checksum(frame[name][of_accuracy])
            frame[name] = frame[name].mask(of_accuracy, 0)
    return found | {str(name): _checksum(frame[name]) for name in frame}


def _checksum(column: "pd.Series[Any]") -> float | str:
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return hashlib.sha256("\n".join(map(str, column)).encode()).hexdigest()[:16]
    values = column.to_numpy(float)
    logs = np.log(np.abs(np.where(np.isfinite(values) & (values != 0), values, 1)))
    for constant, there in enumerate(
        (values < 0, values == 0, np.isnan(values), np.isposinf(values), np.isneginf(values)), 10
    ):
        logs[there] += constant
    weights = 1 + np.random.default_rng(0).random(len(values))
    return round(fsum(weights * logs), 10)


def differences(ours: Mapping[str, Any], reference: Mapping[str, Any]) -> list[str]:
    """Return the differences between two runs in their data and results, in words.

    An empty list means that the run reproduces the reference.
    """
    if ours["configuration"] != reference["configuration"]:
        return ["the configuration differs: the results are not comparable"]
    kinds = [
        {name: fact for name, fact in manifest["machine"].items() if name != "system"}
        for manifest in (ours, reference)
    ]
    tolerances = TOLERANCE_ELSEWHERE if kinds[0] != kinds[1] else {}
    found = []
    for part in ("data", "outputs"):
        for name in sorted({*ours[part], *reference[part]}):
            one, other = ours[part].get(name), reference[part].get(name)
            if one is None or other is None:
                found.append(f"{part}: {name} is {'missing' if one is None else 'new'}")
            elif isinstance(one, Mapping):
                if columns := _changed(one, other, tolerances):
                    found.append(f"{part}: {name} differs in {', '.join(columns)}")
            elif one != other:
                found.append(f"{part}: {name} is {one}, not {other}")
    return found


def explanations(ours: Mapping[str, Any], reference: Mapping[str, Any]) -> list[str]:
    """Return the other differences between two runs in words: computer, versions, commit, code.

    An entry of only one manifest is absent in the other.
    """
    facts, other_facts = (
        manifest["machine"] | {part: manifest[part] for part in ("python", "commit")}
        for manifest in (ours, reference)
    )
    found = _changes(facts, other_facts)
    if packages := _changes(ours["packages"], reference["packages"]):
        found.append(f"packages: {'; '.join(packages)}")
    if scripts := _changed(ours["code"], reference["code"], {}):
        found.append(f"code differs for {', '.join(scripts)}")
    return found


def _changes(ours: Mapping[str, Any], reference: Mapping[str, Any]) -> list[str]:
    return [
        f"{name} is {ours.get(name, 'absent')}, not {reference.get(name, 'absent')}"
        for name in _changed(ours, reference, {})
    ]


def _changed(
    ours: Mapping[str, Any],
    reference: Mapping[str, Any],
    tolerances: Mapping[str, float],
) -> list[str]:
    """Return the names whose values differ, or that one of the two lacks.

    tolerances: name -> tolerance of a checksum, if it is not the usual one.
    """
    return [
        name
        for name in {**ours, **reference}
        if not _same(ours.get(name), reference.get(name), tolerances.get(name, TOLERANCE))
    ]


def _same(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= tolerance
    return bool(one == other)


def _packages() -> dict[str, str]:
    """Return the version of every installed distribution, of several the one that is imported."""
    names = {distribution.name for distribution in metadata.distributions()}
    return {name: metadata.version(name) for name in sorted(filter(None, names), key=str.lower)}
