"""Names and levels with control and bidirectional characters, in each format."""

from itertools import product

import pandas as pd
import pytest
from conftest import describe, examine
from survey_files import write

from ggexp.datasets.form import Form, Source
from ggexp.datasets.layout import TableDesign
from ggexp.datasets.reader import read_columns
from ggexp.datasets.tables import make_table

FORMATS = ["csv", "parquet", "xlsx", "sav", "dta", "xpt"]
#: The formats in which a name may have any character.
NAMED = ["csv", "parquet", "xlsx"]
#: An escape sequence, two ends of lines, an override, an isolate, two marks, a separator of lines.
CONTROLS = ["\x1b", "\n", "\x85", "\u202e", "\u2066", "\u200f", "\u061c", "\u2028"]
#: Joiners of Persian, Hindi and an emoji; an Arabic word, a soft hyphen, an accent of its own.
ORDINARY = ["می\u200cخواهم", "क्\u200dष", "👩\u200d⚕️", "العربية", "a\u00adb", "e\u0301"]


def table(value, name="level"):
    return pd.DataFrame({"sex": [*"fmfm"], name: [value, "x"] * 2, "n": [3.0, 4, 5, 6]})


def read(path):
    fields = read_columns(Source(path), Form())
    return dict(zip(fields.names, fields.columns, strict=True))


def escaped(text):
    return ascii(text)[1:-1]


@pytest.mark.parametrize(
    ("file_format", "control"),
    [*(("csv", control) for control in CONTROLS), *product(FORMATS[1:], CONTROLS[:4:3])],
    ids=ascii,
)
def test_they_are_refused_in_every_format(tmp_path, file_format, control):
    if (file_format, control) == ("xlsx", "\x1b"):
        pytest.skip("no Excel file contains it")
    path, level, name = tmp_path / f"t.{file_format}", f"a{control}b", f"le{control}vel"
    columns = read(write(table(level), path))
    assert [name for name, column in columns.items() if column.flaw] == ["level"]
    flaw = columns["level"].flaw
    assert control not in flaw
    assert escaped(level) in flaw
    if file_format in NAMED or (file_format in ("sav", "dta") and control == "\u202e"):
        with pytest.raises(ValueError, match="a name must not") as raised:
            read(write(table("y", name), path))
        assert control not in str(raised.value)
        assert str(path) in str(raised.value)
        assert escaped(name) in str(raised.value)


@pytest.mark.parametrize(
    ("file_format", "level"),
    [*(("csv", level) for level in ORDINARY), *product(FORMATS[1:], ORDINARY[:1])],
    ids=ascii,
)
def test_ordinary_text_of_any_script_is_allowed(tmp_path, file_format, level):
    column = read(write(table(level), tmp_path / f"t.{file_format}"))["level"]
    assert (column.texts.to_pylist(), column.flaw) == ([level, "x"], "")


@pytest.mark.parametrize("control", CONTROLS[:4:3], ids=ascii)
def test_a_column_with_them_is_refused_only_if_it_is_used(tmp_path, control):
    level = f"a{control}b"
    frame = pd.concat([table(level)] * 20, ignore_index=True)
    path = write(frame, tmp_path / "t.parquet")
    found = examine(path)
    assert [name for name, role in found.roles.items() if role.is_used] == ["sex", "n"]
    assert escaped(level) in found.left_out[0]
    assert level not in describe(path)
    write(table(level)[2:].reset_index(drop=True), path)
    counts = {"counts": str(path), "count": "n", "total": 11}
    assert make_table(counts | {"factors": {"sex": ["f", "m"]}}, "t").counts.tolist() == [5, 6]
    with pytest.raises(ValueError, match=r"t\.parquet: the column 'level'"):
        make_table(counts | {"factors": {"level": ["a", "x"]}}, "t")


def test_a_declared_level_has_none():
    assert TableDesign.read({"factors": {"sex": ORDINARY}}, "").factors["sex"] == ORDINARY
    for control in CONTROLS:
        for settings in ({"factors": {"sex": [f"a{control}b"]}}, {"wide": f"a{control}b"}):
            with pytest.raises(ValueError, match="must be text without control"):
                TableDesign.read({"factors": {}} | settings, "")
