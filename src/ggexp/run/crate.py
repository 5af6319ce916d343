"""The description of an archived run: a Workflow Run RO-Crate (https://w3id.org/ro/wfrun/workflow).

It is metadata in JSON-LD for programs, and a page that shows the same to people.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.model.preview import Preview
from rocrate.rocrate import ROCrate

from ggexp.run.pages import render

DESCRIPTION, PREVIEW = "ro-crate-metadata.json", "ro-crate-preview.html"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}  # RO-Crate 1.1 has none
CODE = {  # the rest of the repository is there too, undescribed
    "README.md": "what this is, and how to run it",
    "LICENSE": "the licence of code and results",
    "CITATION.cff": "how to cite the paper and this software",
    "Makefile": "the commands",
    "requirements.lock": "the exact version of every package, with its hashes",
    "cluster.lock": "the same for a run on a cluster",
    "config/": "the designs, and what each key means",
    "workflow/": "the rules, and a script for each",
    "src/": "the library that the scripts call",
    "data/": "the data that the repository holds, and where all come from",
    "reference/": "what the paper claims, and the checksums of a full run",
    "results/README.md": "what each file of results holds: columns, units and types",
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
}


@dataclass(frozen=True)
class Run:
    """What is told of a run.

    started, ended: in seconds since 1970. manifest: of the run. version: of this software. commit:
    of the code in the archive. note: what a reader must know besides. configuration: the file with
    the settings. results: the files that it made. traces: files, and folders that end in "/", that
    tell of its jobs. sources: file of data -> what is known of it, as in data/sources.yaml.
    """

    started: float
    ended: float
    manifest: Mapping[str, Any]
    version: str
    commit: str
    note: str
    configuration: str
    results: Iterable[str]
    traces: Iterable[str]
    sources: Mapping[str, Mapping[str, Any]]


def describe(folder: Path, run: Run) -> ROCrate:
    """Return the crate of a folder that holds the code and all that ``run`` names."""
    cited = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))
    crate = ROCrate(version="1.1")  # which the profiles are made for
    crate.metadata.extra_terms.update(TERMS)
    author = _add(crate, "#authors", "Organization", name=cited["authors"][0]["name"])
    licence = _add(
        crate,
        f"https://spdx.org/licenses/{cited['license']}",
        "CreativeWork",
        name=cited["license"],
    )
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
    for name, words in CODE.items():
        _add_part(crate, folder, name, description=words)
    crate.get("README.md")["about"] = crate.root_dataset
    inputs = [
        _add_part(crate, folder, run.configuration, description="The settings of the run"),
        *(_add_data(crate, folder, run, path) for path in run.manifest["data"]),
    ]
    action = crate.add_action(
        workflow,
        "#run",
        object=inputs,
        result=[_add_part(crate, folder, name) for name in run.results],
        properties={
            "name": "The run of the workflow that made the results",
            "description": f"{_place(run.manifest)}. {run.note}".strip(),
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
        "citation": _add_paper(crate, cited["preferred-citation"]),
        "mentions": action,
        "conformsTo": [
            _add(crate, address, "CreativeWork", name=name, version=version)
            for address, (name, version) in PROFILES.items()
        ],
    }
    for name, value in root.items():
        crate.root_dataset[name] = value
    return crate


def write_crate(crate: ROCrate, folder: Path, template: Path) -> None:
    """Write the description of a folder into it, by the template also as a page."""
    entities = {entity["@id"]: entity for entity in crate.metadata.generate()["@graph"]}

    def those(value: Any) -> list[dict[str, Any]]:
        """Return the entities that a property refers to."""
        return [entities[one["@id"]] for one in (value if isinstance(value, list) else [value])]

    root, action, workflow = (entities[name] for name in ("./", "#run", "Snakefile"))
    groups: dict[str, list[dict[str, Any]]] = {}
    for file in those(action["result"]):
        groups.setdefault("/".join(file["@id"].split("/")[:2]), []).append(file)
    page = render(
        template,
        root=root,
        action=action,
        workflow=workflow,
        papers=those(root["citation"]),
        profiles=those(root["conformsTo"]),
        code=[entities[name] for name in CODE],
        traces=[part for part in those(root["hasPart"]) if part.get("about") == {"@id": "#run"}],
        inputs=[
            (file, those(file["license"]) if "license" in file else [])
            for file in those(action["object"])
        ],
        groups=groups,
        software=those(workflow["softwareRequirements"]),
    )
    crate.add(Preview(crate, StringIO(page)))
    crate.write(folder)


def _add(crate: ROCrate, identifier: str, kind: str, **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind} | properties))


def _add_part(crate: ROCrate, folder: Path, part: str, **properties: Any) -> Entity:
    """Add a file of the folder, or a folder, whose name ends in "/"."""
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


def _add_data(crate: ROCrate, folder: Path, run: Run, path: str) -> Entity:
    """Add a file of data that the run read; one that is not in the folder, by its address."""
    source = dict(run.sources.get(path, {}))
    address, size, licence = (source.pop(key, None) for key in ("address", "bytes", "licence"))
    told: dict[str, Any] = {key: str(value) for key, value in source.items()}
    told["sha256"] = run.manifest["data"][path]
    if licence:
        told["license"] = _add(crate, licence["url"], "CreativeWork", name=licence["name"])
    if (folder / path).exists():
        return _add_part(crate, folder, path, **told)
    told = {"name": path, "alternateName": path} | told
    if address is None:
        return _add(crate, f"#{quote(path)}", "CreativeWork", **told)
    told |= {"contentSize": str(size), "encodingFormat": "text/csv"}
    return crate.add_file(address, properties=told)


def _add_software(crate: ROCrate, manifest: Mapping[str, Any]) -> Iterator[Entity]:
    """Add Python and every package, named by package URLs such as pkg:pypi/numpy@2.4.6."""
    named = {f"pkg:pypi/{name.lower()}": (name, version)
             for name, version in manifest["packages"].items()}  # fmt: skip
    named["pkg:generic/python"] = ("Python", manifest["python"])
    for identifier, (name, version) in sorted(named.items()):
        yield _add(
            crate,
            f"{identifier}@{version}",
            "SoftwareApplication",
            name=name,
            softwareVersion=version,
        )


def _place(manifest: Mapping[str, Any]) -> str:
    """Return in words where a run was made, and with which Python."""
    machine = [f"{name} {value}" for name, value in manifest["machine"].items()]
    return "; ".join([*machine, f"Python {manifest['python']}"])


def _add_paper(crate: ROCrate, cited: Mapping[str, Any]) -> Entity:
    names = (f"{one['given-names']} {one['family-names']}" for one in cited["authors"])
    authors = [_add(crate, f"#{quote(name)}", "Person", name=name) for name in names]
    return _add(
        crate,
        f"https://doi.org/{cited['doi']}",
        "ScholarlyArticle",
        name=cited["title"],
        author=authors if len(authors) > 1 else authors[0],
        isPartOf=f"{cited['journal']} {cited['volume']}({cited['issue']})",
        pagination=f"{cited['start']}-{cited['end']}",
        datePublished=str(cited["year"]),
    )


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
