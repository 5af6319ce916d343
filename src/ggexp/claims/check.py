"""Read claims, test them on the results of a run, and return their verdicts."""

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import yaml
from pydantic import Field

# each module registers its tests
from ggexp.claims import experiment, inequalities, synthetic, theory, unbounded  # noqa: F401
from ggexp.claims.evidence import (
    SYMBOLS,
    TESTS,
    Comparison,
    NotTestedError,
    Results,
    judge,
    on_splits,
    point_of,
)
from ggexp.section import Number, Section, one_of
from ggexp.words import VERDICTS

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
#: The other designs that claims of this project are about.
DESIGNS = ("equal privacy", "equal privacy, replaced records", "empty cells")
#: The parameters of tests that name mechanisms.
MECHANISMS = ("mechanism", "mechanisms", "others", "above", "below")
#: The columns of a grid point (`ggexp.claims.evidence.Point`).
COLUMNS = ("mechanism", "epsilon", "delta")
VERDICT_COLUMNS = ("id", "claim", "source", "stated_by", "group", "expected", "verdict", "evidence")
COMPARISON_COLUMNS = ("claim", "statement", "point", "difference", "se", "split_sd", "outcome")


class Claim(Section):
    """A claim, with the test of it; `reference/claims.yaml` explains its keys."""

    id: str
    claim: str
    source: str
    stated_by: Annotated[str, one_of(STATED_BY)]
    test: str
    parameters: dict[str, Any]
    tolerance: Number
    expected: Annotated[str, one_of(VERDICTS)]
    group: str = Field(default_factory=lambda claim: claim["stated_by"])
    says: str | None = None
    step: str | None = None
    needs: dict[str, list[Any]] = Field({})
    range: dict[str, list[float]] | None = None
    by_construction: bool = False
    misprint: bool = False
    undescribed: str | None = None


def read_claims(path: Path) -> list[Claim]:
    """Return the claims of a YAML file.

    The group of a claim that is not the paper's is its source, or the design that it is about.

    Raises ValueError, which names the file, the claim and the error, if a claim is malformed.
    """
    claims: dict[str, Claim] = {}
    for settings in yaml.load(path.read_text("utf-8"), yaml.CSafeLoader):
        location = f"{path}, claim {settings.get('id')!r}"
        claim = Claim.read(settings, location)
        if claim.id in claims:
            raise ValueError(f"{location}: the id occurs twice")
        claims[claim.id] = claim
        groups = GROUPS if claim.stated_by == "the paper" else (claim.stated_by, *DESIGNS)
        for key, value, known in (("test", claim.test, TESTS), ("group", claim.group, groups)):
            if value not in known:
                raise ValueError(
                    f"{location}.{key}: must be one of {', '.join(known)}, got {value!r}"
                )
        taken = inspect.signature(TESTS[claim.test])
        if "grid" in taken.parameters and claim.range is None:
            raise ValueError(f"{location}: the key range is missing; {{}} is every ε and δ")
        try:
            taken.bind(**_arguments(claim, None))
        except (KeyError, TypeError) as error:
            raise ValueError(
                f"{location}: wrong or missing parameters of {claim.test}: {error}"
            ) from error
    return [*claims.values()]


