"""CSV files are read with declared types, even if names in them look like numbers."""

from pathlib import Path

import pandas as pd
import pytest

from ggexp.run.columns import read_csv
from ggexp.run.storage import read_parquet, write_csv, write_parquet

#: Names that a configuration allows, but that pandas would read as numbers, missing or true.
NAMES = ["NA", "2019", "007", "1.0", "1e5", "null", "nan", "None", "True", "inf"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_names_come_back_as_they_were_written(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"table.{form}"
    table = {"dataset": NAMES, "mechanism": NAMES[::-1], "mean": [0.5] * len(NAMES)}
    if form == "csv":
        write_csv(pd.DataFrame(table), path)
    else:
        write_parquet(table, path)
    read = read_csv(path) if form == "csv" else read_parquet(path)
    assert read.to_dict("list") == table
    for name in NAMES:  # also alone, if no other value in the column shows that it is text
        write_csv(pd.DataFrame({"dataset": [name], "epsilon": [1]}), path)
        if form == "csv":
            assert read_csv(path).to_dict("list") == {"dataset": [name], "epsilon": [1.0]}


def test_each_type_comes_back_with_its_missing_values(tmp_path: Path) -> None:
    table = {
        "metric": ["l1", "kl"],
        "other": ["NA", None],
        "delta": [None, 0.05],
        "mean": [float("inf"), 1.0],
        "repeats": [None, 500],
        "count": [2**53 + 1, 0],
        "clear": [True, False],
    }
    write_csv(pd.DataFrame(table).astype({"repeats": float}), tmp_path / "typed.csv")
    read = read_csv(tmp_path / "typed.csv")
    pd.testing.assert_frame_equal(
        read, pd.DataFrame(table), check_dtype=False, check_column_type=False
    )
    kinds = {name: read[name].dtype.kind for name in ("delta", "mean", "repeats", "count", "clear")}
    assert kinds == {"delta": "f", "mean": "f", "repeats": "f", "count": "i", "clear": "b"}
    assert read_text("metric,mean\n", tmp_path).dtypes.equals(read[["metric", "mean"]].dtypes)


def read_text(text: str, folder: Path) -> pd.DataFrame:
    (folder / "table.csv").write_text(text)
    return read_csv(folder / "table.csv")


@pytest.mark.parametrize(
    "content",
    [
        "",
        'dataset,mean\nmildew,2\nmildew,"2',
        "dataset,mean\nmildew,NA\n",
        "dataset,metric\nmildew,l1\nmil",
        "dataset,clear\nmildew,1.5\n",
        "dataset,count\nmildew,1.5\n",
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: str) -> None:
    with pytest.raises(ValueError, match=r"table\.csv is damaged"):
        read_text(content, tmp_path)


def test_an_undeclared_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"table\.csv: .* novelty"):
        read_text("dataset,novelty\nmildew,1\n", tmp_path)
