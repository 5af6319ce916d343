"""Labels of survey files, and tables in workbooks as people have them."""

import re
import zipfile
from collections import Counter
from datetime import datetime

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from conftest import ROOT, examine, proposed, save
from survey_files import FILES, RECORDS, write
from survey_files import LABELS as SURVEY_LABELS

from ggexp.datasets import labelled
from ggexp.datasets.form import Form
from ggexp.datasets.records import make_histogram
from ggexp.datasets.sniff import sniff
from ggexp.datasets.tables import make_table
from ggexp.proposal.guess import CountOptions, guess_table

ANSWERS = pd.DataFrame(
    {
        "scale": [1.0, 4, 7, 2] * 10,
        "school": [4.0, 1, 2, 1] * 10,
        "sex": [1.0, 2, 9, 2] * 10,
        "other": [1.0, 8, 9, np.nan] * 10,
    }
)
LABELS = {
    "scale": {1: "never", 7: "always"},
    "school": {1: "none", 2: "primary", 3: "secondary", 4: "university"},
    "sex": {1: "male", 2: "female", 9: "no answer"},
    "other": {1: "a", 8: "other", 9: "other"},
}


@pytest.mark.parametrize("name", ["s.sav", "s.zsav", "s.dta"])
def test_labels_keep_their_order_and_their_codes(tmp_path, name):
    path, options = tmp_path / name, {"variable_value_labels": LABELS}
    if name.endswith("dta"):
        pyreadstat.write_dta(ANSWERS, path, **options)
    else:
        options |= {"missing_ranges": {"sex": [9]}, "compress": name == "s.zsav"}
        pyreadstat.write_sav(ANSWERS, path, **options)
    fields = sniff(path)
    found = dict(zip(fields.names, fields.columns, strict=True))
    assert found["scale"].levels is None
    assert found["scale"].texts.to_pylist() == ["1", "4", "7", "2"]
    assert found["school"].levels == ("none", "primary", "secondary", "university")
    assert found["other"].levels == ("a", "other (8)", "other (9)")
    assert found["other"].records_with([""]).sum() == 10
    sex = ("male", "female") + ("no answer",) * name.endswith("dta")
    assert found["sex"].levels == sex
    columns = proposed(path, columns=["school", "scale"])["records"]["columns"]
    assert columns["school"]["levels"] == [*LABELS["school"].values()]


@pytest.mark.slow
@pytest.mark.parametrize("file_format", FILES)
def test_every_format_has_the_same_records(survey, file_format):
    folder, records = survey
    fields = sniff(folder / FILES[file_format])
    assert (fields.records, fields.names) == (RECORDS, [*records])
    expected = records.astype({"interviewed": str, "age": str, "income": str, "weight": str})
    for column in fields.columns:
        true = Counter(expected[column.name].astype(object).where(records[column.name].notna(), ""))
        texts = [text.removesuffix(".0") for text in column.texts.to_pylist()]
        assert Counter(dict(zip(texts, column.counts, strict=True))) == {
            text.removesuffix(".0"): number for text, number in true.items()
        }, column.name


@pytest.mark.slow
@pytest.mark.parametrize("file_format", FILES)
def test_the_same_design_is_proposed_for_every_format(survey, file_format):
    """SPSS, Stata and Parquet files keep which levels exist, and their order."""
    folder, records = survey
    settings = proposed(folder / FILES[file_format], columns=[*SURVEY_LABELS, "age", "income"])
    columns = settings["records"]["columns"]
    for name, labels in SURVEY_LABELS.items():
        has_levels = file_format in ("SPSS", "Stata", "Parquet")
        known = [*labels.values()] if has_levels else records[name].dropna()
        assert {*columns[name]["levels"]} == {*known}, name
    numbers = [columns["age"], columns["income"]]
    assert numbers == [{"from": 0, "to": 100, "width": 50}, {"edges": [0, 2000, 20000]}]
    assert columns["interviewed"] == "unused"
    assert settings["records"]["missing"] == [""]