def check_claims(
    claims: Iterable[Claim],
    results: Results,
    about: Collection[str] | None = None,
    listed: Collection[str] = (),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts (`VERDICT_COLUMNS`), and the comparisons (`COMPARISON_COLUMNS`).

    A claim is not tested if the results lack anything that it names: a data set, a mechanism, an
    ε or a δ. Groups without any tested claim are omitted, except those in ``listed``.
    about: names of parameters. Only claims with at least one of them are tested; None tests all.
    """
    verdicts, compared, groups = [], [], {*listed}
    for claim in claims:
        if about is not None and not {*about} & claim.parameters.keys():
            continue
        try:
            comparisons = comparisons_of(claim, results)
            verdict, evidence = conclude(claim, comparisons)
            groups.add(claim.group)
        except NotTestedError as error:
            comparisons, verdict, evidence = [], VERDICTS[-1], str(error)
        verdicts.append({**dict(claim), "verdict": verdict, "evidence": evidence})
        for comparison in comparisons:
            outcome = comparison.outcome(claim.tolerance)
            compared.append((claim.id, *comparison[:4], comparison.splits.sd or None, outcome))
    table = pd.DataFrame(verdicts, columns=VERDICT_COLUMNS)
    table = table[table["group"].isin(groups)]
    return table, pd.DataFrame(compared, columns=COMPARISON_COLUMNS)


def compare(claim: Claim, results: Results) -> list[Comparison]:
    """Return the comparisons of a claim, none if the results lack what it needs."""
    try:
        return comparisons_of(claim, results)
    except NotTestedError:
        return []


def comparisons_of(claim: Claim, results: Results) -> list[Comparison]:
    """Return the comparisons of a claim; raise NotTestedError if the results lack what it needs.

    A claim needs the data sets and mechanisms that its parameters name, and the ε and δ of its key
    ``needs``. Points outside of its ``range`` are ignored.
    """
    kept = results.within(claim.range or {})
    if missing := [*dict.fromkeys(_missing(claim, results, kept))]:
        raise NotTestedError(*missing)
    comparisons = [*TESTS[claim.test](**_arguments(claim, kept))]
    if not comparisons:
        raise NotTestedError("what the claim is about")
    return comparisons


def _missing(claim: Claim, results: Results, kept: Results) -> Iterator[str]:
    """Yield what a claim names and the results lack. kept: the results in the claim's range.

    A claim with a range is about grid points, and a claim with a figure about rows of its table.
    """
    parameters, needs = claim.parameters, claim.needs
    datasets = _named(parameters, "dataset", "datasets")
    if claim.range is not None:
        metric = parameters.get("metric") or parameters.get("metrics", ["accuracy"])[0]
        names = {"mechanism": _named(parameters, *MECHANISMS), **needs}
        for dataset in datasets or [""]:
            if dataset:
                points = [*kept.grid(dataset, metric).estimates]
            else:
                points = [*map(point_of, kept.scales.to_dict("records"))]
            if dataset and not points:
                if results.grid(dataset, metric).estimates:
                    yield f"a point of {dataset} in the range of ε and δ"
                else:
                    yield f"{metric} on {dataset}" if dataset in results.datasets else dataset
            else:
                rows = [(name, budget.epsilon, budget.delta) for name, budget in points]
                present = zip(COLUMNS, map(set, zip(*rows, strict=True)), strict=False)
                yield from _lacking(dict(present), names)
    elif needs:
        table = results.figure(parameters["figure"]).query(parameters["rows"], engine="python")
        yield from _lacking({name: {*table[name]} for name in needs}, needs)
    else:
        yield from (dataset for dataset in datasets if dataset not in results.datasets)


def _lacking(
    present: Mapping[str, Collection[Any]], names: Mapping[str, Iterable[Any]]
) -> Iterator[str]:
    """Yield the names that are not present, column by column."""
    for column, values in names.items():
        for value in values:
            if value not in present.get(column, ()):
                yield f"{SYMBOLS[column]}={value:g}" if column in SYMBOLS else str(value)


def _named(parameters: Mapping[str, Any], *keys: str) -> list[str]:
    """Return the names in some parameters, each of which is a name, or a list of names."""
    values = [parameters[key] for key in keys if key in parameters]
    lists = [value if isinstance(value, list) else [value] for value in values]
    return [name for names in lists for name in names if isinstance(name, str)]


def conclude(claim: Claim, comparisons: Sequence[Comparison]) -> tuple[str, str]:
    """Return the verdict on a claim and the evidence for it, from its comparisons."""
    verdict, evidence = conclude_in_reading(claim, comparisons)
    if reason := claim.undescribed:
        return "not determinable", f"{reason} As we do it: {evidence}"
    return verdict, evidence


def conclude_in_reading(claim: Claim, comparisons: Sequence[Comparison]) -> tuple[str, str]:
    """Return the verdict and the evidence, given how a step is done that the paper leaves open."""
    is_constructed = claim.by_construction
    verdict, evidence = judge(comparisons, claim.tolerance, by_construction=is_constructed)
    evidence += on_splits(comparisons)
    return "misprint" if verdict == "refuted" and claim.misprint else verdict, evidence


def _arguments(claim: Claim, results: Results | None) -> dict[str, Any]:
    """Return the arguments of a claim's test: parameters, and the results or the grid."""
    parameters = dict(claim.parameters)
    taken = inspect.signature(TESTS[claim.test]).parameters
    if "results" in taken:
        parameters["results"] = results
    if "grid" in taken:
        subject = [parameters.pop("dataset"), parameters.pop("metric")]
        subject += [] if "mechanisms" in taken else [parameters.pop("mechanisms", None)]
        parameters["grid"] = results and results.grid(*subject)
    return parameters
