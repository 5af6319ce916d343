"""Read claims, test them on the results of a run, and return their verdicts."""

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ggexp.claims import (  # noqa: F401  (each module registers its tests)
    experiment,
    inequalities,
    synthetic,
    theory,
    unbounded,
)
from ggexp.claims.evidence import TESTS, Comparison, MissingFigureError, Results, judge

KEYS = ("id", "claim", "source", "stated_by", "test", "parameters", "tolerance", "expected")
OPTIONAL = ("by_construction", "misprint", "group", "says")
STATED_BY = (
    "the paper",  # Liu (2019), whose experiments are reproduced
    "the first version",  # of that paper
    "Laud and Pankova",
    "Bun and Steinke",
    "the CS208 notes",
    "the approximate-DP lecture",
    "this project",
)
#: What a claim of the paper is about.
GROUPS = ("sizes and definitions", "results of section 4", "Figures 1 to 5", "theorems")
VERDICTS = ("confirmed", "by construction", "partly", "refuted", "misprint", "undecided")
VERDICT_COLUMNS = ("id", "claim", "source", "stated_by", "group", "expected", "verdict", "evidence")
COMPARISON_COLUMNS = ("claim", "statement", "point", "difference", "se", "outcome")


def read_claims(path: Path) -> list[dict[str, Any]]:
    """Return the claims of a YAML file: mappings with all `KEYS`, a group and possibly other keys.

    The group of a claim that is not the paper's is its source.

    Raises ValueError, which names the file, the claim and the error, if a claim is malformed.
    """
    claims: list[dict[str, Any]] = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    seen = set()
    for claim in claims:
        location = f"{path}, claim {claim.get('id')!r}"
        if set(claim) - set(OPTIONAL) != set(KEYS):
            raise ValueError(
                f"{location}: the keys must be {', '.join(KEYS)}, got {', '.join(claim)}"
            )
        if claim["id"] in seen:
            raise ValueError(f"{location}: the id occurs twice")
        seen.add(claim["id"])
        claim.setdefault("group", claim["stated_by"])
        groups = GROUPS if claim["stated_by"] == "the paper" else (claim["stated_by"],)
        for key, allowed in (
            ("expected", VERDICTS),
            ("stated_by", STATED_BY),
            ("test", TESTS),
            ("group", groups),
        ):
            if claim[key] not in allowed:
                raise ValueError(
                    f"{location}: {key} must be one of {', '.join(allowed)}, not {claim[key]!r}"
                )
        try:
            test = TESTS[claim["test"]]
            inspect.signature(test).bind(**_arguments(claim, None))
        except (KeyError, TypeError) as error:
            raise ValueError(
                f"{location}: wrong or missing parameters of {claim['test']}: {error}"
            ) from error
    return claims


def check_claims(
    claims: Iterable[Mapping[str, Any]], results: Results, about: Collection[str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts (`VERDICT_COLUMNS`), and the comparisons (`COMPARISON_COLUMNS`).

    A claim is omitted if the results lack its subject, for example a data set that was not run.
    about: names of parameters. Only claims with at least one of them are tested; None tests all.
    """
    verdicts, compared = [], []
    for claim in claims:
        if about is not None and not {*about} & claim["parameters"].keys():
            continue
        comparisons = compare(claim, results)
        if comparisons:
            verdict, evidence = conclude(claim, comparisons)
            verdicts.append({**claim, "verdict": verdict, "evidence": evidence})
        compared += [
            (claim["id"], *comparison, comparison.outcome(claim["tolerance"]))
            for comparison in comparisons
        ]
    return (
        pd.DataFrame(verdicts, columns=VERDICT_COLUMNS),
        pd.DataFrame(compared, columns=COMPARISON_COLUMNS),
    )


def compare(claim: Mapping[str, Any], results: Results) -> list[Comparison]:
    """Return the comparisons of a claim, none if the results lack a figure that it is about."""
    try:
        return [*TESTS[claim["test"]](**_arguments(claim, results))]
    except MissingFigureError:
        return []


def conclude(claim: Mapping[str, Any], comparisons: Sequence[Comparison]) -> tuple[str, str]:
    """Return the verdict on a claim and the evidence for it, from its comparisons."""
    by_construction = claim.get("by_construction", False)
    verdict, evidence = judge(comparisons, claim["tolerance"], by_construction=by_construction)
    return "misprint" if verdict == "refuted" and claim.get("misprint") else verdict, evidence


def _arguments(claim: Mapping[str, Any], results: Results | None) -> dict[str, Any]:
    """Return the arguments of a claim's test: parameters, and the results or the grid."""
    parameters = dict(claim["parameters"])
    taken = inspect.signature(TESTS[claim["test"]]).parameters
    if "results" in taken:
        parameters["results"] = results
    if "grid" in taken:
        subject = [parameters.pop("dataset"), parameters.pop("metric")]
        subject += [] if "mechanisms" in taken else [parameters.pop("mechanisms", None)]
        parameters["grid"] = results and results.grid(*subject)
    return parameters
