"""One survey in all formats has the same records, and the same design is proposed for it."""

from collections import Counter

import pytest
from conftest import proposed
from survey_files import FILES, LABELS, RECORDS

from ggexp.datasets.sniff import sniff

pytestmark = pytest.mark.slow

#: The formats that keep which levels exist, and their order.
WITH_LEVELS = {"SPSS", "Stata", "Parquet"}


@pytest.mark.parametrize("file_format", FILES)
def test_every_format_has_the_same_records(survey, file_format):
    folder, records = survey
    fields = sniff(folder / FILES[file_format])
    assert (fields.records, fields.names) == (RECORDS, [*records])
    found = dict(zip(fields.names, fields.columns, strict=True))
    expected = records.astype({"interviewed": str, "age": str, "income": str, "weight": str})
    for name, column in found.items():
        true = Counter(expected[name].astype(object).where(records[name].notna(), ""))
        texts = [text.removesuffix(".0") for text in column.texts.to_pylist()]
        assert Counter(dict(zip(texts, column.counts, strict=True))) == {
            text.removesuffix(".0"): number for text, number in true.items()
        }, name


@pytest.mark.parametrize("file_format", FILES)
def test_the_same_design_is_proposed_for_every_format(survey, file_format):
    folder, records = survey
    settings = proposed(folder / FILES[file_format], columns=[*LABELS, "age", "income"])
    columns = settings["records"]["columns"]
    for name, labels in LABELS.items():
        known = [*labels.values()] if file_format in WITH_LEVELS else records[name].dropna()
        assert {*columns[name]["levels"]} == {*known}, name
    numbers = [columns["age"], columns["income"]]
    assert numbers == [{"from": 0, "to": 100, "width": 50}, {"edges": [0, 2000, 20000]}]
    assert columns["interviewed"] == "unused"
    assert settings["records"]["missing"] == [""]
