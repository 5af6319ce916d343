"""Histograms of records that list all of their cells, including empty ones."""

import numpy as np
import pandas as pd
import pytest

from ggexp.datasets import records
from ggexp.datasets.records import make_histogram

SETTINGS = {
    "header": True,
    "columns": {"age": {"from": 0, "to": 90, "width": 30}, "sex": {"levels": ["f", "m", "x"]}},
}


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "people.csv").write_text("age,sex\n5,m\n31,f\n40,f\n89,m\n7,m\n")
    return {"file": str(tmp_path / "people.csv"), **SETTINGS}


def test_every_combination_of_bins_and_levels_is_a_cell(settings):
    listed = make_histogram(settings, dataset="own", seed=1, lists_empty=True)
    unlisted = make_histogram(settings, dataset="own", seed=1)
    assert [*listed.table.cells] == [*unlisted.table.cells] == ["age", "sex", "count"]
    expected = [
        *([15, "f", 0], [15, "m", 2], [15, "x", 0], [45, "f", 2], [45, "m", 0], [45, "x", 0]),
        *([75, "f", 0], [75, "m", 1], [75, "x", 0]),
    ]
    assert listed.table.cells.to_numpy().tolist() == expected
    assert listed.table.cells["count"].dtype == np.int64
    non_empty = listed.table.cells[listed.table.cells["count"] > 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(non_empty, unlisted.table.cells, check_dtype=False)
    assert listed.tally == unlisted.tally == unlisted.tally | {"bins": 9, "cells": 3, "kept": 5}


def test_a_refusal_of_too_many_cells_names_other_kinds(settings, monkeypatch):
    monkeypatch.setattr(records, "MAX_LISTED_CELLS", 9)
    assert len(make_histogram(settings, dataset="own", seed=1, lists_empty=True).table.cells) == 9
    monkeypatch.setattr(records, "MAX_LISTED_CELLS", 8)
    with pytest.raises(ValueError, match=r"own\.release\.kind: all .* have 9.*threshold or stab"):
        make_histogram(settings, dataset="own", seed=1, lists_empty=True)
