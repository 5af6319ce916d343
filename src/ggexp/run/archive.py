"""The archive of a run: a zip file with its results, the code that made them and a description.

The unpacked archive is the repository at one commit, and `make reproduce` runs in it. The archived
results are in `archived/`, so that a new run neither overwrites them nor treats them as its own.

The description is metadata for programs: a Workflow Run RO-Crate
(https://w3id.org/ro/wfrun/workflow). People read README.md and archived/index.html.
"""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from mimetypes import MimeTypes
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from ggexp.run.data_package import MEDIA, PACKAGE, write_package
from ggexp.run.descriptions import described
from ggexp.run.manifest import Manifest
from ggexp.run.project import committed, export, name_of
from ggexp.run.storage import replacing, sha256
from ggexp.section import Settings

#: An article or a data set among the references of CITATION.cff.
Work = Mapping[str, Any]
ARCHIVED = "archived"
CONFIGURATION = f"{ARCHIVED}/configuration.yaml"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}  # missing in RO-Crate 1.1
#: The types of files, with those that not every Python knows. Nothing is read from the system.
TYPES = MimeTypes()
TYPES.types_map[True].update(MEDIA)


def write_archive(
    config: Settings,
    code: Mapping[str, str],
    results: Iterable[str],
    data: Mapping[str, str],
    figures: Mapping[str, str],
    *,
    wheels: bool,
) -> Path:
    """Write the archive of a finished run into its folder of results, and return its path.

    code, data: as for `write_manifest`. figures: as for `write_package`. wheels: whether to include
    the folders that `make wheelhouse` made.
    Data that are not in the repository, and their histograms, are left out.
    Raises ValueError if files differ from the commit, or the results were made by other code.
    """
    commit = committed()
    origin = Path(config["results_dir"])
    written = origin / "manifest.json"
    manifest: Manifest = json.loads(written.read_text("utf-8"))
    if manifest["code"] != code:
        raise ValueError(
            f"{written} has the fingerprints of other code, perhaps because the results were "
            "copied here. Archive them where they were made, or run again."
        )
    wheelhouses = sorted(Path().glob("wheels-*/")) if wheels else []
    if wheels and not wheelhouses:
        raise ValueError("this folder has no wheels-…/; `make wheelhouse` makes it")
    ended = written.stat().st_mtime
    version = metadata.version("ggexp")
    archive = origin / f"ggexp-{version}-{commit[:7]}{'-with-wheels' * wheels}.zip"
    fetched = config["download"]["files"].items()
    sources = {f"data/downloads/{name}": file["sources"] for name, file in fetched}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        export(commit, folder)
        crate = Crate(folder, manifest, sources)
        absent = [path for path in manifest["data"] if not crate.has_source(path)]
        confidential = {
            path
            for histogram, file in data.items()
            if name_of(Path(file)) in absent
            for path in (histogram, f"{histogram.removesuffix('.parquet')}_test.parquet")
        }
        existing = {path for path in results if Path(path).is_file()}
        made: dict[str, str] = {}
        for result in sorted(existing - confidential):
            file = described().find(Path(result).relative_to(origin).as_posix(), figures)
            made[_copy(Path(result), origin, folder)] = file.contents if file else ""
        # rewritten, because the archive may leave out some of the results
        write_package(folder / ARCHIVED, [folder / name for name in made], figures)
        for house in wheelhouses:
            shutil.copytree(house, folder / house)
        (folder / CONFIGURATION).write_text(yaml.safe_dump(dict(config), sort_keys=False), "utf-8")
        folders = [origin / "logs", origin / "benchmarks"]
        traces = [_copy(path, origin, folder) for path in folders if path.exists()]
        notes = _notes(commit, manifest["commit"], [*absent, *sorted(existing & confidential)])
        title = f"ggexp {version}, commit {commit}"
        crate.describe(title, notes, ended=ended, results=made, traces=traces)
        crate.write(folder)
        # so that archiving the same run again gives the same file
        for name in (CONFIGURATION, f"{ARCHIVED}/{PACKAGE}", crate.metadata.id):
            os.utime(folder / name, (ended, ended))
        with (
            replacing(archive) as target,
            zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped,
        ):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.suffix != ".checksum":
                    zipped.write(path, path.relative_to(folder))
    return archive


def _copy(path: Path, results: Path, folder: Path) -> str:
    """Copy a result, or a folder of results, and return its name in the archive."""
    name = f"{ARCHIVED}/{path.relative_to(results).as_posix()}"
    target = folder / name
    if path.is_dir():
        shutil.copytree(path, target, ignore=shutil.ignore_patterns("archive*.log"))
        return f"{name}/"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)
    return name


def _notes(commit: str, made_at: str | None, left_out: Sequence[str]) -> str:
    notes = ["A run of the workflow, its results and its code."]
    if made_at != commit:
        notes.append(
            f"The manifest was written at commit {made_at}, and the code is that of {commit}. "
            "The fingerprints of the code on which results depend are the same."
        )
    if left_out:
        names = ", ".join(left_out)
        notes.append(f"Left out, because these data are not in the repository: {names}.")
    return " ".join(notes)


