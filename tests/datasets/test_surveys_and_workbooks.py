"""Labels of survey files, and tables in workbooks as people have them."""

from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest
import yaml
from conftest import describe

from ggexp.datasets.form import Form
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
    options = {"missing_ranges": {"sex": [9]}, "compress": name == "s.zsav"}
    if name.endswith("dta"):
        pyreadstat.write_dta(ANSWERS, tmp_path / name, variable_value_labels=LABELS)
    else:
        pyreadstat.write_sav(ANSWERS, tmp_path / name, variable_value_labels=LABELS, **options)
    fields = sniff(tmp_path / name)
    found = dict(zip(fields.names, fields.columns, strict=True))
    assert found["scale"].levels is None
    assert found["scale"].texts.to_pylist() == ["1", "4", "7", "2"]
    assert found["school"].levels == ("none", "primary", "secondary", "university")
    assert found["other"].levels == ("a", "other (8)", "other (9)")
    assert found["other"].records_with([""]).sum() == 10
    sex = ("male", "female") + ("no answer",) * name.endswith("dta")
    assert found["sex"].levels == sex
    columns = yaml.safe_load(describe(tmp_path / name, columns=["school", "scale"]))
    (settings,) = columns["histograms"].values()
    assert settings["records"]["columns"]["school"]["levels"] == [*LABELS["school"].values()]


def test_sas_and_ordered_categories(tmp_path):
    pyreadstat.write_xport(ANSWERS, tmp_path / "s.xpt", file_format_version=5)
    assert [len(column) for column in sniff(tmp_path / "s.xpt").columns] == [40] * 4
    ordered = pd.Categorical(["low", "high"], categories=["low", "never", "high"], ordered=True)
    table = pd.DataFrame({"level": ordered, "count": [3, 4]})
    table.to_parquet(tmp_path / "t.parquet")
    found = guess_table(sniff(tmp_path / "t.parquet")).table
    assert found.factors == {"level": ["low", "never", "high"]}
    assert found.absent == 1


@pytest.mark.parametrize("name", ["s.sav", "s.sas7bdat", "t.xlsx", "t.xls"])
def test_another_content_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"sex,count\nf,3\n")
    with pytest.raises(ValueError, match=rf"{name}: not a valid "):
        sniff(tmp_path / name)


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
    (settings,) = yaml.safe_load(describe(path))["histograms"].values()
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


def test_an_old_workbook_with_merged_and_hidden_cells_and_dates():
    fields = sniff(Path(__file__).parents[1] / "data" / "hidden.xls")
    texts = [[column.text_of(record) for column in fields.columns] for record in range(4)]
    assert texts == [
        ["North", "f", "113", "2020-01-02 00:00:00", "False"],
        ["North", "m", "87", "2020-01-03 00:00:00", "True"],
        ["South", "f", "45", "2020-01-02 00:00:00", "False"],
        ["South", "m", "12", "2020-01-03 00:00:00", "True"],
    ]
    assert [fields.line(record) for record in range(4)] == [4, 5, 6, 7]
    assert "row 5, column B" in fields.notes[-1]


def test_a_merged_count_is_not_counted_twice(tmp_path):
    path = workbook(tmp_path / "t.xlsx", ["C4:C5"], Table=TABLE[:5])
    assert sniff(path).columns[2].texts.to_pylist() == ["3", ""]
    with pytest.raises(ValueError, match=r"line 5: Count .* got ''"):
        guess_table(sniff(path))


def test_sheets_are_chosen_by_name(tmp_path):
    cross = [["Region", "yes", "no"], ["North", 3, 4], ["South", 5, 6]]
    path = workbook(tmp_path / "t.xlsx", [], Table=TABLE, Cross=cross)
    options = CountOptions(wide=True, sheet="Cross")
    (settings,) = yaml.safe_load(describe(path, count_options=options))["histograms"].values()
    assert make_table(settings, "t").counts.tolist() == [3, 4, 5, 6]
    with pytest.raises(ValueError, match=r"no sheet 'Other'; .*'Table', 'Cross'"):
        sniff(path, Form(sheet="Other"))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="only Excel workbooks have sheets"):
        sniff(tmp_path / "t.csv", Form(sheet="Table"))
    merged = workbook(tmp_path / "m.xlsx", ["B1:C1"], Table=cross)
    with pytest.raises(ValueError, match=r"line 1: 'yes' is the merged name of 2 columns"):
        sniff(merged)
