"""One mutation of the results changes the verdict of a claim, another its comparisons alone."""

from dataclasses import replace

import approximate_dp_cases
import audit_cases
import best_possible_cases
import empty_cells_cases
import equal_privacy_cases
import guessing_cases
import lecture_cases
import pandas as pd
import paper_cases
import pytest
import release_cases
import synthetic_cases
from mutations import SLOW, check, claims

from ggexp.claims.check import check_claims, compare
from ggexp.claims.evidence import Results

#: Modules with cases, and the fixture of their results if they make none themselves.
MODULES = {
    paper_cases: "full_run",
    equal_privacy_cases: "equal_privacy",
    empty_cells_cases: "empty_cells",
    approximate_dp_cases: None,
    audit_cases: None,
    best_possible_cases: None,
    guessing_cases: None,
    lecture_cases: None,
    release_cases: None,
    synthetic_cases: None,
}
CASES = {name: module for module in MODULES for name in module.CASES}
CLAIMS = claims("claims.yaml") | claims("guarantees.yaml") | claims("synthetic.yaml")


@pytest.fixture
def results(request, name):
    """The results in which the claim of this name is tested."""
    fixture = MODULES[CASES[name]]
    return request.getfixturevalue(fixture) if fixture else CASES[name].results()


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()
    assert len(CASES) == sum(len(module.CASES) for module in MODULES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES]
)
def test_mutations(results, monkeypatch, name):
    check(CLAIMS[name], CASES[name].CASES[name], results, monkeypatch)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, claim in claims("guarantees.yaml").items()
        if "Figure" in claim["source"] or name.startswith("queries-")
    ],
)
def test_a_claim_on_a_figure_is_left_out_without_it(results, name):
    assert compare(CLAIMS[name], replace(results, figures={})) == []


def test_claims_on_what_was_not_run_are_left_out():
    nothing = Results(summary=pd.DataFrame(), scales=pd.DataFrame())
    found = check_claims(
        [*claims("synthetic.yaml").values(), *claims("guarantees.yaml", "audit-").values()], nothing
    )
    assert list(found["id"]) == ["clamping-gain"]  # it needs no run


@pytest.mark.parametrize("name", ["gaussian-of-many"])
def test_a_claim_is_about_its_range_alone(results, name):
    """The range of a claim on Figure S3 counts, and no point outside it, such as (5, 1e-9)."""
    beyond = {"releases": 100, "epsilon": 5, "delta": 1e-9, "of_gaussian": 0.9966}
    table = pd.concat([results.figures["s3"], pd.DataFrame([beyond])], ignore_index=True)
    wider = replace(results, figures={"s3": table})
    claim = CLAIMS[name]
    assert compare(claim, wider) == compare(claim, results)
    parameters = claim["parameters"] | {"deltas": [1e-9, 0.1]}
    assert len(compare(claim | {"parameters": parameters}, wider)) == len(compare(claim, wider)) + 1
