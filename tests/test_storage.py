"""Files appear whole or not at all."""

from pathlib import Path

import pandas as pd
import pytest

from ggexp.storage import read_counts, replacing, write_csv, write_parquet


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half of the ne")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_csv_has_ten_digits_and_empty_nulls(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write_csv(pd.DataFrame({"x": [2 / 3, 1e-20 / 3, 1.0], "delta": [0.05, None, None]}), path)
    assert path.read_bytes() == b"x,delta\n0.6666666667,0.05\n3.333333333e-21,\n1,\n"


def test_counts_come_back_as_integers(tmp_path: Path) -> None:
    path = tmp_path / "histogram.parquet"
    write_parquet({"sex": ["f", "m"], "count": [3, 0]}, path)
    counts = read_counts(path)
    assert counts.dtype == "int64"
    assert counts.tolist() == [3, 0]
