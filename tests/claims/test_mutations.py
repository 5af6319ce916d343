"""For each claim of reference/, a mutation that changes its verdict."""

import audit_cases
import design_cases
import guessing_cases
import lecture_cases
import noise_cases
import paper_cases
import pytest
import synthetic_cases
from mutations import SLOW, check, claims, full_run, results_for

import ggexp.companions.claims  # noqa: F401  (registers the tests of the companions' claims)

#: Modules with cases on the results of a run, and on results that they make themselves.
OF_RUNS = (paper_cases, design_cases)
MODULES = (*OF_RUNS, synthetic_cases, audit_cases, guessing_cases, lecture_cases, noise_cases)
CASES = {name: module for module in MODULES for name in module.CASES}
CLAIMS = claims("claims.yaml") | claims("synthetic.yaml") | claims("companions.yaml")


@pytest.fixture
def results(name):
    module = CASES[name]
    return results_for(CLAIMS[name]) if module in OF_RUNS else module.results()


def test_every_claim_has_its_mutation():
    assert CASES.keys() <= CLAIMS.keys()
    for name in CLAIMS.keys() - CASES.keys():  # claims on metrics of an extension
        assert CLAIMS[name]["parameters"]["metric"] not in {*full_run().summary["metric"]}
    assert len(CASES) == sum(len(module.CASES) for module in MODULES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES]
)
def test_mutations(results, monkeypatch, name):
    check(CLAIMS[name], *CASES[name].CASES[name], results, monkeypatch)
