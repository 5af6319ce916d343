"""The archive of a run: its results, the code that made them and their description, in one zip.

Unpacked it is the repository at a commit, where `make reproduce` runs. The results are in
`archived/`: a new run does not overwrite them there, nor does Snakemake take them for its own.
"""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from ggexp.run import repository
from ggexp.run.crate import DESCRIPTION, PREVIEW, Run, describe, write_crate
from ggexp.run.storage import replacing

ARCHIVED = "archived"
CONFIGURATION = f"{ARCHIVED}/configuration.yaml"
TRACES = ("logs", "benchmarks")  # folders, of many small files


def write_archive(
    config: Mapping[str, Any],
    made: Mapping[str, tuple[float, float]],
    histograms: Mapping[str, Collection[str]],
    template: Path,
    *,
    records: bool,
) -> Path:
    """Write the archive of a finished run into its folder of results, and return its path.

    config: of the run. made: each result -> when its job started and ended, in seconds since 1970.
    histograms: file of data -> the results that hold the same data in another form. template: of
    the page that shows the description. records: whether data that the repository does not hold
    are in the archive; without, neither they are nor those of their results.
    Raises ValueError where the files are not those of a commit.
    """
    commit = repository.committed()
    results = Path(config["results_dir"])
    manifest = json.loads((results / "manifest.json").read_text("utf-8"))
    version = metadata.version("ggexp")
    end = "-with-records" if records else ""
    archive = results / f"ggexp-{version}-{commit[:7]}{end}.zip"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        repository.export(commit, folder)
        absent = [path for path in manifest["data"] if not (folder / path).exists()]
        if records:
            for path in absent:
                _copy(Path(path), folder / path)
            absent = []
        hidden = {file for path in absent for file in histograms[path]}
        names = []
        for path in sorted({*made} - hidden):
            names.append(f"{ARCHIVED}/{Path(path).relative_to(results).as_posix()}")
            _copy(Path(path), folder / names[-1])
        traces = [f"{ARCHIVED}/{part}/" for part in TRACES]
        for part in TRACES:
            shutil.copytree(results / part, folder / ARCHIVED / part)
        if (results / "report.html").exists():
            traces.append(f"{ARCHIVED}/report.html")
            _copy(results / "report.html", folder / traces[-1])
        (folder / CONFIGURATION).write_text(yaml.safe_dump(dict(config), sort_keys=False), "utf-8")
        run = Run(
            started=min(start for start, _ in made.values()),
            ended=max(end for _, end in made.values()),
            manifest=manifest,
            version=version,
            commit=commit,
            note=" ".join(_notes(commit, manifest["commit"], [*absent, *sorted(hidden)])),
            configuration=CONFIGURATION,
            results=names,
            traces=traces,
            sources=_sources(folder, config),
        )
        write_crate(describe(folder, run), folder, template)
        for generated in (CONFIGURATION, DESCRIPTION, PREVIEW):
            os.utime(folder / generated, (run.ended, run.ended))
        with replacing(archive) as target:
            _pack(folder, target)
    return archive


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def _sources(folder: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of each file of data: data/sources.yaml, and where it is loaded from."""
    sources = yaml.safe_load((folder / "data/sources.yaml").read_text("utf-8"))
    for name, file in config["download"]["files"].items():
        path = f"data/downloads/{name}"
        sources[path] = {"address": file["addresses"][0], "bytes": file["bytes"]} | sources.get(
            path, {}
        )
    return sources


def _notes(commit: str, made_at: str | None, left_out: Iterable[str]) -> Iterable[str]:
    if made_at != commit:
        yield (
            f"The results were made at commit {made_at}, and the code is that of {commit}: between "
            "the two nothing changed that a result depends on."
        )
    if left_out:
        yield f"Left out, because the repository does not hold these data: {', '.join(left_out)}."


def _pack(folder: Path, target: Path) -> None:
    """Write all files of a folder into a zip, in the order of their names."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                file.write(path, path.relative_to(folder))
