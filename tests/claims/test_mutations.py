"""For each claim, one mutation changes its verdict and another only its comparisons."""

import empty_cells_cases
import equal_privacy_cases
import pandas as pd
import paper_cases
import pytest
import replaced_cases
import synthetic_cases
from mutations import SLOW, check, claims

from ggexp.claims.check import check_claims
from ggexp.claims.evidence import Results

#: Module with cases -> fixture of its results, None if it makes the results itself.
MODULES = {
    paper_cases: "full_run",
    equal_privacy_cases: "equal_privacy",
    replaced_cases: "equal_privacy_replaced",
    empty_cells_cases: "empty_cells",
    synthetic_cases: None,
}
CASES = {name: module for module in MODULES for name in module.CASES}
CLAIMS = claims("claims.yaml") | claims("synthetic.yaml")


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


def test_claims_are_omitted_without_their_results():
    empty = Results(summary=pd.DataFrame(), scales=pd.DataFrame())
    table = check_claims(claims("synthetic.yaml").values(), empty)
    assert list(table["id"]) == ["clamping-gain"]  # it needs no run