@pytest.mark.parametrize(
    ("values", "labels", "texts", "levels"),
    [
        ("RDRD", {"R": "Right", "D": "Down"}, ["Right", "Down"], ("Down", "Right")),
        ("RDDR", {"R": "Right", "D": "Down", "X": "None"}, ["Right", "Down"], 3),
        (["R", "", "D", ""], {"R": "Right", "D": "Down"}, ["Right", "", "Down"], 2),
        ("RDXR", {"R": "Right", "D": "Down", "X": "None"}, ["Right", "Down", ""], 2),
        ("RDER", {"R": "Right", "D": "Down"}, ["R", "D", "E"], None),
        ([1.0, 2, -9, 99], {1: "m", 2: "f"}, ["m", "f", "-9", "99"], ("-9", "m", "f", "99")),
        ([1.0, 2, 8, -9], {1: "m", 2: "f"}, ["1", "2", "8", "-9"], None),
        ([1.0, 2, 7, 1], {1: "m", 2: "f", 9: "no answer"}, ["1", "2", "7"], None),
    ],
)
def test_labels_of_texts_and_codes_without_labels(tmp_path, values, labels, texts, levels):
    """A text variable may have labels; X is declared missing. Codes are beyond the labels."""
    frame = pd.DataFrame({"v": [*values] * 5})
    missing = {"v": ["X"]} if "X" in values else None
    options = {"variable_value_labels": {"v": labels}, "missing_ranges": missing}
    pyreadstat.write_sav(frame, tmp_path / "s.sav", **options)
    (column,) = sniff(tmp_path / "s.sav").columns
    assert column.texts.to_pylist() == texts
    assert (len(column.levels) if isinstance(levels, int) else column.levels) == levels


DAYS = [datetime(2024, 1, 1), datetime(2024, 1, 31), None]
TIMES = [datetime(2024, 1, 1, 12, 30), datetime(2024, 1, 31), None]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx", "t.sav", "t.dta", "t.xpt"])
def test_a_date_without_a_time_of_day_has_none_in_any_format(tmp_path, name):
    frame = pd.DataFrame({"day": DAYS, "time": TIMES, "plain": DAYS, "n": [1.0, 2, 3]})
    frame["plain"] = frame["plain"].dt.date.astype(object).where(frame["plain"].notna(), None)
    fields = sniff(write(frame, tmp_path / name))
    day, time, plain, _ = (column.texts.to_pylist() for column in fields.columns)
    assert day == plain == ["2024-01-01", "2024-01-31", ""]
    assert time[0] == "2024-01-01 12:30:00"


def test_a_small_survey_file_with_very_many_values_is_refused(tmp_path, monkeypatch):
    frame = pd.DataFrame({"a": np.ones(3000), "b": np.ones(3000)})
    pyreadstat.write_sav(frame, tmp_path / "s.zsav", compress=True)
    monkeypatch.setattr(labelled, "MAX_BYTES", 8 * 6000)
    assert (tmp_path / "s.zsav").stat().st_size < 8 * 5998
    assert sniff(tmp_path / "s.zsav").records == 3000
    monkeypatch.setattr(labelled, "MAX_BYTES", 8 * 5998)
    with pytest.raises(ValueError, match=r"s\.zsav: at most 5,998 values"):
        sniff(tmp_path / "s.zsav")


def test_dictionaries_categories_and_nanoseconds(tmp_path):
    tables = [pa.table({"a": pa.array(part).dictionary_encode()}) for part in (["y", "x"], ["z"])]
    with pq.ParquetWriter(tmp_path / "t.parquet", tables[0].schema) as writer:
        for table in tables:
            writer.write_table(table)
    (column,) = sniff(tmp_path / "t.parquet").columns
    assert (column.levels, column.counts.tolist()) == (("y", "x", "z"), [1, 1, 1])
    pyreadstat.write_xport(ANSWERS, tmp_path / "s.xpt", file_format_version=5)
    assert [len(column) for column in sniff(tmp_path / "s.xpt").columns] == [40] * 4
    ordered = pd.Categorical(["low", "high"], categories=["low", "never", "high"], ordered=True)
    table = pd.DataFrame({"level": ordered, "count": [3, 4]})
    table.to_parquet(tmp_path / "t.parquet")
    found = guess_table(sniff(tmp_path / "t.parquet")).table
    assert found.factors == {"level": ["low", "never", "high"]}
    assert found.counts.tolist() == [3, 0, 4]
    times = pd.Timestamp("2024-01-01") + pd.to_timedelta([5, 24 * 3600 * 10**9], "ns")
    pd.DataFrame({"t": times}).to_parquet(tmp_path / "t.parquet")
    (column,) = sniff(tmp_path / "t.parquet").columns
    assert column.texts.to_pylist() == ["2024-01-01 00:00:00.000000005", "2024-01-02"]


