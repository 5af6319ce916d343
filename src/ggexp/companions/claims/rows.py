"""The test of a claim by expressions of columns, at each row of a figure's table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ggexp.claims.evidence import Comparison, Comparisons, Results, budget_of, claim_test, place


@claim_test
def at_each_row(
    results: Results,
    *,
    figure: int | str,
    what: str,
    rows: str,
    values: Sequence[str],
    at_most: float | None = None,
    at_least: float = 0.0,
    case: str = "",
) -> Comparisons:
    """Test whether the largest of some values is within a bound, at each row of a figure.

    rows, values: expressions of columns, as in `pandas.DataFrame.query` and `eval`. at_most: None
    if the bound is ``at_least``. what, case: the statement, and what is named after ε and δ, with
    columns in braces.
    """
    table = results.figure(figure).query(rows, engine="python")
    columns: Any = [table.eval(value, engine="python") for value in values]
    largest = np.max(columns, axis=0)
    differences = largest - at_least if at_most is None else at_most - largest
    records: Any = table.to_dict("records")
    for row, difference in zip(records, differences.tolist(), strict=True):
        where = place(budget_of(row)) + case.format(**row)
        yield Comparison(what.format(**row), where, difference)
