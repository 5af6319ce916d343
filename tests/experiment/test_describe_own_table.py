"""A user's own table: the facts that its data determine, and the errors of its margins."""

import numpy as np
import pandas as pd

from ggexp import GridPoint, Mechanism, NoisyPoint
from ggexp.datasets.table import Table
from ggexp.experiment.margins import measure_margins
from ggexp.experiment.own_table import describe_own_table
from ggexp.releases.simulate import Listed
from ggexp.releases.unlisted import Threshold

FACTORS = {"eyes": ["brown", "blue"], "hair": ["black", "blond"]}
TABLE = Table(FACTORS, np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), np.array([68, 20, 15, 5]))
POINTS = [
    NoisyPoint(
        GridPoint("own", name, 1, "pure", epsilon, None), Mechanism(1, "pure").noise(epsilon=1)
    )
    for name in ("laplace", "other")
    for epsilon in (0.5, 2.0)
]
RECOMMENDED = pd.DataFrame(
    [("l1", "laplace", 0.5), ("kl", "laplace", 2.0), ("l1", "other", 2.0), ("l1", "absent", 0.5)],
    columns=["metric", "mechanism", "epsilon"],
)
RUN = {"file": "own.csv", "seed": 3, "repeats": 4}


def test_margins_are_measured_where_a_mechanism_has_the_smallest_l1():
    kind = Listed(4, total="public")
    facts, margins = describe_own_table(TABLE, kind, POINTS, RECOMMENDED, {}, **RUN)
    assert [*zip(margins["mechanism"], margins["epsilon"], strict=True)] == [
        ("laplace", 0.5),
        ("other", 2.0),
    ]
    expected = measure_margins(TABLE, kind, [POINTS[0], POINTS[3]], seed=3, repeats=4)
    pd.testing.assert_frame_equal(margins, expected)
    assert facts.pop("contents")["records, n"] == "108"
    assert facts == {
        **{"cells": 4, "records": 108, "published": 108, "file": "own.csv", "is_rescaled": True}
    }


def test_published_records_are_those_of_the_tally_and_unlisted_cells_have_no_number():
    tally = {"records": 130, "complete": 125, "dropped": 5, "kept": 120, "test": 12}
    facts, _ = describe_own_table(TABLE, Threshold(9), [], RECOMMENDED, tally, **RUN)
    assert (facts["records"], facts["published"], facts["cells"]) == (108, 120, None)
    assert facts["is_rescaled"] is False


def test_too_many_cells_have_no_margins():
    factors = {f"x{i}": ["no", "yes"] for i in range(60)}
    table = Table(factors, np.zeros((60, 1), int), np.array([7]))
    _, margins = describe_own_table(table, Listed(1), POINTS, RECOMMENDED, {}, **RUN)
    assert margins.empty
