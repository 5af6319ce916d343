"""Tests of claims about the audit of releases: the table of `ggexp.companions.audit_table`.

Each row of the audit that a claim is about is compared.
"""

from collections.abc import Hashable, Mapping, Sequence
from sys import float_info
from typing import Any

import pandas as pd

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test, place
from ggexp.mechanisms.guarantee import Guarantee

ROUNDING = float_info.epsilon  # larger than the rounding error of a δ in the table


@claim_test
def within_claims(results: Results) -> Comparisons:
    """Test whether every lower bound on ε is at most the ε that its mechanism claims."""
    for row in _rows(results):
        if row["claimed"]:
            difference = row["epsilon"] - row["epsilon_low"]
            yield Comparison(f"{_what(row)} not contradicted", _where(row), difference)


@claim_test
def within_delta(results: Results) -> Comparisons:
    """Test whether the exact δ of integer-valued noise, as it is drawn, is at most the claimed δ.

    If the noise is calibrated for a larger ε, the exact δ must exceed the claimed one.
    """
    for row in _rows(results):
        if not pd.isna(row["exact_delta"]):
            allowed = 0.0 if row["guarantee"] == Guarantee.PURE else row["delta"]
            excess = max(0.0, row["exact_delta"] - allowed)
            relation, difference = ("<=", ROUNDING - excess) if row["claimed"] else (">", excess)
            what = f"{_what(row)}: exact δ {relation} claimed δ"
            yield Comparison(what, _where(row), difference)


@claim_test
def exceeds(
    results: Results,
    *,
    guarantee: str,
    less: bool,
    released: str = "every cell",
    calibrations: Sequence[str] | None = None,
) -> Comparisons:
    """Test whether the lower bounds on ε reveal all mechanisms that violate a guarantee.

    guarantee: the guarantee that is tested. less: True for mechanisms whose noise is calibrated for
    a larger ε, False for mechanisms with their own noise. released: the kind of release.
    calibrations: the rules to include; None for all.
    """
    for row in _rows(results):
        if (
            row["guarantee"] == guarantee
            and not row["claimed"]
            and less == (row["made_for"] > 1)
            and row["released"] == released
            and (calibrations is None or row["calibration"] in calibrations)
        ):
            difference = row["epsilon_low"] - row["epsilon"]
            yield Comparison(f"violation detected: {_what(row)}", _where(row), difference)


def _rows(results: Results) -> Sequence[Mapping[Hashable, Any]]:
    return results.figure("audit").to_dict("records")


def _what(row: Mapping[Hashable, Any]) -> str:
    return f"{row['guarantee']} of {row['mechanism']} ({row['released']})"


def _where(row: Mapping[Hashable, Any]) -> str:
    delta = None if pd.isna(row["delta"]) else row["delta"]
    return f"{place(row['epsilon'], delta)}, {row['records']} records"
