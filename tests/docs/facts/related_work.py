"""Comparison with other programs: docs/related-work.md."""

from collections import Counter

import pytest
from other_libraries import ERRORS, LARGER, SMALLER, WITHIN, ours, read

from facts import fact


@fact
def other_programs():
    """The programs, and their numbers that agree with ours within each tolerance.

    tests/studies/test_other_libraries.py tests each number.
    """
    rows = read()
    version = rows.groupby("program")["version"].first()
    count = rows.groupby(["program", "quantity"]).size()
    assert set(count.index) == {*WITHIN, *ERRORS, *LARGER, *SMALLER}
    groups = Counter()
    for key, tolerance in (WITHIN | ERRORS).items():
        groups[key[0], tolerance] += int(count[key])
    table = [[name, version[name], None, n, tolerance] for (name, tolerance), n in groups.items()]
    return {"programs": len(version), "numbers": groups.total(), "table": table}


def ratios(program, quantity):
    """Return the ratios of a program's numbers to ours, by (ε, δ)."""
    rows = read()
    rows = rows[(rows.program == program) & (rows.quantity == quantity)]
    return {(row.epsilon, row.delta): row.value / ours(row).low for _, row in rows.iterrows()}


@fact
def noise_of_others():
    """Ratios of standard deviations of other programs to ours, if they differ."""
    laplace = ratios("diffprivlib", "sd-sufficient")
    rows = read()
    bounded = [
        row.value / ours(row).low
        for _, row in rows[rows.quantity == "scale-within-bounds"].iterrows()
    ]
    (smallest,) = [row for _, row in rows.iterrows() if row.quantity == "sd-least"]
    assert ours(smallest).low < smallest.value < ours(smallest).high
    sigma = ratios("DPpack", "sd")
    assert min(sigma.values()) == sigma[0.1, 1e-9]
    assert laplace[1, 1e-6] < 1 + 1e-5
    return {
        "laplace": laplace[0.5, 0.25],
        "bounded": [1 / max(bounded), 1 / min(bounded)],
        "least": [*ours(smallest)],
        "tolerance": 1 - sigma[0.1, 1e-9],
    }


@fact
def conversions_of_zcdp():
    """ε at σ = 3/√2 and δ = 10^-6: exact, by OpenDP, and ρ + 2 √(ρ ln(1/δ))."""
    rows = read()
    (row,) = [
        row
        for _, row in rows[rows.quantity == "epsilon-by-zcdp"].iterrows()
        if row.scale == 3 and row.delta == pytest.approx(1e-6)
    ]
    return [ours(row).low, row.value, ours(row).high]
