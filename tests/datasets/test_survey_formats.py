"""For one survey in all formats, the same design is proposed."""

import pytest
import yaml
from conftest import describe
from survey_files import FILES, LABELS, write_survey

#: The formats that keep which levels exist, and their order.
WITH_LEVELS = {"SPSS", "Stata", "Parquet"}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    return folder, write_survey(folder)


@pytest.mark.slow
@pytest.mark.parametrize("file_format", FILES)
def test_the_same_design_is_proposed_for_every_format(written, file_format):
    folder, records = written
    printed = describe(folder / FILES[file_format], columns=[*LABELS, "age", "income"])
    (settings,) = yaml.safe_load(printed)["histograms"].values()
    columns = settings["records"]["columns"]
    for name, labels in LABELS.items():
        known = [*labels.values()] if file_format in WITH_LEVELS else records[name].dropna()
        assert {*columns[name]["levels"]} == {*known}, name
    numbers = [columns["age"], columns["income"]]
    assert numbers == [{"from": 0, "to": 100, "width": 50}, {"edges": [0, 2000, 20000]}]
    assert columns["interviewed"] == "unused"
    assert settings["records"]["missing"] == [""]
