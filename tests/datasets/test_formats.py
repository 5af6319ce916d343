"""Files in various formats: separators, quotes, encodings, compression, Parquet, column order."""

import bz2
import gzip
import lzma
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import save
from test_fetch import zipped

from ggexp.datasets import form, reader
from ggexp.datasets.form import Source
from ggexp.datasets.records import make_histogram
from ggexp.datasets.sniff import sniff

COLUMNS = {"Age at entry": {"from": 0, "to": 100, "width": 20}, "Eye.Colour": "categorical"}
PEOPLE = pd.DataFrame(
    {
        "Eye.Colour": ["brown", "blue", "blue, grey", "brown", ""],
        "note": ["x", "", "y", "z", "w"],
        "Age at entry": [39.5, 20.0, 60.0, 39.25, 50.0],
    }
)


def cells(path, **changes):
    settings = {"columns": COLUMNS, "header": True, "missing": ["NA", ""], **changes}
    histogram = make_histogram({"file": str(path), **settings}, dataset="people", seed=1)
    return sorted(histogram.table.cells.itertuples(index=False, name=None))


def test_a_cp1252_file_needs_an_encoding_setting(tmp_path):
    text = PEOPLE.replace("brown", "grün").to_csv(index=False)
    path = save(tmp_path / "p.csv", text.encode("cp1252"))
    with pytest.raises(ValueError, match=r"p\.csv, line 2: not text in UTF-8"):
        cells(path)
    assert (30.0, "grün", 2) in cells(path, encoding="cp1252")


@pytest.mark.parametrize("ending", ["bz2", "zst", "zip", "parquet"])
@pytest.mark.parametrize(
    "content",
    [b"", b"a,b\n", b"PAR1PAR1", gzip.compress(b"a" * 99)[:20]],
    # the output of gzip contains the time and would change the ids
    ids=["nothing", "text", "ends of Parquet", "gzip cut off"],
)
def test_content_that_contradicts_the_name(tmp_path, ending, content):
    with pytest.raises(ValueError, match=rf"p\.{ending}"):
        cells(save(tmp_path / f"p.{ending}", content))


def test_a_small_file_with_a_large_content_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(form, "MAX_LINE_LENGTH", 1000)
    bomb = b"0" * 100_000
    for name, content in [
        ("p.gz", gzip.compress(bomb)),
        ("p.zst", pa.compress(bomb, "zstd", asbytes=True)),
        ("p.zip", zipped({"people.csv": bomb})),
    ]:
        with pytest.raises(ValueError, match="line 1: more than 1,000 characters"):
            cells(save(tmp_path / name, content))
    monkeypatch.setattr(reader, "MAX_RECORDS", 4)
    compressed = gzip.compress(PEOPLE.to_csv(index=False).encode())
    for name, content in [("p.parquet", PEOPLE.to_parquet()), ("p.gz", compressed)]:
        with pytest.raises(ValueError, match="at most 4 records"):
            cells(save(tmp_path / name, content))


REPEATED = b"region,sex,age\n" + b"North,f,3\n" * 4_000
COMPRESSED = {
    "p.gz": gzip.compress(REPEATED),
    "p.bz2": bz2.compress(REPEATED),
    "p.xz": lzma.compress(REPEATED),
    "p.zst": pa.compress(REPEATED, "zstd", asbytes=True),
    "p.zip": zipped({"people.csv": REPEATED}),
}


@pytest.mark.parametrize("name", COMPRESSED)
def test_a_small_file_of_many_lines_has_a_limit(tmp_path, monkeypatch, name):
    path = save(tmp_path / name, COMPRESSED[name])
    monkeypatch.setattr(form, "MAX_DECOMPRESSED_BYTES", len(REPEATED))
    assert sniff(path).records == 4_000
    monkeypatch.setattr(form, "MAX_DECOMPRESSED_BYTES", len(REPEATED) - 1)
    for read in (sniff, partial(cells, columns={"sex": "categorical"})):
        with pytest.raises(ValueError, match=rf"{name}: at most {len(REPEATED) - 1:,} bytes"):
            read(path)
    assert sniff(save(tmp_path / "p.csv", REPEATED)).records == 4_000


@pytest.mark.parametrize("name", ["p.gz", "p.zip", "p.csv"])
def test_progress_moves_by_the_bytes_of_the_file(tmp_path, monkeypatch, name):
    rng = np.random.default_rng(4)
    lines = "".join(f"{number}\n" for number in rng.integers(0, 10**9, 100_000)).encode()
    pack = {"p.gz": gzip.compress, "p.zip": lambda text: zipped({"n": text}), "p.csv": bytes}
    path = save(tmp_path / name, pack[name](lines))
    steps = []
    monkeypatch.setattr(form, "BLOCK_BYTES", 1 << 16)
    monkeypatch.setattr("tqdm.tqdm.update", lambda _, size: steps.append(size))
    with Source(path).decompressed() as stream:
        assert b"".join(iter(lambda: stream.read(form.BLOCK_BYTES), b"")) == lines
    size = path.stat().st_size
    assert 0.9 * size < sum(steps) < 1.1 * size
    assert max(steps) < size / 2


def test_a_zip_holds_one_file(tmp_path):
    path = save(tmp_path / "p.zip", zipped({"a.csv": "a\n1\n", "b.csv": "a\n1\n"}))
    with pytest.raises(ValueError, match="must contain one file, but contains 2"):
        cells(path)
