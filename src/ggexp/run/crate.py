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
    "codemeta.json": "this software, described for programs",
    "Makefile": "the commands",
    "requirements.lock": "the exact version of every package of a run, with its hashes",
    "cluster.lock": "the same for a run on a cluster",
    "config/": "the designs, and what each key means",
    "workflow/": "the rules, and a script for each",
    "src/": "the library that the scripts call",
    "data/": "the data that the repository holds, and where all come from",
    "reference/": "what the paper claims, and the checksums of a full run",
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
    """What is told of a run.

    started, ended: in seconds since 1970. manifest: of the run. version: of this software. commit:
    of the code in the archive. note: what a reader must know besides. configuration: the file with
    the settings. results: each file that it made -> what it holds, "" if nobody says. traces:
    files, and folders that end in "/", that tell of its jobs. addresses: file of data that is
    loaded -> address and bytes. beside: other files and folders that are there -> what they are.
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
    addresses: Mapping[str, tuple[str, int]]
    beside: Mapping[str, str]


def describe(folder: Path, run: Run) -> ROCrate:
    """Return the crate of a folder that holds the code and all that ``run`` names."""
    cited = yaml.safe_load((folder / "CITATION.cff").read_text("utf-8"))
    crate = ROCrate(version="1.1")  # which the profiles are made for
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
    for name, words in {**CODE, **run.beside}.items():
        _add_part(crate, folder, name, description=words)
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
            _add_part(crate, folder, name, **({"description": words} if words else {}))
            for name, words in run.results.items()
        ],
        properties={
            "name": "The run of the workflow that made the results",
            "description": _place(run.manifest),
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
        "citation": _add_work(crate, cited["preferred-citation"]),
        "mentions": action,
        "conformsTo": [
            _add(crate, address, "CreativeWork", name=name, version=version)
            for address, (name, version) in PROFILES.items()
        ],
    }
    for name, value in root.items():
        crate.root_dataset[name] = value
    return crate


def write_crate(crate: ROCrate, folder: Path, template: Path, beside: Iterable[str]) -> None:
    """Write the description of a folder into it, by the template also as a page.

    beside: names of what is there besides the code and the run.
    """
    entities = {entity["@id"]: entity for entity in crate.metadata.generate()["@graph"]}

    def those(value: Any) -> list[dict[str, Any]]:
        """Return the entities that the value of a property refers to."""
        return [
            entities[reference["@id"]]
            for reference in (value if isinstance(value, list) else [value])
        ]

    groups: dict[str, list[dict[str, Any]]] = {}
    for file in those(entities["#run"]["result"]):
        groups.setdefault("/".join(file["@id"].split("/")[:-1][:2]), []).append(file)
    page = render(
        template,
        root=entities["./"],
        run=entities["#run"],
        workflow=entities["Snakefile"],
        code=[entities[name] for name in (*CODE, *beside)],
        groups=groups,
        those=those,
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


def _add_data(
    crate: ROCrate, folder: Path, run: Run, path: str, references: Iterable[Mapping[str, Any]]
) -> Entity:
    """Add a file of data that the run read; one that is not in the folder, by its address."""
    works = [work for work in references if work["notes"] == path]
    properties: dict[str, Any] = {"sha256": run.manifest["data"][path]}
    if works:
        properties["citation"] = _one_or_more(_add_work(crate, work) for work in works)
    if licences := {work["license"] for work in works if "license" in work}:
        properties["license"] = _one_or_more(_add_licence(crate, name) for name in sorted(licences))
    if (folder / path).exists():
        return _add_part(crate, folder, path, **properties)
    properties |= {"name": path, "encodingFormat": "text/csv"}
    if path not in run.addresses:
        return _add(crate, f"#{quote(path)}", "CreativeWork", **properties)
    address, size = run.addresses[path]
    return crate.add_file(address, properties=properties | {"contentSize": str(size)})


def _add_software(crate: ROCrate, manifest: Mapping[str, Any]) -> Iterator[Entity]:
    """Add Python and every package, named by package URLs such as pkg:pypi/numpy@2.4.6."""
    packages = manifest["packages"].items()
    named = {f"pkg:pypi/{name.lower()}": (name, version) for name, version in packages}
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


def _add_licence(crate: ROCrate, name: str) -> Entity:
    return _add(crate, f"https://spdx.org/licenses/{name}", "CreativeWork", name=name)


def _add_work(crate: ROCrate, work: Mapping[str, Any]) -> Entity:
    """Add an article or data, from an entry of CITATION.cff."""
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
    """Return a list, or the entity itself where it is alone, which RO-Crate 1.1 prefers."""
    several = list(entities)
    return several if len(several) > 1 else several[0]


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
