"""Configurations and data that are too large, malformed or malicious are refused or harmless.

GGEXP_CASES is the number of cases for each property; docs/reliability.md reports larger numbers.
"""

import os
from copy import deepcopy
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from conftest import PAPER, layout_of, peak_memory, save
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggexp.datasets.records import read_histogram
from ggexp.datasets.tables import make_table
from ggexp.experiment import configuration
from ggexp.experiment.design import grid

CASES = settings(
    max_examples=int(os.environ.get("GGEXP_CASES", "40")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def nested(depth, value, times=1):
    """Return lists in lists, each of which repeats the next one."""
    for _ in range(depth):
        value = [value] * times
    return value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"repeats": 10**9}, "1000000, got 1000000000"),
        ({"epsilon": [0.5 + i / 1e6 for i in range(10**6)]}, "100,000 values"),
        ({"epsilon": [0.5 + i / 1e6 for i in range(2000)]}, "104,000 grid points"),
        ({"epsilon": nested(10_000, [])}, "20 levels"),
        ({"epsilon": nested(9, "lol", times=10)}, "100,000 values"),  # 10^9 values
        ({"epsilon": [-1.0 - i for i in range(1000)]}, "and 980 more"),
        ({"epsilon": ["9" * 10**6]}, "epsilon[0]: "),
        ({"results_dir": "results/../../up"}, "results_dir"),
        ({"results_dir": "results\n"}, "results_dir"),
        ({"mechanisms": {"up\n": {"order": 1, "calibration": "pure"}}}, "(a name): "),
        ({"download": {"files": {"../up": {}}}}, "download.files"),
    ],
)
def test_configuration_is_refused(change, message):
    before = peak_memory()
    with pytest.raises(ValueError, match=r"the configuration|the design") as error:
        configuration.check(PAPER | change)
    assert message in str(error.value)
    assert len(str(error.value)) < 20_000
    assert peak_memory() - before < 200_000  # kB


LAYOUT = layout_of(
    {"columns": {"age": {"from": 0, "to": 100, "bins": 10}, "work": "categorical"}}, "people"
)


def read_people(path):
    return read_histogram(path, LAYOUT, dataset="people", seed=1)


def read_small_table(path):
    factors = {"sex": ["f", "m"], "work": ["office", "road"]}
    return make_table({"counts": str(path), "factors": factors, "total": 10}, "people")


def test_an_endless_file_is_refused():
    with pytest.raises(ValueError, match="/dev/zero: must be a regular file"):
        read_people(Path("/dev/zero"))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["laplace", "pdp", "adult", "../x", "a\n", "=1+1", "1e-5"]),
    lambda part: (
        st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=10), part, max_size=4)
    ),
    max_leaves=10,
)


def key_paths(value, path=()):
    """Yield the paths of all values in a configuration: their keys and positions in lists."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from key_paths(part, (*path, key))


@CASES
@given(st.lists(st.tuples(st.sampled_from([*key_paths(PAPER)]), VALUES), min_size=1, max_size=3))
def test_a_changed_configuration_is_refused_or_makes_a_design(changes):
    config = deepcopy(PAPER)
    for path, value in changes:
        part = config
        try:
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = value
        except (TypeError, KeyError, IndexError):  # an earlier change removed this path
            continue
    try:
        config = configuration.check(config)
        design = grid(config)
        for data in config.data.values():
            if data.records:
                assert data.records.attributes
    except ValueError as error:
        assert len(str(error)) < 20_000
    else:
        for points in design.values():
            for path in (noisy.point.path for noisy in points):
                assert ".." not in path
                assert path.count("/") == 2


def read_or_refused(folder, content, read):
    path = save(folder / "people.csv", content)
    try:
        return read(path)
    except ValueError as error:
        assert str(path) in str(error)
        assert len(str(error)) < 1000


LINES = st.lists(
    st.lists(
        st.sampled_from(["50", "0", "100", "office", "-1", "nan", "1e999", "", "=1+1", "?", '"'])
        | st.text(max_size=8),
        max_size=4,
    ).map(",".join),
    max_size=8,
).map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass"))


@CASES
@given(st.one_of(st.binary(max_size=200), LINES))
def test_records_are_refused_or_counted(tmp_path_factory, content):
    if histogram := read_or_refused(tmp_path_factory.getbasetemp(), content, read_people):
        assert histogram.table.cells["count"].sum() == histogram.tally["kept"] > 0
        assert np.isfinite(histogram.table.cells["age"]).all()
        assert not histogram.table.cells.isna().any(axis=None)


CELLS = st.permutations(["f,office", "f,road", "m,office", "m,road"])
COUNTS = st.sampled_from(["0", "1", "5", "10", "-1", "1.5", "٣", "9" * 30, ""])
ROWS = st.tuples(CELLS, st.lists(COUNTS, min_size=4, max_size=4)).map(
    lambda rows: "\n".join(["sex,work,count", *map(",".join, zip(*rows, strict=True))]).encode()
)


@CASES
@given(st.one_of(st.binary(max_size=200), LINES, ROWS))
def test_a_table_is_refused_or_read(tmp_path_factory, content):
    if table := read_or_refused(tmp_path_factory.getbasetemp(), content, read_small_table):
        assert table.counts.sum() == 10
        assert (table.counts >= 0).all()
        cells = product("fm", ("office", "road"))
        assert {*table.labels.itertuples(index=False, name=None)} == {*cells}