NESTED = {
    "list": pa.array([["a", "b"], ["a"], None] * 30),
    "struct": pa.array([{"a": 1}, {"a": 2}, None] * 30),
    "map": pa.array([[("a", 1)], [], None] * 30, pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("kind", NESTED)
def test_nested_columns_cannot_be_used(tmp_path, kind):
    path, sex = tmp_path / "t.parquet", [*"ffm"] * 30
    pq.write_table(pa.table({"sex": sex, "all": NESTED[kind], "region": [*"NS"] * 45}), path)
    columns = proposed(path)["records"]["columns"]
    levels = {"sex": {"levels": ["f", "m"]}, "region": {"levels": ["N", "S"]}}
    assert columns == levels | {"all": "unused"}
    assert kind in examine(path).roles["all"].note
    settings = {"file": str(path), "header": True, "columns": levels}
    assert make_histogram(settings, dataset="t", seed=1).tally["kept"] == 90
    for used in (levels | {"all": "categorical"}, {"all": {"levels": ["a"]}}):
        with pytest.raises(ValueError, match=rf"t\.parquet: the column 'all' .*{kind}"):
            make_histogram(settings | {"columns": used}, dataset="t", seed=1)


@pytest.mark.parametrize("name", ["s.sav", "s.sas7bdat", "t.xlsx", "t.xls"])
def test_another_content_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match=rf"{name}: not a valid "):
        sniff(save(tmp_path / name, "sex,count\nf,3\n"))


def workbook(path, merged, **sheets):
    """A workbook with these rows in its sheets; ranges of the last sheet are merged."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    for part in merged:
        sheet.merge_cells(part)
    book.save(path)
    return path


CROSS = [["Region", "yes", "no"], ["North", 3, 4], ["South", 5, 6]]
TABLE = [
    ["People in 2020", None, None],
    [None, None, None],
    ["Region", "Sex", "Count"],
    ["North", "f", 3],
    [None, "m", 4.0],
    ["South", "f", 5],
    [None, "m", 6],
    ["Total", None, 18],
    [],
    ["Source: the census"],
]
MERGED = ["A1:C1", "A4:A5", "A6:A7", "A8:B8"]


def test_a_table_with_a_title_merged_labels_and_totals(tmp_path):
    path = workbook(tmp_path / "t.xlsx", MERGED, Empty=[], Table=TABLE)
    fields = sniff(path)
    assert fields.names == ["Region", "Sex", "Count"]
    assert [fields.line(record) for record in range(5)] == [4, 5, 6, 7, 8]
    assert len(fields.notes) == 3
    settings = proposed(path)
    assert settings["sheet"] == "Table"
    table = make_table(settings, "t")
    assert table.factors == {"Region": ["North", "South"], "Sex": ["f", "m"]}
    assert table.labels["Sex"].tolist() == [*"fmfm"]
    assert table.counts.tolist() == [3, 4, 5, 6]
    book = openpyxl.load_workbook(path)
    book["Table"].row_dimensions[5].hidden = True
    book.save(path)
    assert "row 5" in sniff(path).notes[-1]
    only = sniff(workbook(tmp_path / "u.xlsx", [], Table=TABLE[2:4]))
    assert (only.notes, only.form.sheet) == ([], None)
    with pytest.raises(ValueError, match=r"v\.xlsx: no records below the names"):
        sniff(workbook(tmp_path / "v.xlsx", [], Table=[["a", "b"]]))


@pytest.mark.parametrize("value", ["<v/>", "<v></v>", ""])
def test_a_formula_whose_value_is_not_stored_is_refused(tmp_path, value):
    """It would be read as an empty cell, which is a missing answer."""
    path = workbook(tmp_path / "t.xlsx", [], Table=[["a", "b"], ["x", "y"], ["=A2", "z"], [1, 2]])
    with zipfile.ZipFile(path) as written:
        members = {name: written.read(name).decode() for name in written.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    start, formula = '<c r="A3">', "<f>A2</f>"
    assert f"{start}{formula}<v />" in members[sheet]  # as openpyxl writes it

    def store(cell):
        with zipfile.ZipFile(path, "w") as changed:
            for name, text in members.items():
                changed.writestr(name, text.replace(f"{start}{formula}<v />", cell))

    store(f"{start}{formula}{value}")
    with pytest.raises(ValueError, match=r"t\.xlsx.* A3 "):
        sniff(path)
    for cell, stored, read in (start, "<v>7</v>", "7"), ('<c r="A3" t="str">', "<v></v>", ""):
        store(f"{cell}{formula}{stored}")
        assert sniff(path).columns[0].text_of(1) == read


def test_old_workbooks_with_merged_and_hidden_cells_and_sheets(tmp_path):
    content = (ROOT / "tests/data/hidden.xls").read_bytes()
    path = save(tmp_path / "t.xls", content)
    fields = sniff(path)
    texts = [[column.text_of(record) for column in fields.columns] for record in range(4)]
    assert texts == [
        ["North", "f", "113", "2020-01-02", "False"],
        ["North", "m", "87", "2020-01-03", "True"],
        ["South", "f", "45", "2020-01-02", "False"],
        ["South", "m", "12", "2020-01-03", "True"],
    ]
    assert [fields.line(record) for record in range(4)] == [4, 5, 6, 7]
    assert "row 5, column B" in fields.notes[-1]
    # the record of a sheet: its number, its length, its position, and whether it is hidden
    record = re.search(rb"\x85\0.\0....(?=\0\0)", content, re.DOTALL).end()
    with pytest.raises(ValueError, match="no records in its visible sheets"):
        sniff(save(path, content[:record] + b"\x01" + content[record + 1 :]))


def test_a_hidden_sheet_is_read_only_by_name(tmp_path):
    path = workbook(tmp_path / "t.xlsx", [], Codes=CROSS, Table=TABLE)
    book = openpyxl.load_workbook(path)
    for state in ("hidden", "veryHidden"):
        book["Codes"].sheet_state = state
        book.save(path)
        assert sniff(path).form.sheet == "Table"
        assert sniff(path, Form(sheet="Codes")).names == CROSS[0]
    book["Table"].delete_rows(1, 20)
    book.save(path)
    with pytest.raises(ValueError, match=r"visible sheets; the sheets are 'Codes', 'Table'"):
        sniff(path)


def test_a_merged_count_is_not_counted_twice(tmp_path):
    path = workbook(tmp_path / "t.xlsx", ["C4:C5"], Table=TABLE[:5])
    assert sniff(path).columns[2].texts.to_pylist() == ["3", ""]
    with pytest.raises(ValueError, match=r"line 5: Count .* got ''"):
        guess_table(sniff(path))


def test_sheets_are_chosen_by_name(tmp_path):
    path = workbook(tmp_path / "t.xlsx", [], Table=TABLE, Cross=CROSS)
    options = CountOptions(wide="column", sheet="Cross")
    assert make_table(proposed(path, count_options=options), "t").counts.tolist() == [3, 4, 5, 6]
    with pytest.raises(ValueError, match=r"no sheet 'Other'; .*'Table', 'Cross'"):
        sniff(path, Form(sheet="Other"))
    with pytest.raises(ValueError, match="only Excel workbooks have sheets"):
        sniff(save(tmp_path / "t.csv", "a,b\n1,2\n"), Form(sheet="Table"))
    with pytest.raises(ValueError, match=r"line 1: 'yes' is the merged name of 2 columns"):
        sniff(workbook(tmp_path / "m.xlsx", ["B1:C1"], Table=CROSS))
