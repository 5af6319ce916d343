"""Tests of what the audit of releases found: the table of `ggexp.guarantees.audit_table`.

Each returns a comparison for each row of the audit that the claim is about.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from ggexp.claims.evidence import Comparison, Results, place


def within_claims(results: Results) -> list[Comparison]:
    """Return whether no lower bound on ε is above the ε that a mechanism claims."""
    return [
        Comparison(_what(row), _where(row), row["epsilon"] - row["epsilon_low"])
        for row in _rows(results)
        if row["claimed"]
    ]


def exceeds(
    results: Results, *, guarantee: str, calibrations: Sequence[str], scale_factor: float
) -> list[Comparison]:
    """Return whether mechanisms of these rules are caught: a lower bound on ε is above the claim.

    guarantee: what they are held against. scale_factor: the share of their scale that they have.
    """
    return [
        Comparison(f"not {_what(row)}", _where(row), row["epsilon_low"] - row["epsilon"])
        for row in _rows(results)
        if row["guarantee"] == guarantee
        and row["scale_factor"] == scale_factor
        and row["calibration"] in calibrations
    ]


def _rows(results: Results) -> Sequence[Mapping[Hashable, Any]]:
    """Return the rows of the audit, none where there is none."""
    return results.figures.get("audit", pd.DataFrame()).to_dict("records")


def _what(row: Mapping[Hashable, Any]) -> str:
    return f"{row['mechanism']}: {row['guarantee']}"


def _where(row: Mapping[Hashable, Any]) -> str:
    delta = None if pd.isna(row["delta"]) else row["delta"]
    return f"{place(row['epsilon'], delta)}, {row['records']} records"
