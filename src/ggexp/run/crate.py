"""The description of an archived run: a Workflow Run RO-Crate (https://w3id.org/ro/wfrun/workflow).

The description is metadata in JSON-LD, for programs. People read README.md and archived/index.html.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from mimetypes import MimeTypes
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.model.person import Person
from rocrate.model.softwareapplication import SoftwareApplication
from rocrate.rocrate import ROCrate

from ggexp.run.storage import sha256

DESCRIPTION = "ro-crate-metadata.json"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}  # missing in RO-Crate 1.1
#: The types of files, with those that not every Python knows. Nothing is read from the system.
TYPES = MimeTypes()
TYPES.add_type("application/vnd.apache.parquet", ".parquet")
TYPES.add_type("application/yaml", ".yaml")
TYPES.add_type("text/markdown", ".md")


def describe(
    folder: Path,
    manifest: Mapping[str, Any],
    *,
    title: str,
    description: str,
    ended: float,
    configuration: str,
    results: Mapping[str, str],
    traces: Iterable[str],
    sources: Mapping[str, Sequence[str]],
) -> ROCrate:
    """Return the crate of a folder with the code and the results of a run.

    manifest: the manifest of the run. title, description: of the archive. ended: the end of the
        run, in seconds since 1970. configuration: the file with the settings.
    results: each file that the run made -> its description, "" if it has none.
    traces: files and folders with records of the jobs; the names of folders end in "/".
    sources: each data file that a rule fetches -> the paths and addresses where it can be found.
    """
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
        lang_version=manifest["packages"]["snakemake"],
        properties=_facts(folder / "Snakefile")
        | {
            "name": cited["title"],
            "version": title,
            "author": author,
            "license": licence,
            "softwareRequirements": list(_add_software(crate, manifest)),
        },
    )
    # the archive also contains the rest of the repository, which README.md describes
    _add_part(crate, folder, "README.md", about=crate.root_dataset)
    date = datetime.fromtimestamp(ended, UTC).isoformat(timespec="seconds")
    machine = [f"{name} {value}" for name, value in manifest["machine"].items()]
    action = crate.add_action(
        workflow,
        "#run",
        object=[
            _add_part(crate, folder, configuration, description="The settings of the run"),
            *(
                _add_data(crate, folder, path, digest, sources.get(path, [path])[0], cited)
                for path, digest in manifest["data"].items()
            ),
        ],
        result=[
            _add_part(crate, folder, name, **({"description": text} if text else {}))
            for name, text in results.items()
        ],
        properties={
            "name": "The run of the workflow that made the results",
            "description": "; ".join([*machine, f"Python {manifest['python']}"]),
            "endTime": date,
        },
    )
    for name in traces:
        _add_part(crate, folder, name, about=action)
    crate.name, crate.description, crate.license = title, description, licence
    crate.root_dataset["datePublished"] = date
    crate.root_dataset["author"] = author
    crate.root_dataset["citation"] = _add_work(crate, paper_of(cited))
    crate.root_dataset["mentions"] = action
    crate.root_dataset["conformsTo"] = [
        _add(crate, address, "CreativeWork", name=name, version=version)
        for address, (name, version) in PROFILES.items()
    ]
    return crate


def paper_of(cited: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the paper among the references of CITATION.cff."""
    (paper,) = (work for work in cited["references"] if work["notes"] == "the paper")
    return cast(Mapping[str, Any], paper)


def _add(crate: ROCrate, identifier: str, kind: str, **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind} | properties))


def _add_part(crate: ROCrate, folder: Path, part: str, **properties: Any) -> Entity:
    """Add a file or a subfolder of the folder; the name of a subfolder ends in "/"."""
    if part.endswith("/"):
        return crate.add_dataset(dest_path=part, properties={"name": part} | properties)
    return crate.add_file(folder / part, part, properties=_facts(folder / part) | properties)


def _facts(path: Path) -> dict[str, str]:
    return {
        "name": path.name,
        "contentSize": str(path.stat().st_size),
        "sha256": sha256(path),
        "encodingFormat": TYPES.guess_type(path.name)[0] or "text/plain",
    }


def _add_data(
    crate: ROCrate, folder: Path, path: str, digest: str, source: str, cited: Mapping[str, Any]
) -> Entity:
    """Add a data file that the run read, or its first source if it was fetched.

    digest: the sha256 of the data file. cited: the content of CITATION.cff.
    """
    works = [work for work in cited["references"] if work["notes"] == path]
    properties: dict[str, Any] = {}
    if works:
        properties["citation"] = _one_or_more(_add_work(crate, work) for work in works)
    if licences := {work["license"] for work in works if "license" in work}:
        properties["license"] = _one_or_more(_add_licence(crate, name) for name in sorted(licences))
    if (folder / source).exists():
        if source != path:
            properties["description"] = f"Contains {path}, whose SHA-256 is {digest}"
        return _add_part(crate, folder, source, **properties)
    properties |= {"name": path, "encodingFormat": "text/csv", "sha256": digest}
    if source == path:
        return _add(crate, f"#{quote(path)}", "CreativeWork", **properties)
    return crate.add_file(source, properties=properties)


def _add_software(crate: ROCrate, manifest: Mapping[str, Any]) -> Iterator[Entity]:
    """Add Python and every package, identified by package URLs such as pkg:pypi/numpy@2.4.6."""
    packages = manifest["packages"].items()
    software = {f"pkg:pypi/{name.lower()}": (name, version) for name, version in packages}
    software["pkg:generic/python"] = ("Python", manifest["python"])
    for identifier, (name, version) in sorted(software.items()):
        facts = {"name": name, "softwareVersion": version}
        yield crate.add(SoftwareApplication(crate, f"{identifier}@{version}", facts))


def _add_licence(crate: ROCrate, name: str) -> Entity:
    return _add(crate, f"https://spdx.org/licenses/{name}", "CreativeWork", name=name)


def _add_work(crate: ROCrate, work: Mapping[str, Any]) -> Entity:
    """Add an article or a data set from an entry of CITATION.cff, which has more of its facts."""
    names = (f"{person['given-names']} {person['family-names']}" for person in work["authors"])
    authors = [crate.add(Person(crate, f"#{quote(name)}", {"name": name})) for name in names]
    return _add(
        crate,
        f"https://doi.org/{work['doi']}" if "doi" in work else f"#{quote(work['title'])}",
        "ScholarlyArticle" if work["type"] == "article" else "CreativeWork",
        name=work["title"],
        author=_one_or_more(authors),
        datePublished=str(work["year"]),
    )


def _one_or_more(entities: Iterable[Entity]) -> Entity | list[Entity]:
    """Return the entities as a list, but a single entity as such, as RO-Crate 1.1 prefers."""
    listed = list(entities)
    return listed if len(listed) > 1 else listed[0]
