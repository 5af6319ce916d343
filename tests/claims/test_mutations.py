"""For each claim, one mutation changes its verdict and another only its comparisons."""

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
import replaced_cases
import synthetic_cases
from mutations import SLOW, check, claims

from ggexp.claims.check import check_claims, compare
from ggexp.claims.evidence import Results

#: Module with cases -> fixture of its results, None if it makes the results itself.
MODULES = {
    paper_cases: "full_run",
    equal_privacy_cases: "equal_privacy",
    replaced_cases: "equal_privacy_replaced",
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
    """Return the results on which the claim with this name is tested."""
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
def test_claims_about_a_figure_are_omitted_without_it(results, name):
    assert compare(CLAIMS[name], replace(results, figures={})) == []


def test_claims_are_omitted_without_their_results():
    empty = Results(summary=pd.DataFrame(), scales=pd.DataFrame())
    table = check_claims(
        [*claims("synthetic.yaml").values(), *claims("guarantees.yaml", "audit-").values()], empty
    )
    assert list(table["id"]) == ["clamping-gain"]  # it needs no run


@pytest.mark.parametrize("name", ["gaussian-of-many"])
def test_points_outside_the_range_of_a_claim_are_ignored(results, name):
    """A claim about Figure S3 uses no point outside its range, such as (5, 1e-9)."""
    outside = {"releases": 100, "epsilon": 5, "delta": 1e-9, "of_gaussian": 0.9966}
    table = pd.concat([results.figures["s3"], pd.DataFrame([outside])], ignore_index=True)
    wider = replace(results, figures={"s3": table})
    claim = CLAIMS[name]
    assert compare(claim, wider) == compare(claim, results)
    parameters = claim["parameters"] | {"deltas": [1e-9, 0.1]}
    assert len(compare(claim | {"parameters": parameters}, wider)) == len(compare(claim, wider)) + 1
