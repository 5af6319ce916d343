"""For each claim of reference/, a mutation that changes its verdict."""

import made_results
import pytest
from mutations import MUTATIONS, SLOW, changed, claims, full_run, results_for

import ggexp.companions.claims  # noqa: F401  (registers the tests of the companions' claims)
from ggexp.claims.check import compare, conclude, conclude_in_reading

CLAIMS = claims("claims.yaml") | claims("synthetic.yaml") | claims("companions.yaml")
CASES = {
    name: (group, verdict, changes)
    for group, cases in MUTATIONS.items()
    for name, (verdict, *changes) in cases.items()
}


def test_every_claim_has_its_mutation():
    assert CASES.keys() <= CLAIMS.keys()
    for name in CLAIMS.keys() - CASES.keys():  # claims on metrics of an extension
        assert CLAIMS[name].parameters["metric"] not in {*full_run().summary["metric"]}
    assert len(CASES) == sum(len(cases) for cases in MUTATIONS.values())
    assert CASES.keys() >= {*SLOW}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES]
)
def test_mutations(name, monkeypatch):
    """The claim has its verdict, and the change gives it another one."""
    claim, (group, verdict, changes) = CLAIMS[name], CASES[name]
    is_of_run = group in ("paper", "designs")
    results = results_for(claim) if is_of_run else getattr(made_results, group)()
    comparisons = compare(claim, results)
    assert conclude(claim, comparisons)[0] == claim.expected
    assert conclude_in_reading(claim, comparisons)[0] != verdict
    with monkeypatch.context() as patch:
        for change in changes:
            results = changed(results, patch, change)
        changed_comparisons = compare(claim, results)
    assert conclude_in_reading(claim, changed_comparisons)[0] == verdict
