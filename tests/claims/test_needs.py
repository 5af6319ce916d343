"""A claim gets a verdict only if the run has everything that its sentence names."""

import re
from dataclasses import replace

import made_results
import pandas as pd
import pytest
from mutations import SLOW, claims, full_run, results_for

import ggexp.companions.claims  # noqa: F401  (registers the tests of the companions' claims)
from ggexp.claims.check import DESIGNS, GROUPS, MECHANISMS, check_claims, comparisons_of
from ggexp.claims.evidence import NotTestedError

CLAIMS = claims("claims.yaml")
AUDIT = [claim for claim in claims("companions.yaml").values() if claim.needs]
#: Words of a sentence -> the column and value that they name.
WORDS = {
    **{"mildew": ("dataset", "mildew"), "Czech": ("dataset", "czech")},
    **{name: ("mechanism", name.lower()) for name in ("Laplace", "GGM-3")},
    **{name: ("mechanism", name.lower()) for name in ("Gaussian-pDP", "Gaussian-aDP")},
}
SYMBOLS = {"epsilon": "ε", "delta": "δ"}
#: Numbers after ε or δ, such as "ε from 0.5 to 2", "δ is at least 0.1".
NUMBERS = r"{}(?: does| =| is at least| is|) \(?(?:from )?(\d[.\d]*\b)(?: to (\d[.\d]*\b))?"


def named(claim):
    """Return the columns and values that a claim names, in its parameters and its sentence."""
    found = []
    for key in ("dataset", "datasets", *MECHANISMS):
        values = claim.parameters.get(key, [])
        names = values if isinstance(values, list) else [values]  # or a factor, of `steps`
        column = "dataset" if key.startswith("dataset") else "mechanism"
        found += [(column, name) for name in names if isinstance(name, str)]
    if claim.group not in DESIGNS:  # in other designs, mechanisms have other names
        found += [pair for word, pair in WORDS.items() if word in claim.claim]
    found += [(column, value) for column in claim.needs for value in claim.needs[column]]
    for column, symbol in SYMBOLS.items():
        for numbers in re.findall(NUMBERS.format(symbol), claim.claim):
            found += [(column, float(number)) for number in numbers if number]
    return dict.fromkeys(found)


def without(table, column, value):
    return table[table[column] != value] if column in table else table


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW or claim.group in DESIGNS))
        for name, claim in CLAIMS.items()
        if claim.range is not None
    ],
)
def test_a_claim_needs_each_thing_that_it_names(name):
    claim = CLAIMS[name]
    results = results_for(claim)
    if claim.parameters.get("metric", "l1") not in {*results.summary["metric"]}:
        pytest.skip("a metric of an extension")
    for column, value in named(claim):
        word = value if isinstance(value, str) else f"{SYMBOLS[column]}={value:g}"
        tables = {
            name: without(getattr(results, name), column, value) for name in ("summary", "scales")
        }
        with pytest.raises(NotTestedError, match=re.escape(word)):
            comparisons_of(claim, replace(results, **tables))


@pytest.mark.slow
@pytest.mark.parametrize("claim", AUDIT, ids=lambda claim: claim.id)
def test_a_claim_about_the_audit_needs_each_kind_of_noise(claim):
    results = made_results.audit()
    assert comparisons_of(claim, results)
    pairs = [(column, value) for column, values in claim.needs.items() for value in values]
    for column, value in pairs:
        less = {"audit": without(results.figures["audit"], column, value)}
        with pytest.raises(NotTestedError, match=str(value)):
            comparisons_of(claim, replace(results, figures=less))


def test_points_outside_of_the_range_are_ignored():
    """Here they would refute a claim that is confirmed within the range."""
    claim, run = CLAIMS["czech-order-l1"], full_run()
    inside = run.summary
    outside = inside.assign(epsilon=8 * inside["epsilon"], mean=1.0)
    both = pd.concat([inside, outside])
    assert comparisons_of(claim, replace(run, summary=both)) == comparisons_of(claim, run)
    anywhere = claim.model_copy(update={"range": {}})
    assert len(comparisons_of(anywhere, replace(run, summary=both))) == 72
    with pytest.raises(NotTestedError, match="range"):
        comparisons_of(claim, replace(run, summary=outside))


@pytest.mark.parametrize(("listed", "number"), [((), 0), (GROUPS, 21)])
def test_not_tested_is_no_verdict(listed, number):
    """Of Laplace and Gaussian-pDP alone, no sentence of section 4 is tested; all may be listed."""
    summary = full_run().summary.query("mechanism in ['laplace', 'gaussian-pdp']")
    run = replace(full_run(), summary=summary)
    verdicts, compared = check_claims(CLAIMS.values(), run, ["dataset", "datasets"], listed)
    of_section = verdicts[verdicts["group"] == "results of section 4"]
    assert (of_section["verdict"] == "not tested").sum() == len(of_section) == number
    assert not compared["claim"].isin(of_section["id"]).any()
    assert "confirmed" in {*verdicts["verdict"]}
