"""For each claim of the companions, mutations as in tests/claims/test_mutations.py."""

from dataclasses import replace

import approximate_dp_cases
import audit_cases
import best_possible_cases
import guessing_cases
import lecture_cases
import pandas as pd
import pytest
import release_cases
from mutations import SLOW, check, claims

import ggexp.companions.claims  # noqa: F401  (registers the tests of the claims)
from ggexp.claims.check import check_claims, compare
from ggexp.claims.evidence import Results

MODULES = (
    *(approximate_dp_cases, audit_cases, best_possible_cases),
    *(guessing_cases, lecture_cases, release_cases),
)
CASES = {name: module for module in MODULES for name in module.CASES}
CLAIMS = claims("companions.yaml")


@pytest.fixture
def results(name):
    """Return the results on which the claim with this name is tested."""
    return CASES[name].results()


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
        for name, claim in CLAIMS.items()
        if "Figure" in claim["source"] or name.startswith("queries-")
    ],
)
def test_claims_about_a_figure_are_omitted_without_it(results, name):
    assert compare(CLAIMS[name], replace(results, figures={})) == []


def test_claims_about_the_audit_are_omitted_without_it():
    empty = Results(summary=pd.DataFrame(), scales=pd.DataFrame())
    assert check_claims(claims("companions.yaml", "audit-").values(), empty).empty


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
