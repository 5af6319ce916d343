"""Other programs beside this one: docs/related-work.md."""

from collections import Counter

import pytest
from other_libraries import ERRORS, LARGER, SMALLER, WITHIN, ours, read

from facts import fact


@fact
def other_programs():
    """How many numbers agree, how well, and where others have more or less noise.

    tests/studies/test_other_libraries.py holds each of them to its tolerance.
    """
    rows = read()
    version = rows.groupby("program")["version"].first()
    count = rows.groupby(["program", "quantity"]).size()
    assert set(count.index) == {*WITHIN, *ERRORS, *LARGER, *SMALLER}
    groups = Counter()
    for key, within in (WITHIN | ERRORS).items():
        groups[key[0], within] += int(count[key])
    table = [[name, version[name], None, n, within] for (name, within), n in groups.items()]
    return {"programs": len(version), "numbers": groups.total(), "table": table}


def ratios(*key):
    """Theirs to ours, by (ε, δ)."""
    rows = read()
    rows = rows[(rows.program == key[0]) & (rows.quantity == key[1])]
    return {(row.epsilon, row.delta): row.value / ours(row).low for _, row in rows.iterrows()}


@fact
def noise_of_others():
    """What more noise others add, as a ratio of standard deviations, and what less."""
    laplace = ratios("diffprivlib", "sd-sufficient")
    rows = read()
    bounded = [
        row.value / ours(row).low
        for _, row in rows[rows.quantity == "scale-within-bounds"].iterrows()
    ]
    (least,) = [row for _, row in rows.iterrows() if row.quantity == "sd-least"]
    assert ours(least).low < least.value < ours(least).high
    sigma = ratios("DPpack", "sd")
    assert min(sigma.values()) == sigma[0.1, 1e-9]
    assert laplace[1, 1e-6] < 1 + 1e-5
    return {
        "laplace": laplace[0.5, 0.25],
        "bounded": [1 / max(bounded), 1 / min(bounded)],
        "least": [*ours(least)],
        "tolerance": 1 - sigma[0.1, 1e-9],
    }


@fact
def conversions_of_zcdp():
    """ε of σ = 3/√2 at δ = 10^-6: exact, OpenDP's, and ρ + 2 √(ρ ln(1/δ))."""
    rows = read()
    (row,) = [
        row
        for _, row in rows[rows.quantity == "epsilon-by-zcdp"].iterrows()
        if row.scale == 3 and row.delta == pytest.approx(1e-6)
    ]
    return [ours(row).low, row.value, ours(row).high]
