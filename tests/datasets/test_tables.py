"""The two published tables, and the messages about broken ones."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from ggexp.datasets.tables import ContingencyTable, make_table

FACTORS = {"sex": ["f", "m"], "smoke": ["y", "n"]}


def read(path: Path, factors: dict[str, list[str]] = FACTORS, total: int = 7) -> ContingencyTable:
    return make_table({"counts": str(path), "factors": factors, "total": total}, "t")


GOOD = "sex,smoke,count\nf,y,1\nm,y,2\nf,n,0\nm,n,4\n"


@pytest.mark.parametrize(
    ("name", "levels", "total", "non_empty", "largest"),
    [("mildew", ["1", "2"], 70, 22, 16), ("czech", ["y", "n"], 1841, 63, 145)],
)
def test_published_tables(
    name: str, levels: list[str], total: int, non_empty: int, largest: int
) -> None:
    path = ROOT / f"data/{name}.csv"
    factors = dict.fromkeys(path.read_text().splitlines()[0].split(",")[:-1], levels)
    table = read(path, factors, total)
    assert table.factors == factors
    assert (table.counts.size, table.counts.dtype) == (64, np.int64)
    assert (table.counts > 0).sum() == non_empty
    assert table.counts.max() == largest
    # the first factor varies fastest
    first, *_, last = (table.labels[name].tolist() for name in factors)
    assert first[:4] == levels * 2
    assert last == [levels[0]] * 32 + [levels[1]] * 32


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no records"),
        (GOOD.replace("sex", "gender"), "line 1: the header has no 'sex'; it has 'gender'"),
        (GOOD.replace("m,y,2\n", ""), "3 cells, but the factors' levels have 4 combinations"),
        (GOOD.replace("m,y,2", "m,y"), "line 3: 3 fields expected.* got 2"),
        (GOOD.replace("m,y,2", "m,y,2,5"), "line 3: 3 fields expected.* got 4"),
        (GOOD.replace("m,y,2", "m,y,"), "line 3: count .*whole .*got ''"),
        (GOOD.replace("m,y,2", "m,y,-2"), "line 3: count .*negative .*'-2'"),
        (GOOD.replace("m,y,2", "m,y,2.5"), "line 3: count .*whole .*'2.5'"),
        (GOOD.replace("m,y,2", "m,y,٢"), "line 3: count .*whole .*'٢'"),
        (GOOD.replace("m,y,2", "m,y,nan"), "line 3: count .*whole .*'nan'"),
        (GOOD.replace("m,y,2", "m,x,2"), "line 3: smoke .* y, n, got 'x'"),
        (GOOD.replace("m,y,2", "f,y,2"), "line 3: .*second .* f,y"),
        (GOOD.replace("m,y,2", "m,y,3"), "sum to 8, .* 7"),
        (GOOD.replace("m,y,2", 'm,"y,2'), "line 5: unexpected end of data"),
    ],
)
def test_a_broken_table(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(GOOD)
    assert read(path).counts.tolist() == [1, 2, 0, 4]
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_the_example_of_hair_and_eyes_is_snees():
    """Snee's printed table of hair and eye colours of 592 students."""
    table = pd.read_csv(ROOT / "examples/hair-eye.csv")
    printed = table.pivot_table("Freq", "Hair", "Eye", aggfunc="sum", sort=False)
    assert printed.to_dict("split") == {
        "index": ["Black", "Brown", "Red", "Blond"],
        "columns": ["Brown", "Blue", "Hazel", "Green"],
        "data": [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]],
    }
    assert table["Freq"].sum() == 592
