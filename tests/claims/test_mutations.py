"""For each claim of reference/, a mutation that changes its verdict."""

import audit_cases
import empty_cells_cases
import equal_privacy_cases
import guessing_cases
import lecture_cases
import noise_cases
import paper_cases
import pytest
import replaced_cases
import synthetic_cases
from mutations import SLOW, check, claims

import ggexp.companions.claims  # noqa: F401  (registers the tests of the companions' claims)

#: Module with cases -> fixture of its results, None if it makes the results itself.
MODULES = {
    paper_cases: "full_run",
    equal_privacy_cases: "equal_privacy",
    replaced_cases: "equal_privacy_replaced",
    empty_cells_cases: "empty_cells",
    **dict.fromkeys(
        (synthetic_cases, audit_cases, guessing_cases, lecture_cases, noise_cases), None
    ),
}
CASES = {name: module for module in MODULES for name in module.CASES}
CLAIMS = claims("claims.yaml") | claims("synthetic.yaml") | claims("companions.yaml")


@pytest.fixture
def results(request, name):
    """Return the results on which the claim with this name is tested."""
    fixture = MODULES[CASES[name]]
    return request.getfixturevalue(fixture) if fixture else CASES[name].results()


def test_every_claim_has_its_mutation():
    assert CASES.keys() == CLAIMS.keys()
    assert len(CASES) == sum(len(module.CASES) for module in MODULES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES]
)
def test_mutations(results, monkeypatch, name):
    check(CLAIMS[name], *CASES[name].CASES[name], results, monkeypatch)
