"""The configuration of a CODECHECK (https://codecheck.org.uk): the paper, and files to make again.

A person who checks an archive adds the results of the check, which version 2.0 of the format asks
for too: ``codechecker``, ``report``, ``certificate`` and ``summary``.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import yaml

NAME = "codecheck.yml"
VERSION = "https://codecheck.org.uk/spec/config/2.0/"
TABLES = {
    "scales.csv": "Scales of the noise",
    "summary.csv": "Means of all errors and accuracies over the repeats",
    "baseline.csv": "Accuracies without noise",
}


def codecheck(
    manifest: Mapping[str, Any], cited: Mapping[str, Any], results: str, there: Collection[str]
) -> str:
    """Return the configuration of a CODECHECK, as YAML.

    manifest: of the run. cited: CITATION.cff, whose preferred citation is the paper. results: the
    folder of the results. there: the files in it.
    """
    paper = cited["preferred-citation"]
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
                if name in there
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
    """Give the files to check that belong to an output of the manifest, each with a comment.

    A figure is its drawing and its numbers. Histograms and single repeats are steps on the way.
    """
    path = PurePosixPath(output)
    if output in TABLES:
        yield output, f"{TABLES[output]}, {rows} rows"
    elif path.parent.name == "figures":
        figure = f"Figure {path.stem.removeprefix('figure_').lstrip('0').upper()}"
        yield str(path.with_suffix(".png")), figure
        yield output, f"The numbers of {figure}, {rows} rows"
