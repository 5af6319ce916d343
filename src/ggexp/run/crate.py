"""The description of an archived run: a Workflow Run RO-Crate (https://w3id.org/ro/wfrun/workflow).

The description is metadata in JSON-LD, for programs. People read README.md and archived/index.html.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from ggexp.run.codecheck import paper_of

DESCRIPTION = "ro-crate-metadata.json"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}  # missing in RO-Crate 1.1
CODE = {  # the archive also contains the rest of the repository, without descriptions
    "README.md": "an introduction, and how to run the workflow",
    "LICENSE": "the licence of code and results",
    "CITATION.cff": "how to cite the paper and this software",
    "codemeta.json": "this software, described for programs",
    "Makefile": "the commands",
    "requirements.lock": "the exact version of every package of a run, with its hashes",
    "cluster.lock": "the same for a run on a cluster",
    "config/": "the designs, and the meaning of each key",
    "workflow/": "the rules and their scripts",
    "src/": "the library that the scripts call",
    "data/": "the data in the repository, and the sources of all data",
    "reference/": "the claims of the paper, and the checksums of a full run",
}
FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


@dataclass(frozen=True)
class Run:
    """The facts about a run that the description contains.

    started, ended: in seconds since 1970.
    manifest: the manifest of the run.
    version: the version of this software.
    commit: the commit of the code in the archive.
    note: other information for readers.
    configuration: the file with the settings.
    results: each file that the run made -> its description, "" if it has none.
    traces: files and folders with records of the jobs; the names of folders end in "/".
    sources: each data file that a rule fetches -> the paths and addresses where it can be found.
    extras: other files and folders in the archive -> their descriptions.
    """

    started: float
    ended: float
    manifest: Mapping[str, Any]
    version: str
    commit: str
    note: str
    configuration: str
    results: Mapping[str, str]
    traces: Iterable[str]
    sources: Mapping[str, Sequence[str]]
    extras: Mapping[str, str]


def describe(folder: Path, run: Run) -> ROCrate:
    """Return the crate of a folder that contains the code and all files that ``run`` names."""
    cited = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))
    crate = ROCrate(version="1.1")  # the version that the profiles require
    crate.metadata.extra_terms.update(TERMS)
    author = _add(crate, "#authors", "Organization", name=cited["authors"][0]["name"])
    licence = _add_licence(crate, cited["license"])
    workflow = crate.add_workflow(
        folder / "Snakefile",
        "Snakefile",
        main=True,
        lang="snakemake",
        lang_version=run.manifest["packages"]["snakemake"],
        properties=_facts(folder / "Snakefile")
        | {
            "name": cited["title"],
            "version": f"{run.version}, commit {run.commit}",
            "author": author,
            "license": licence,
            "softwareRequirements": list(_add_software(crate, run.manifest)),
        },
    )
    for name, text in {**CODE, **run.extras}.items():
        _add_part(crate, folder, name, description=text)
    crate.get("README.md")["about"] = crate.root_dataset
    inputs = [
        _add_part(crate, folder, run.configuration, description="The settings of the run"),
        *(
            _add_data(crate, folder, run, path, cited["references"])
            for path in run.manifest["data"]
        ),
    ]
    action = crate.add_action(
        workflow,
        "#run",
        object=inputs,
        result=[
            _add_part(crate, folder, name, **({"description": text} if text else {}))
            for name, text in run.results.items()
        ],
        properties={
            "name": "The run of the workflow that made the results",
            "description": _environment(run.manifest),
            "startTime": _iso(run.started),
            "endTime": _iso(run.ended),
        },
    )
    for name in run.traces:
        _add_part(crate, folder, name, about=action)
    root = {
        "name": f"{cited['title']} (version {run.version}, commit {run.commit[:7]})",
        "description": f"A run of the workflow, its results and its code. {run.note}".strip(),
        "datePublished": _iso(run.ended),
        "author": author,
        "license": licence,
        "citation": _add_work(crate, paper_of(cited)),
        "mentions": action,
        "conformsTo": [
            _add(crate, address, "CreativeWork", name=name, version=version)
            for address, (name, version) in PROFILES.items()
        ],
    }
    for name, value in root.items():
        crate.root_dataset[name] = value
    return crate


def _add(crate: ROCrate, identifier: str, kind: str, **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind} | properties))


def _add_part(crate: ROCrate, folder: Path, part: str, **properties: Any) -> Entity:
    """Add a file or a subfolder of the folder; the name of a subfolder ends in "/"."""
    if part.endswith("/"):
        return crate.add_dataset(dest_path=part, properties={"name": part} | properties)
    return crate.add_file(folder / part, part, properties=_facts(folder / part) | properties)


def _facts(path: Path) -> dict[str, str]:
    content = path.read_bytes()
    return {
        "name": path.name,
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
        "encodingFormat": FORMATS.get(path.suffix, "text/plain"),
    }


def _add_data(
    crate: ROCrate, folder: Path, run: Run, path: str, references: Iterable[Mapping[str, Any]]
) -> Entity:
    """Add a data file that the run read, or its first source if it was fetched."""
    works = [work for work in references if work["notes"] == path]
    properties: dict[str, Any] = {}
    if works:
        properties["citation"] = _one_or_more(_add_work(crate, work) for work in works)
    if licences := {work["license"] for work in works if "license" in work}:
        properties["license"] = _one_or_more(_add_licence(crate, name) for name in sorted(licences))
    source, sha256 = run.sources.get(path, [path])[0], run.manifest["data"][path]
    if (folder / source).exists():
        if source != path:
            properties["description"] = f"Contains {path}, whose SHA-256 is {sha256}"
        return _add_part(crate, folder, source, **properties)
    properties |= {"name": path, "encodingFormat": "text/csv", "sha256": sha256}
    if path not in run.sources:
        return _add(crate, f"#{quote(path)}", "CreativeWork", **properties)
    return crate.add_file(source, properties=properties)


def _add_software(crate: ROCrate, manifest: Mapping[str, Any]) -> Iterator[Entity]:
    """Add Python and every package, identified by package URLs such as pkg:pypi/numpy@2.4.6."""
    packages = manifest["packages"].items()
    software = {f"pkg:pypi/{name.lower()}": (name, version) for name, version in packages}
    software["pkg:generic/python"] = ("Python", manifest["python"])
    for identifier, (name, version) in sorted(software.items()):
        yield _add(
            crate,
            f"{identifier}@{version}",
            "SoftwareApplication",
            name=name,
            softwareVersion=version,
        )


def _environment(manifest: Mapping[str, Any]) -> str:
    """Return a text on the computer and the Python version of a run."""
    machine = [f"{name} {value}" for name, value in manifest["machine"].items()]
    return "; ".join([*machine, f"Python {manifest['python']}"])


def _add_licence(crate: ROCrate, name: str) -> Entity:
    return _add(crate, f"https://spdx.org/licenses/{name}", "CreativeWork", name=name)


def _add_work(crate: ROCrate, work: Mapping[str, Any]) -> Entity:
    """Add an article or a data set from an entry of CITATION.cff."""
    names = (f"{person['given-names']} {person['family-names']}" for person in work["authors"])
    authors = [_add(crate, f"#{quote(name)}", "Person", name=name) for name in names]
    properties = {"name": work["title"], "datePublished": str(work["year"])}
    if "journal" in work:
        properties["isPartOf"] = f"{work['journal']} {work['volume']}"
    if "start" in work:
        properties["pagination"] = f"{work['start']}-{work['end']}"
    if "publisher" in work:
        name = work["publisher"]["name"]
        properties["publisher"] = _add(crate, f"#{quote(name)}", "Organization", name=name)
    return _add(
        crate,
        f"https://doi.org/{work['doi']}" if "doi" in work else f"#{quote(work['title'])}",
        "ScholarlyArticle" if work["type"] == "article" else "CreativeWork",
        author=_one_or_more(authors),
        **properties,
    )


def _one_or_more(entities: Iterable[Entity]) -> Entity | list[Entity]:
    """Return the entities as a list, but a single entity as such, as RO-Crate 1.1 prefers."""
    listed = list(entities)
    return listed if len(listed) > 1 else listed[0]


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
