"""The configuration of a CODECHECK (https://codecheck.org.uk): the paper, and files to reproduce.

Version 2.0 of the format also requires ``codechecker``, ``report``, ``certificate`` and
``summary``. The person who checks an archive adds them, because they are results of the check.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, cast

import yaml

NAME = "codecheck.yml"
VERSION = "https://codecheck.org.uk/spec/config/2.0/"
TABLES = {
    "scales.csv": "Scales of the noise",
    "summary.csv": "Means of all errors and accuracies over the repeats",
    "baseline.csv": "Accuracies without noise",
}


def paper_of(cited: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the paper among the references of CITATION.cff."""
    (paper,) = (work for work in cited["references"] if work["notes"] == "the paper")
    return cast(Mapping[str, Any], paper)


def codecheck(
    manifest: Mapping[str, Any], cited: Mapping[str, Any], results: str, present: Collection[str]
) -> str:
    """Return the configuration of a CODECHECK, as YAML.

    manifest: the manifest of the run. cited: the content of CITATION.cff. results: the folder of
    the results. present: the names of the files in it.
    """
    paper = paper_of(cited)
    return yaml.safe_dump(
        {
            "version": VERSION,
            "paper": {
                "title": paper["title"],
                "authors": [_author(author) for author in paper["authors"]],
                "reference": f"https://doi.org/{paper['doi']}",
            },
            "manifest": [
                {"file": f"{results}/{name}", "comment": comment}
                for output, facts in manifest["outputs"].items()
                for name, comment in _files(output, facts["rows"])
                if name in present
            ],
        },
        explicit_start=True,
        sort_keys=False,
        allow_unicode=True,
        width=100,
    )


def _author(author: Mapping[str, str]) -> dict[str, str]:
    return {"name": f"{author['given-names']} {author['family-names']}"}


def _files(output: str, rows: int) -> Iterator[tuple[str, str]]:
    """Yield the files to check for an output of the manifest, each with a comment.

    A figure has two files, its picture and its numbers. Histograms and the results of single
    repeats are not checked, because they are intermediate results.
    """
    path = PurePosixPath(output)
    if output in TABLES:
        yield output, f"{TABLES[output]}, {rows} rows"
    elif path.parent.name == "figures":
        figure = f"Figure {path.stem.removeprefix('figure_').lstrip('0').upper()}"
        yield str(path.with_suffix(".png")), figure
        yield output, f"The numbers of {figure}, {rows} rows"
