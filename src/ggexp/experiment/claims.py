"""The paper's claims, each put to its test, with a verdict that the results give."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ggexp.experiment import claims_experiment, claims_theory
from ggexp.experiment.evidence import Comparison, Results, judge

TESTS: dict[str, Callable[..., list[Comparison]]] = {
    test.__name__: test
    for test in (
        claims_experiment.ordered,
        claims_experiment.similar,
        claims_experiment.steps,
        claims_experiment.delta_matters_less,
        claims_experiment.varies_more_at_small_epsilon,
        claims_experiment.loss_of_accuracy,
        claims_experiment.no_worse,
        claims_experiment.counts,
        claims_theory.tighter,
        claims_theory.ratio_of_bounds,
        claims_theory.trend_of_bounds,
        claims_theory.trend_of_scales,
        claims_theory.fall_and_rebound,
        claims_theory.rebound_above_one,
        claims_theory.later_rebound,
        claims_theory.cost_falls_with_delta,
        claims_theory.lemma_11,
        claims_theory.lemma_11_samples,
        claims_theory.clamping,
        claims_theory.redrawing,
    )
}
KEYS = ("id", "claim", "source", "test", "parameters", "tolerance", "expected")
VERDICTS = ("confirmed", "refuted", "partly", "undecided")
COLUMNS = ("id", "claim", "source", "expected", "verdict", "evidence")


def read_claims(path: Path) -> list[dict[str, Any]]:
    """Return the claims of a YAML file: a list of mappings with `KEYS`.

    Raises ValueError naming the file, the claim and what is wrong with it.
    """
    claims: list[dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))
    seen = set()
    for claim in claims:
        where = f"{path}, claim {claim.get('id')!r}"
        if set(claim) != set(KEYS):
            raise ValueError(f"{where}: the keys must be {', '.join(KEYS)}, got {', '.join(claim)}")
        if claim["id"] in seen:
            raise ValueError(f"{where}: the id is there twice")
        seen.add(claim["id"])
        if claim["expected"] not in VERDICTS:
            allowed = ", ".join(VERDICTS)
            raise ValueError(
                f"{where}: expected must be one of {allowed}, not {claim['expected']!r}"
            )
        if claim["test"] not in TESTS:
            raise ValueError(f"{where}: test must be one of {', '.join(TESTS)}")
        try:
            inspect.signature(TESTS[claim["test"]]).bind(None, **claim["parameters"])
        except TypeError as error:
            raise ValueError(f"{where}: parameters of {claim['test']}: {error}") from error
    return claims


def check_claims(claims: Iterable[Mapping[str, Any]], results: Results) -> pd.DataFrame:
    """Return id, claim, source, expected, verdict and evidence of each claim.

    A claim about something that the results do not hold, such as a data set that was not run, is
    left out.
    """
    rows = []
    for claim in claims:
        comparisons = TESTS[claim["test"]](results, **claim["parameters"])
        if comparisons:
            verdict, evidence = judge(comparisons, claim["tolerance"])
            rows.append({**claim, "verdict": verdict, "evidence": evidence})
    return pd.DataFrame(rows, columns=COLUMNS)
