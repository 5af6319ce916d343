"""Any file leads to a message or to a configuration that can be run, within bounded memory.

GGEXP_CASES sets how many cases of each property are tried; docs/reliability.md records larger runs.
"""

import gzip
import os
import tempfile
from functools import partial
from pathlib import Path

import pandas as pd
import yaml
from conftest import PAPER, describe, peak_memory, save
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table
from ggexp.experiment import configuration

MEMORY = 300 * 1024  # kB, allowed increase of the peak

FIELD = st.one_of(
    st.sampled_from(["", "NA", "?", "a", "b", "yes", "no", "1", "2", "-9", "1,5", '"', "'x'", "é"]),
    st.integers(-(10**6), 10**20).map(str),
    st.floats().map(repr),
    st.text(max_size=8),
)
NAME = st.sampled_from(
    ["id", "count", "Freq", "age", "a b", "x.y", "", "Ä", "yes", "1", "#", "a: b"]
)


@st.composite
def delimited(draw):
    width = draw(st.integers(1, 4))
    column = st.lists(FIELD, min_size=1, max_size=3)
    pools = [draw(column) for _ in range(width)]
    rows = [
        [draw(st.sampled_from(pool)) for pool in pools] for _ in range(draw(st.integers(0, 12)))
    ]
    if draw(st.booleans()):
        rows.insert(0, [draw(NAME) for _ in range(width)])
    if draw(st.integers(0, 4)) == 0 and rows:
        rows[draw(st.integers(0, len(rows) - 1))].append("more")
    separator = draw(st.sampled_from([",", ";", "\t", "|"]))
    quoted = draw(st.booleans())

    def written(field):
        return '"' + field.replace('"', '""') + '"' if quoted else field

    text = "".join(separator.join(map(written, row)) + "\n" for row in rows)
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]))
    return text.encode(encoding, errors="replace")


@st.composite
def broken(draw, content):
    changed = bytearray(content)
    for _ in range(draw(st.integers(0, 5))):
        if changed:
            changed[draw(st.integers(0, len(changed) - 1))] = draw(st.integers(0, 255))
    return bytes(changed[: draw(st.integers(0, len(changed)))])


RECORDS = {"a": ["x", "y", None] * 5, "b": range(15), "c": [1.5, None, 2.5] * 5}
FILES = st.one_of(
    st.tuples(st.just("my file.csv"), delimited()),
    st.tuples(st.just("x.txt"), st.binary(max_size=200)),
    st.tuples(st.just("x.gz"), delimited().map(partial(gzip.compress, mtime=0)).flatmap(broken)),
    st.tuples(st.sampled_from(["x.zip", "x.xz", "x.bz2", "x.zst"]), st.binary(max_size=60)),
    st.tuples(st.just("x.parquet"), broken(pd.DataFrame(RECORDS).to_parquet())),
)


@settings(
    max_examples=int(os.environ.get("GGEXP_CASES", "40")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(FILES, st.sampled_from([None, "age", "column-1", "yes"]))
def test_describe_gives_a_message_or_a_configuration_that_runs(file, target):
    name, content = file
    before = peak_memory()
    with tempfile.TemporaryDirectory() as folder:
        path = save(Path(folder, name), content)
        try:
            printed = describe(path, target)
        except ValueError as error:
            assert str(path) in str(error)
            assert len(str(error)) < 5000
            assert peak_memory() - before < MEMORY
            return
        changes = configuration.merged(PAPER, yaml.safe_load(printed))
        config = configuration.check(changes).written()
        (dataset,) = config["datasets"]
        data_set = config["histograms"][dataset]
        if "counts" in data_set:
            assert make_table(data_set, f"histograms.{dataset}").absent == 0
        else:
            target = data_set.get("classifier", {}).get("target")
            histogram = make_histogram(
                data_set["records"], dataset=dataset, seed=1, target=target, lists_empty=True
            )
            assert histogram.table.cells["count"].sum() == histogram.tally["training"]
            assert len(histogram.table.cells) == histogram.tally["bins"]
    assert peak_memory() - before < MEMORY
