"""Files in various formats: separators, quotes, encodings, compression, Parquet, column order."""

import gzip
import io
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from ggexp.datasets import reader, text
from ggexp.datasets.form import Form
from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table

COLUMNS = {"Age at entry": {"from": 0, "to": 100, "width": 20}, "Eye.Colour": "categorical"}
PEOPLE = pd.DataFrame(
    {
        "Eye.Colour": ["brown", "blue", "blue, grey", "brown", ""],
        "note": ["x", "", "y", "z", "w"],
        "Age at entry": [39.5, 20.0, 60.0, 39.25, 50.0],
    }
)
CELLS = [(30.0, "brown", 2), (30.0, "blue", 1), (70.0, "blue, grey", 1)]


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("people.csv", content)
    return buffer.getvalue()


def cells(folder: Path, name: str, content: bytes | None = None, **changes: object) -> object:
    """The sorted cells of these people, read from a file with this name."""
    if content is not None:
        (folder / name).write_bytes(content)
    settings = {"columns": COLUMNS, "header": True, "missing": ["NA", ""], **changes}
    histogram = make_histogram({"file": str(folder / name), **settings}, dataset="people", seed=1)
    return sorted(histogram.cells.itertuples(index=False, name=None))


def test_parquet(tmp_path):
    PEOPLE.assign(**{"Eye.Colour": PEOPLE["Eye.Colour"].replace("", None)}).to_parquet(
        tmp_path / "people.parquet"
    )
    assert cells(tmp_path, "people.parquet") == sorted(CELLS)
    undeclared = cells(tmp_path, "people.parquet", header=None)
    assert undeclared == sorted(CELLS)  # Parquet needs no setting
    with pytest.raises(ValueError, match=r"header: must be true, because Parquet"):
        cells(tmp_path, "people.parquet", header=False)


def test_a_cp1252_file_needs_an_encoding_setting(tmp_path):
    content = PEOPLE.replace("brown", "grün").to_csv(index=False).encode("cp1252")
    with pytest.raises(ValueError, match=r"p\.csv, line 2: not text in UTF-8"):
        cells(tmp_path, "p.csv", content)
    assert (30.0, "grün", 2) in cells(tmp_path, "p.csv", content, encoding="cp1252")


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst", "zip", "parquet"])
@pytest.mark.parametrize(
    "content",
    [b"", b"a,b\n", b"PAR1PAR1", gzip.compress(b"a" * 99)[:20]],
    # the output of gzip contains the time and would change the ids
    ids=["nothing", "text", "ends of Parquet", "gzip cut off"],
)
def test_content_that_contradicts_the_name(tmp_path, ending, content):
    with pytest.raises(ValueError, match=rf"p\.{ending}"):
        cells(tmp_path, f"p.{ending}", content)


def test_a_small_file_with_a_large_content_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "MAX_LINE_LENGTH", 1000)
    bomb = b"0" * 100_000
    for name, content in [
        ("p.gz", gzip.compress(bomb)),
        ("p.zst", pa.compress(bomb, "zstd", asbytes=True)),
        ("p.zip", zipped(bomb)),
    ]:
        with pytest.raises(ValueError, match="line 1: more than 1,000 characters"):
            cells(tmp_path, name, content)
    monkeypatch.setattr(reader, "MAX_RECORDS", 4)
    PEOPLE.to_parquet(tmp_path / "people.parquet")
    compressed = gzip.compress(PEOPLE.to_csv(index=False).encode())
    for name, content in [("people.parquet", None), ("p.gz", compressed)]:
        with pytest.raises(ValueError, match="at most 4 records"):
            cells(tmp_path, name, content)


def test_a_zip_holds_one_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("a.csv", "a\n1\n")
        archive.writestr("b.csv", "a\n1\n")
    with pytest.raises(ValueError, match="must contain one file, but contains 2"):
        cells(tmp_path, "p.zip")


def test_a_first_line_unlike_all_others_needs_a_setting(tmp_path):
    """Here the names differ from those of the configuration, and every column is text."""
    lines = ["COLOUR,WORK", *(f"{'gb'[i % 2]},{'or'[i % 3 > 0]}" for i in range(12))]
    content = "\n".join(lines).encode()
    eyes = {"eye": "categorical", "work": "categorical"}
    with pytest.raises(ValueError, match=r"people\.records\.header: true "):
        cells(tmp_path, "p.csv", content, columns=eyes, header=None)
    result = cells(tmp_path, "p.csv", content, columns=eyes, header=False)
    assert ("COLOUR", "WORK", 1) in result


@pytest.mark.parametrize("mark", ["", ";;", "\n", "\0"])
def test_marks_that_no_file_has(mark):
    with pytest.raises(ValueError, match=r"r\.separator: must be one character"):
        Form.from_config({"separator": mark}, "r")
    with pytest.raises(ValueError, match=r"r\.quote: .*separator"):
        Form.from_config({"separator": "'", "quote": "'"}, "r")


TABLE = {"factors": {"Hair": ["dark", "fair"], "Eye.2": ["b", "g"]}, "count": "Freq", "total": 9}


def table(folder: Path, content: str, **changes: object) -> object:
    path = folder / "table.csv"
    path.write_text(content)
    found = make_table({"counts": str(path), **TABLE, **changes}, "histograms.t")
    return [*found.labels.assign(count=found.counts).itertuples(index=False, name=None)]


def test_a_table_with_reordered_columns_and_without_empty_cells(tmp_path):
    content = "Freq;Eye.2;Hair\n4;g;fair\n5;b;dark\n"
    assert table(tmp_path, content, separator=";", omitted="zero") == [
        ("dark", "b", 5),
        ("dark", "g", 0),
        ("fair", "b", 0),
        ("fair", "g", 4),
    ]
    with pytest.raises(ValueError, match=r"4 combinations; .* omitted: zero"):
        table(tmp_path, content, separator=";")


def test_a_table_with_too_many_cells(tmp_path):
    levels = [str(i) for i in range(1001)]
    with pytest.raises(ValueError, match="1,002,001 combinations, at most 1,000,000"):
        table(tmp_path, "a,b,Freq\n0,0,1\n", factors={"a": levels, "b": levels}, omitted="zero")


def test_a_count_with_thousands_of_digits(tmp_path):
    with pytest.raises(ValueError, match=r"line 2: Freq .*at most 9007199254740992"):
        table(tmp_path, f"Hair,Eye.2,Freq\ndark,b,{'9' * 5000}\n")
