"""What a full run found, from the small copy in tests/data/full_run/."""

from pathlib import Path

import pandas as pd
import pytest

from ggexp.claims.evidence import Results

COPY = Path(__file__).parents[1] / "data/full_run"


@pytest.fixture(scope="session")
def full_run() -> Results:
    tables = {path.stem: pd.read_csv(path) for path in COPY.glob("*.csv")}
    return Results(
        summary=tables["summary"],
        scales=tables["scales"],
        baseline=tables["baseline"],
        tallies={"adult": tables["adult_tally"]},
        figures={number: tables[f"figure_{number:02}"] for number in (2, 3, 4, 5)},
        seed=20260101,
    )
