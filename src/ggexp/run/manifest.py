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
import re
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ggexp.run.storage import read_frame

TOLERANCE = 1e-8  # of a column's checksum
# places and the sizes of jobs, on which no result depends (but on svm.repeats)
WITHOUT_EFFECT = ("results_dir", "svm", "download")


def write_manifest(
    config: Mapping[str, Any],
    code: Mapping[str, str],
    data: Iterable[Path],
    outputs: Iterable[Path],
    claims: Path,
) -> dict[str, Any]:
    """Return the manifest of a finished run, for JSON.

    code: script -> fingerprint of the library code that its results depend on. data: the files that
    results are made of. outputs: CSV and Parquet files below ``results_dir``. claims: claims.csv.
    """
    results = Path(config["results_dir"])
    verdicts = read_frame(claims).set_index("id")["verdict"]
    return {
        "configuration": hash_configuration(config),
        "seed": config["seed"],
        "repeats": config["repeats"],
        "commit": _commit(),
        "python": platform.python_version(),
        "packages": _packages(),
        "code": dict(code),
        "data": {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in data},
        "outputs": {str(path.relative_to(results)): checksums(path) for path in outputs},
        "claims": verdicts.to_dict(),
    }


def hash_configuration(config: Mapping[str, Any]) -> str:
    """Return a hash of the settings that results depend on, of the data sets that are run."""
    settings = {key: value for key, value in config.items() if key not in WITHOUT_EFFECT}
    settings["histograms"] = {name: config["histograms"][name] for name in config["datasets"]}
    if config["svm"].get("repeats") is not None:
        settings["svm"] = {"repeats": config["svm"]["repeats"]}
    used = {name for one in settings["histograms"].values() for name in one["mechanisms"]}
    settings["mechanisms"] = {name: config["mechanisms"][name] for name in used}
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def checksums(path: Path) -> dict[str, Any]:
    """Return the rows of a table, and a checksum of each column: a number, or a hash of text."""
    frame = read_frame(path)
    return {"rows": len(frame)} | {str(name): _checksum(frame[name]) for name in frame}


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
    """Return in words what differs in the results, and in what they are made of.

    An empty list means that the run reproduces the reference.
    """
    if ours["configuration"] != reference["configuration"]:
        return ["the configuration is another one: its results are not comparable"]
    found = []
    for part in ("data", "outputs"):
        for name in sorted({*ours[part], *reference[part]}):
            one, other = ours[part].get(name), reference[part].get(name)
            if one is None or other is None:
                found.append(f"{part}: {name} is {'not there' if one is None else 'new'}")
            elif isinstance(one, Mapping):
                columns = [
                    key for key in {**one, **other} if not _same(one.get(key), other.get(key))
                ]
                if columns:
                    found.append(f"{part}: {name} differs in {', '.join(columns)}")
            elif one != other:
                found.append(f"{part}: {name} is {one}, not {other}")
    return found


def explanations(ours: Mapping[str, Any], reference: Mapping[str, Any]) -> list[str]:
    """Return in words what else differs between two runs: code, versions, the commit."""
    found = []
    for part in ("commit", "python"):
        if ours[part] != reference[part]:
            found.append(f"{part}: {ours[part]}, not {reference[part]}")
    for part in ("packages", "code"):
        for name in sorted({*ours[part], *reference[part]}):
            one, other = ours[part].get(name), reference[part].get(name)
            if one != other:
                found.append(f"{part}: {name} is {one}, not {other}")
    return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= TOLERANCE
    return bool(one == other)


def _packages() -> dict[str, str]:
    """Return the versions of what this package requires for a run of the workflow."""
    required = [
        text
        for text in metadata.requires("ggexp") or []
        if "extra ==" not in text or re.search("extra == .workflow.", text)
    ]
    names = sorted(re.split(r"[^A-Za-z0-9._-]", text)[0] for text in required)
    return {name: metadata.version(name) for name in names}


def _commit() -> str | None:
    """Return the commit of the working directory, with "+" where files differ from it."""
    git = ["git", "describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
