"""The columns of text are those of csv.reader, and errors name the line."""

import csv
import io
import re
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import ROOT, describe, layout_of, save
from hypothesis import given, settings
from hypothesis import strategies as st

from ggexp.datasets import columns, form, reader, sniff
from ggexp.datasets.columns import Column, count_distinct
from ggexp.datasets.form import Form, Source
from ggexp.datasets.reader import read_columns, read_rows
from ggexp.datasets.records import read_histogram

FORM = Form()
LAYOUT = layout_of(
    {"columns": {"age": {"from": 0, "to": 100, "bins": 10}, "work": "categorical"}, "header": True},
    "people",
)


def fields(rows):
    return [
        [column.texts.to_pylist()[code] for column, code in zip(rows.columns, codes, strict=True)]
        for codes in zip(*(column.codes for column in rows.columns), strict=True)
    ]


PLAIN = st.sampled_from(["a", "b", "é", " a ", "\u00a0b", "1.5", "", "a b"])
QUOTED = st.sampled_from(['"a"', '"a,b"', '" a"', '""'])
ODD = st.sampled_from([' "a"', '"a""b"', '"a\nb"', '"a\r\nb"', 'a"b', "a\rb"])


@pytest.mark.parametrize("kinds", [PLAIN, PLAIN | QUOTED, PLAIN | QUOTED | ODD])
@settings(max_examples=30)
@given(data=st.data(), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_columns_are_those_of_the_standard_library(tmp_path_factory, kinds, data, end):
    content = end.join(map(",".join, data.draw(st.lists(st.tuples(kinds, kinds), max_size=9))))
    source = Source(save(tmp_path_factory.getbasetemp() / "t.csv", content))
    try:
        text = io.StringIO(content, newline="")
        rows = csv.reader(text, skipinitialspace=True, strict=True)
        expected = [[*map(str.strip, row)] for row in rows if any(map(str.strip, row))]
        assert expected
        assert all(len(row) == len(expected[0]) for row in expected)
        assert not re.search("[\r\n]", "".join(expected[0]))  # a name has one line
    except (csv.Error, AssertionError):
        with pytest.raises(ValueError, match=r"t\.csv(, line \d+)?: "):
            read_columns(source, FORM)
        return
    found = read_columns(source, FORM)
    assert [found.names, *fields(found)] == expected
    lines = [line for line, _ in read_rows(source, FORM)]
    assert [found.line(row - 1) for row in range(len(lines))] == lines


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 1)), min_size=1))
def test_distinct_rows_are_counted(rows):
    columns = [Column.of(pa.array(map(str, column))) for column in zip(*rows, strict=True)]
    assert count_distinct(columns) == len({*rows})


def people(records):
    rng = np.random.default_rng(1)
    ages = rng.integers(0, 100, records).astype(str)
    return pd.DataFrame({"age": ages, "work": rng.choice(["office", "road"], records)})


WRITERS = {"t.csv": bytes, "t.csv.zst": lambda text: pa.compress(text, "zstd", asbytes=True)}
BAD_VALUE, BAD_LINES = "old,road\n", ["50,office,more\n", '50,"office\n', "50,off\0ice\n"]


@pytest.fixture
def small_parts(monkeypatch):
    """Data are read in smaller blocks of bytes and batches of records, so that a file has many."""
    for module in (form, sniff):
        monkeypatch.setattr(module, "BLOCK_BYTES", 1 << 14)
    for module in (columns, reader):
        monkeypatch.setattr(module, "BATCH", 1 << 10)


@pytest.mark.parametrize("records", [100, 8000])
@pytest.mark.parametrize(
    ("name", "end"), [("t.parquet", BAD_VALUE), *product(WRITERS, [BAD_VALUE, *BAD_LINES])]
)
@pytest.mark.usefixtures("small_parts")
def test_an_error_at_the_end_is_named_with_its_line(tmp_path, name, end, records):
    table, path = people(records), tmp_path / name
    if name in WRITERS:
        path.write_bytes(WRITERS[name]((table.to_csv(index=False) + end).encode()))
    else:
        pd.concat([table, pd.DataFrame({"age": ["old"], "work": ["road"]})]).to_parquet(path)
    message = ": age .*number, got 'old'" if end == BAD_VALUE else ": |not text"
    with pytest.raises(ValueError, match=rf"line {records + 2}{message}"):
        read_histogram(path, LAYOUT, dataset="people", seed=1)
    if end in BAD_LINES:
        with pytest.raises(ValueError, match=rf"line {records + 2}{message}"):
            describe(path)


def test_one_module_reads_data_files():
    """Another reader would read some files differently; options are lists that csv parses."""
    readers = re.compile(r"pyreadstat|ParquetFile|\bread_(csv|parquet|excel|table|dta|sav)\b")
    files = {
        f"{file.parent.name}/{file.name}"
        for room in ("datasets", "proposal", "command", "releases")
        for file in (ROOT / "src/ggexp" / room).glob("*.py")
        if readers.search(file.read_text("utf-8"))
    }
    assert files == {"datasets/labelled.py", "datasets/reader.py"}