class Crate(ROCrate):  # type: ignore[misc] # the package has no types
    """The description of a run; sources: fetched data file -> where it can be found."""

    def __init__(
        self, folder: Path, manifest: Manifest, sources: Mapping[str, Sequence[str]]
    ) -> None:
        super().__init__(version="1.1")  # the version that the profiles require
        self.metadata.extra_terms.update(TERMS)
        self.folder, self.manifest, self.sources = folder, manifest, sources
        self.cited = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))

    def has_source(self, data: str) -> bool:
        """Return whether the folder has a data file, or the file from which it is fetched."""
        return any(map(self._contains, self.sources.get(data, [data])))

    def _contains(self, part: str) -> bool:
        """Return whether a path, or an address, is that of a file in the folder."""
        path = (self.folder / part).resolve()
        return path.is_relative_to(self.folder.resolve()) and path.is_file()

    def describe(
        self,
        title: str,
        description: str,
        *,
        ended: float,
        results: Mapping[str, str],
        traces: Iterable[str] = (),
    ) -> None:
        """Add all entities. ended: in seconds since 1970. results: file -> its description, or "".

        traces: files and folders with records of the jobs; the names of folders end in "/".
        """
        root, packages = self.root_dataset, self.manifest["packages"]
        author = self._entity("#authors", "Organization", name=self.cited["authors"][0]["name"])
        software = [("pkg:generic/python", "Python", self.manifest["python"])]
        software += [
            (f"pkg:pypi/{name.lower()}", name, version) for name, version in packages.items()
        ]
        workflow = self.add_workflow(
            self.folder / "Snakefile",
            "Snakefile",
            main=True,
            lang="snakemake",
            lang_version=packages["snakemake"],
            properties=self._facts("Snakefile")
            | {
                "name": self.cited["title"],
                "version": title,
                "author": author,
                "license": self._licence(self.cited["license"]),
                "softwareRequirements": [
                    self._entity(f"{part}@{version}", "SoftwareApplication", **facts)
                    for part, name, version in sorted(software)
                    for facts in [{"name": name, "softwareVersion": version}]
                ],
            },
        )
        # the archive also contains the rest of the repository, which README.md describes
        self._part("README.md", about=root)
        date = datetime.fromtimestamp(ended, UTC).isoformat(timespec="seconds")
        machine = [f"{name} {value}" for name, value in self.manifest["machine"].items()]
        action = self.add_action(
            workflow,
            "#run",
            object=[
                self._part(CONFIGURATION, description="The settings of the run"),
                *(self._data(path, digest) for path, digest in self.manifest["data"].items()),
            ],
            result=[
                self._part(name, **({"description": text} if text else {}))
                for name, text in results.items()
            ],
            properties={
                "name": "The run of the workflow that made the results",
                "description": "; ".join([*machine, f"Python {self.manifest['python']}"]),
                "endTime": date,
            },
        )
        for name in traces:
            self._part(name, about=action)
        self.name, self.description, self.license = title, description, workflow["license"]
        root["datePublished"], root["author"], root["mentions"] = date, author, action
        root["citation"] = self._work(paper_of(self.cited))
        root["conformsTo"] = [
            self._entity(address, "CreativeWork", name=name, version=version)
            for address, (name, version) in PROFILES.items()
        ]

    def _entity(self, identifier: str, kind: str, **properties: Any) -> Entity:
        return self.add(ContextEntity(self, identifier, {"@type": kind} | properties))

    def _facts(self, part: str) -> dict[str, str]:
        return {
            "name": Path(part).name,
            "contentSize": str((self.folder / part).stat().st_size),
            "sha256": sha256(self.folder / part),
            "encodingFormat": TYPES.guess_type(part)[0] or "text/plain",
        }

    def _part(self, part: str, **properties: Any) -> Entity:
        """Add a file or a subfolder of the folder; the name of a subfolder ends in "/"."""
        if part.endswith("/"):
            return self.add_dataset(dest_path=part, properties={"name": part} | properties)
        return self.add_file(self.folder / part, part, properties=self._facts(part) | properties)

    def _data(self, path: str, digest: str) -> Entity:
        """Add a data file with this sha256 that the run read, or its first source."""
        source = self.sources.get(path, [path])[0]
        facts = {"name": path, "encodingFormat": "text/csv", "sha256": digest}
        if self._contains(source):
            note = {"description": f"Contains {path}, whose SHA-256 is {digest}"}
            data = self._part(source, **(note if source != path else {}))
        elif source == path:
            data = self._entity(f"#{quote(path)}", "CreativeWork", **facts)
        else:
            data = self.add_file(source, properties=facts)
        for work in self.cited["references"]:
            if work["notes"] == path:
                data.append_to("citation", self._work(work), compact=True)
                if "license" in work:
                    data.append_to("license", self._licence(work["license"]), compact=True)
        return data

    def _licence(self, name: str) -> Entity:
        return self._entity(f"https://spdx.org/licenses/{name}", "CreativeWork", name=name)

    def _work(self, work: Work) -> Entity:
        """Add a work; CITATION.cff has more of its facts."""
        entity = self._entity(
            f"https://doi.org/{work['doi']}" if "doi" in work else f"#{quote(work['title'])}",
            "ScholarlyArticle" if work["type"] == "article" else "CreativeWork",
            name=work["title"],
            datePublished=str(work["year"]),
        )
        for person in work["authors"]:
            name = f"{person['given-names']} {person['family-names']}"
            author = self._entity(f"#{quote(name)}", "Person", name=name)
            entity.append_to("author", author, compact=True)
        return entity


def paper_of(cited: Mapping[str, Sequence[Work]]) -> Work:
    """Return the paper among the references of CITATION.cff."""
    (paper,) = (work for work in cited["references"] if work["notes"] == "the paper")
    return paper
