"""The archive of a run: a zip file with its results, the code that made them and a description.

The unpacked archive is the repository at one commit, and `make reproduce` runs in it. The archived
results are in `archived/`, so that a new run neither overwrites them nor treats them as its own.
"""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from ggexp.run import repository
from ggexp.run.crate import DESCRIPTION, describe
from ggexp.run.datapackage import PACKAGE, write_package
from ggexp.run.files import described
from ggexp.run.project import name_of
from ggexp.run.storage import replacing

ARCHIVED = "archived"
CONFIGURATION = f"{ARCHIVED}/configuration.yaml"
TRACES = ("logs", "benchmarks", "report.html")  # records of the jobs


def write_archive(
    config: Mapping[str, Any],
    code: Mapping[str, str],
    results: Iterable[str],
    data: Mapping[str, str],
    figures: Mapping[str, str],
    *,
    wheels: bool,
) -> Path:
    """Write the archive of a finished run into its folder of results, and return its path.

    config: the configuration of the run. code: the fingerprints that a manifest has now.
    results: the paths of the results. data: stored histogram -> the data file that it was made of.
    figures: figure number -> the figure's kind, for the figures of data sets.
    wheels: whether to include the folders that `make wheelhouse` made.

    Data that are not in the repository, and their histograms, are left out.
    Raises ValueError if files differ from the commit, the results were made by other code, or
    requested wheels have not been made.
    """
    commit = repository.committed()
    folder_of_results = Path(config["results_dir"])
    written = folder_of_results / "manifest.json"
    manifest = json.loads(written.read_text("utf-8"))
    if manifest["code"] != code:
        raise ValueError(
            f"{written} has the fingerprints of other code, perhaps because the results were "
            "copied here. Archive them where they were made, or run again."
        )
    ended = written.stat().st_mtime
    version = metadata.version("ggexp")
    wheelhouses = _wheelhouses() if wheels else []
    archive = folder_of_results / f"ggexp-{version}-{commit[:7]}{'-with-wheels' * wheels}.zip"
    sources = {
        f"data/downloads/{name}": file["sources"]
        for name, file in config["download"]["files"].items()
    }
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        repository.export(commit, folder)
        absent = [
            path
            for path in manifest["data"]
            if not any(_contains(folder, source) for source in sources.get(path, [path]))
        ]
        left_out = {
            copy
            for histogram, file in data.items()
            if name_of(Path(file)) in absent
            for copy in (histogram, f"{histogram.removesuffix('.parquet')}_test.parquet")
        }
        existing = {path for path in results if Path(path).is_file()}
        left_out &= existing
        names = [_copy(path, folder_of_results, folder) for path in sorted(existing - left_out)]
        # rewritten, because the archive may leave out some of the results
        write_package(folder / ARCHIVED, [folder / name for name in names], figures)
        for house in wheelhouses:
            shutil.copytree(house, folder / house)
        (folder / CONFIGURATION).write_text(yaml.safe_dump(dict(config), sort_keys=False), "utf-8")
        notes = _notes(commit, manifest["commit"], [*absent, *sorted(left_out)])
        crate = describe(
            folder,
            manifest,
            title=f"ggexp {version}, commit {commit}",
            description=" ".join(["A run of the workflow, its results and its code.", *notes]),
            ended=ended,
            configuration=CONFIGURATION,
            results={name: _description(name, figures) for name in names},
            traces=[
                _copy(folder_of_results / name, folder_of_results, folder)
                for name in TRACES
                if (folder_of_results / name).exists()
            ],
            sources=sources,
        )
        crate.write(folder)
        # so that archiving the same run again gives the same file
        for made in (CONFIGURATION, f"{ARCHIVED}/{PACKAGE}", DESCRIPTION):
            os.utime(folder / made, (ended, ended))
        with replacing(archive) as target:
            _pack(folder, target)
    return archive


def _wheelhouses() -> list[Path]:
    houses = sorted(path for path in Path().glob("wheels-*") if path.is_dir())
    if not houses:
        raise ValueError("this folder has no wheels-…/; `make wheelhouse` makes it")
    return houses


def _contains(folder: Path, path: str) -> bool:
    """Return whether the repository in a folder contains the file with this relative path."""
    is_inside = not Path(path).is_absolute() and ".." not in Path(path).parts
    return is_inside and (folder / path).is_file()


def _copy(path: str | Path, results: Path, folder: Path) -> str:
    """Copy a result, or a folder of results, and return its name in the archive."""
    name = f"{ARCHIVED}/{Path(path).relative_to(results).as_posix()}"
    target = folder / name
    if Path(path).is_dir():
        shutil.copytree(path, target, ignore=shutil.ignore_patterns("archive*.log"))
        return f"{name}/"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)
    return name


def _description(name: str, figures: Mapping[str, str]) -> str:
    """Return the description of a result in the archive, "" if it has none."""
    file = described().find(name.removeprefix(f"{ARCHIVED}/"), figures)
    return file.contents if file else ""


def _notes(commit: str, made_at: str | None, left_out: Iterable[str]) -> Iterator[str]:
    if made_at != commit:
        yield (
            f"The manifest was written at commit {made_at}, and the code is that of {commit}. "
            "The fingerprints of the code on which results depend are the same."
        )
    if left_out:
        yield f"Left out, because these data are not in the repository: {', '.join(left_out)}."


def _pack(folder: Path, target: Path) -> None:
    """Write all files of a folder into a zip file, in the order of their names."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".checksum":
                file.write(path, path.relative_to(folder))
