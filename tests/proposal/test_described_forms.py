"""Files in the forms in which public tables come: from R or spreadsheets, with missing values."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table
from ggexp.proposal.describe import describe


def described(path: Path, content: str | bytes, **options: object) -> tuple[str, dict[str, object]]:
    """The printed text, and the settings of its data set."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    printed = describe(path, **options)
    (settings,) = yaml.safe_load(printed)["histograms"].values()
    return printed, settings


def people(records: int = 60, **columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    table = {"bmi": rng.normal(25, 3, records).round(1), "sex": rng.choice(["f", "m"], records)}
    return pd.DataFrame(table | columns)


def columns_of(settings: dict[str, object]) -> dict[str, object]:
    return settings["records"]["columns"]  # type: ignore[index, no-any-return]


@pytest.mark.parametrize(
    "header", ['"","Eye","Sex","Freq"', "rownames,Eye,Sex,Freq"], ids=["write.csv", "named"]
)
def test_row_names_are_not_a_factor(tmp_path, header):
    rows = ["1,b,f,3", "2,b,m,4", "3,g,f,0", "4,g,m,5"]
    _, settings = described(tmp_path / "t.csv", "\n".join([header, *rows]))
    assert settings["factors"] == {"Eye": ["b", "g"], "Sex": ["f", "m"]}
    table = make_table(settings, "histograms.t")
    assert (table.labels["Eye"].tolist(), table.counts.tolist()) == ([*"bbgg"], [3, 4, 0, 5])


def test_numbers_are_a_factor_if_nothing_else_distinguishes_lines(tmp_path):
    _, settings = described(tmp_path / "t.csv", ",children,count\nx,0,3\ny,1,4\nz,2,4\n")
    assert settings["factors"] == {"children": ["0", "1", "2"]}


def test_numbers_as_write_csv2_writes_them(tmp_path):
    table = people(weight=range(60), dose=[0.125, 1.375] * 30)
    with_points, names = tmp_path / "points.csv", [*table]
    names.remove("weight")  # it looks like an identifier
    _, settings = described(with_points, table.to_csv(index=False), columns=names)
    written = table.to_csv(sep=";", decimal=",", index=False)
    printed, same_settings = described(tmp_path / "commas.csv", written, columns=names)
    assert 'decimal: ","' in printed
    assert columns_of(same_settings) == columns_of(settings)
    assert columns_of(same_settings)["dose"] == {"from": 0, "to": 2, "width": 1}
    cells, same_cells = (
        make_histogram(s["records"], dataset="own", seed=1).cells for s in (settings, same_settings)
    )
    pd.testing.assert_frame_equal(cells, same_cells)


def test_a_point_among_decimal_commas_is_refused(tmp_path):
    """The point may be a thousands mark."""
    table = people().to_csv(sep=";", decimal=",", index=False)
    _, settings = described(tmp_path / "t.csv", table)
    (tmp_path / "t.csv").write_text(table + "1.234;f\n")
    message = r"t\.csv, line 62: bmi .*comma, got '1\.234'"
    with pytest.raises(ValueError, match=message):
        make_histogram(settings["records"], dataset="own", seed=1)


def test_numbers_outside_their_bins_are_reported_in_the_notation_of_the_file(tmp_path):
    table = people().to_csv(sep=";", decimal=",", index=False)
    _, settings = described(tmp_path / "t.csv", table, columns=["bmi"])
    columns_of(settings)["bmi"] = {"edges": [17.5, 35.5]}
    (tmp_path / "t.csv").write_text(table + "99,25;f\n")
    message = r"t\.csv, line 62: bmi .* 17,5 to 35,5, got '99,25'"
    with pytest.raises(ValueError, match=message):
        make_histogram(settings["records"], dataset="own", seed=1)


@pytest.mark.parametrize(
    "write",
    [
        lambda number: f"{1000 * number:,.0f}",
        lambda number: f"{number} %",
        lambda number: f"${1000 * number:,.2f}",
        lambda number: f"{number:.1f}".replace(".", ","),
    ],
    ids=["thousands", "percent", "dollars", "comma beside a point"],
)
def test_numbers_with_symbols_are_left_out_with_advice(tmp_path, write):
    table = people()
    table["paid"] = [write(number) for number in table["bmi"]]
    printed, settings = described(tmp_path / "t.csv", table.to_csv(index=False))
    assert columns_of(settings)["paid"] == "unused"
    assert "#   paid: numbers with " in printed
    assert "decimal" not in settings["records"]


def test_blank_lines_that_a_spreadsheet_leaves_below_a_table(tmp_path):
    text = people().to_csv(sep=";", index=False) + ";\n" * 3 + "\n"
    printed, settings = described(tmp_path / "t.csv", ("\ufeff" + text).encode())
    assert "60 lines of records" in printed
    assert settings["records"].get("missing") is None
    assert make_histogram(settings["records"], dataset="own", seed=1).tally["records"] == 60


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found_despite_a_wrong_line(tmp_path, separator):
    table = people().to_csv(sep=separator, index=False)
    with pytest.raises(ValueError, match=r"line 2: 1 fields .* got 2; .*title"):
        described(tmp_path / "t.csv", f"# measured in 1976\n{table}")
    with pytest.raises(ValueError, match=r"line 62: 2 fields expected, .* but got 3"):
        described(tmp_path / "t.csv", f"{table}25;f;m\n".replace(";", separator))


def test_a_column_with_gaps_is_left_out_if_that_saves_the_most_records(tmp_path):
    """Not the column with the most missing values, because two lack values in the same records."""
    lacking = {"x0": range(25), "x1": range(25), "x2": range(25, 45)}
    table = pd.DataFrame(
        {name: [None if j in rows else j % 2 for j in range(60)] for name, rows in lacking.items()}
    )
    printed, settings = described(tmp_path / "t.csv", table.to_csv(index=False))
    assert [*columns_of(settings)] == ["x0", "x1"]
    assert make_histogram(settings["records"], dataset="own", seed=1).tally["kept"] == 35
    assert re.search("# 25 records .*missing.* 35 .*complete", printed)
    assert "        # x2: {levels: " in printed


@pytest.mark.parametrize(
    ("content", "is_reported"),
    [
        (",Brown,Blue\nBlack,32,11\nRed,10,10\nBlond,3,30\n", True),
        ("age,drinks,cases,controls\n<30,no,0,40\n<30,yes,1,60\n>30,no,4,9\n>30,yes,9,2\n", True),
        ("who,sex,age\nann,f,31\nbob,m,31\neve,f,50\nkim,f,20\ntom,m,45\nsue,f,50\n", False),
        ("sex,age\nf,31\nm,31\nf,50\nf,20\nm,45\nf,50\n", False),
    ],
    ids=["cross-table", "cases and controls", "people with names", "people"],
)
def test_lines_that_may_be_cells_are_reported(tmp_path, content, is_reported):
    printed, _ = described(tmp_path / "t.csv", content)
    assert ("use --wide" in printed) == is_reported


def test_a_measured_total_is_not_a_count(tmp_path):
    rng = np.random.default_rng(4)
    table = people(total=rng.integers(0, 99, 60), **{f"x{i}": rng.normal(size=60) for i in (1, 2)})
    printed, _ = described(tmp_path / "t.csv", table.to_csv(index=False))
    assert "60 lines of records" in printed
    assert re.search("# Check: .*record; 'total'", printed)
    assert "total: {from: 0, to: 100, width: 50}" in printed
