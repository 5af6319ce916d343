"""The archive of a run: its results, the code that made them and their description, in one zip.

Unpacked it is the repository at a commit, where `make reproduce` runs. The results are in
`archived/`: a new run does not overwrite them there, nor does Snakemake take them for its own.
"""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from ggexp.run import repository
from ggexp.run.codecheck import NAME, codecheck
from ggexp.run.crate import DESCRIPTION, PREVIEW, Run, describe, write_crate
from ggexp.run.datapackage import PACKAGE, write_package
from ggexp.run.files import described
from ggexp.run.storage import replacing

ARCHIVED = "archived"
CONFIGURATION = f"{ARCHIVED}/configuration.yaml"
TRACES = ("logs", "benchmarks", "report.html")  # what tells of the jobs


def write_archive(
    config: Mapping[str, Any],
    made: Mapping[str, tuple[float, float]],
    histograms: Mapping[str, Collection[str]],
    figures: Mapping[str, str],
    template: Path,
    *,
    records: bool,
    wheels: bool,
) -> Path:
    """Write the archive of a finished run into its folder of results, and return its path.

    config: of the run. made: each result -> when its job started and ended, in seconds since 1970.
    histograms: file of data -> the results that hold the same data in another form. figures: number
    -> kind of each figure of a data set. template: of the page that shows the description. records:
    whether data that the repository does not hold are in the archive; without, neither they are nor
    those results. wheels: whether the folders that `make wheelhouse` made are in it.
    Raises ValueError where the files are not those of a commit, and naming the result that nobody
    recorded the making of, the data that are asked for and lie outside of this folder, or how to
    make the wheels that are asked for and are not there.
    """
    commit = repository.committed()
    results = Path(config["results_dir"])
    manifest = json.loads((results / "manifest.json").read_text("utf-8"))
    for name in manifest["outputs"]:
        if str(results / name) not in made:
            raise ValueError(
                f"Snakemake has no record of when {results / name} was made, perhaps because the "
                "results were copied here. Archive them where they were made, or run again."
            )
    version = metadata.version("ggexp")
    houses = _wheelhouses() if wheels else []
    end = "-with-records" * records + "-with-wheels" * wheels
    archive = results / f"ggexp-{version}-{commit[:7]}{end}.zip"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        repository.export(commit, folder)
        absent = [path for path in manifest["data"] if not _holds(folder, path)]
        if records:
            for path in absent:
                _copy_data(path, folder)
            absent = []
        hidden = {file for path in absent for file in histograms[path]} & {*made}
        kept = sorted({*made} - hidden)
        copied = [_copy(path, results, folder) for path in kept]
        # anew, because some of the results may be left out
        write_package(folder / ARCHIVED, [folder / name for name in copied], figures)
        cited = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))
        there = {Path(path).relative_to(results).as_posix() for path in kept}
        (folder / NAME).write_text(codecheck(manifest, cited, ARCHIVED, there), "utf-8")
        for house in houses:
            shutil.copytree(house, folder / house)
        run = Run(
            started=min(start for start, _ in made.values()),
            ended=max(end for _, end in made.values()),
            manifest=manifest,
            version=version,
            commit=commit,
            note=" ".join(_notes(commit, manifest["commit"], [*absent, *sorted(hidden)])),
            configuration=CONFIGURATION,
            results={name: _holds_what(name, figures) for name in copied},
            traces=[
                _copy(results / name, results, folder)
                for name in TRACES
                if (results / name).exists()
            ],
            addresses={
                f"data/downloads/{name}": (file["addresses"][0], file["bytes"])
                for name, file in config["download"]["files"].items()
            },
            beside={NAME: "the files that a CODECHECK compares"}
            | {f"{house}/": "locked packages, for the platform in the name" for house in houses},
        )
        (folder / CONFIGURATION).write_text(yaml.safe_dump(dict(config), sort_keys=False), "utf-8")
        write_crate(describe(folder, run), folder, template, run.beside)
        # so that a second archive is the same
        for written in (CONFIGURATION, f"{ARCHIVED}/{PACKAGE}", DESCRIPTION, PREVIEW, NAME):
            os.utime(folder / written, (run.ended, run.ended))
        with replacing(archive) as target:
            _pack(folder, target)
    return archive


def _wheelhouses() -> list[Path]:
    houses = sorted(path for path in Path().glob("wheels-*") if path.is_dir())
    if not houses:
        raise ValueError("this folder has no wheels-…/; `make wheelhouse` makes it")
    return houses


def _holds(folder: Path, path: str) -> bool:
    """Return whether the repository in a folder has this file, which is named from its top."""
    return _is_inside(path) and (folder / path).is_file()


def _is_inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _copy_data(path: str, folder: Path) -> None:
    if not _is_inside(path):
        raise ValueError(f"{path} is outside this folder, and cannot be in its archive")
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, folder / path)


def _copy(path: str | Path, results: Path, folder: Path) -> str:
    """Copy a result, or a folder of them, and return its name in the archive."""
    name = f"{ARCHIVED}/{Path(path).relative_to(results).as_posix()}"
    target = folder / name
    if Path(path).is_dir():
        shutil.copytree(path, target, ignore=shutil.ignore_patterns("archive*.log"))
        return f"{name}/"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)
    return name


def _holds_what(name: str, figures: Mapping[str, str]) -> str:
    """Return in words what a result in the archive holds."""
    file = described().find(name.removeprefix(f"{ARCHIVED}/"), figures)
    return file.holds if file else ""


def _notes(commit: str, made_at: str | None, left_out: Iterable[str]) -> Iterator[str]:
    if made_at != commit:
        yield (
            f"The manifest was written at commit {made_at}, and the code is that of {commit}: by "
            "Snakemake's records nothing that a result depends on changed between the two."
        )
    if left_out:
        yield f"Left out, because the repository does not hold these data: {', '.join(left_out)}."


def _pack(folder: Path, target: Path) -> None:
    """Write all files of a folder into a zip, in the order of their names."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                file.write(path, path.relative_to(folder))
