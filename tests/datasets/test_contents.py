"""The description of a histogram in words."""

import pandas as pd

from ggexp.datasets.layout import contents

CELLS = pd.DataFrame({"a": ["x", "x", "y"], "b": [1.0, 2.0, 3.0], "count": [5, 3, 2]})


def test_contents_of_records_and_of_counts():
    columns = {"a": "categorical", "b": {"edges": [0.5, 1.5, 2.5, 3.5]}, "c": "unused"}
    tally = {"records": 20, "complete": 17, "dropped": 2, "kept": 15, "training": 10, "test": 5}
    found = contents({"records": {"columns": columns}}, CELLS, tally | {"bins": 6 * 10**12})
    numbers = {name: text.split()[0] for name, text in found.items()}
    assert numbers == {
        "records, n": "10",
        "columns": "a",
        "cells": "6.0·10¹²,",
        "records per cell": "1.67e-12,",
        "records left out": "5",
        "test records": "5",
    }
    assert found["columns"] == "a (2 levels), b (3 bins)"
    factors = {"a": ["x", "y"], "b": ["1", "2", "3"]}
    found = contents({"factors": factors}, CELLS, {})
    assert found["columns"] == "a (2 levels), b (3 levels)"
    assert found["cells"].startswith("3, none")
    assert "records left out" not in found
