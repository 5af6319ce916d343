"""Tests of what the audit of releases found: the tables that `ggexp.guarantees.audit_table` makes.

Each returns a comparison for each row of the audit that the claim is about.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ggexp.claims.evidence import Comparison, Results, place


def within_claims(results: Results) -> list[Comparison]:
    """Return whether no lower bound on ε is above the ε that a mechanism claims."""
    table = _table(results)
    return [
        Comparison(f"{row.mechanism}: {row.guarantee}", _where(row), row.epsilon - row.epsilon_low)
        for row in table[table["claimed"]].itertuples()
    ]


def exceeds(
    results: Results, *, guarantee: str, calibrations: Sequence[str], scale_factor: float
) -> list[Comparison]:
    """Return whether mechanisms of these rules are caught: a lower bound on ε is above the claim.

    guarantee: what they are held against. scale_factor: the share of their scale that they have.
    """
    table = _table(results)
    held = (table["guarantee"] == guarantee) & (table["scale_factor"] == scale_factor)
    held &= table["calibration"].isin(calibrations) & (table["records"] > 0)
    return [
        Comparison(f"{row.mechanism}: not {guarantee}", _where(row), row.epsilon_low - row.epsilon)
        for row in table[held].itertuples()
    ]


def _table(results: Results) -> pd.DataFrame:
    """Return the audit, without rows where there is none."""
    columns = ["guarantee", "scale_factor", "calibration", "records", "claimed"]
    empty = pd.DataFrame(columns=columns).astype({"claimed": bool, "records": int})
    return results.figures.get("audit", empty)


def _where(row: Any) -> str:
    """Return the grid point of a row, and what else tells it from others."""
    delta = None if pd.isna(row.delta) else row.delta
    return f"{place(row.epsilon, delta)}, {row.records} records"
