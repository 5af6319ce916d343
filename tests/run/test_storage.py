"""Files appear complete or not at all."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import save
from pyarrow import parquet

from ggexp.run import storage
from ggexp.run.files import read_csv


def test_a_write_leaves_no_temporary_files(tmp_path):
    def groups():
        yield {"x": [1]}
        raise RuntimeError

    path = save(tmp_path / "table.parquet", "old")
    with pytest.raises(RuntimeError):
        storage.write_row_groups(groups(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match=r"missing/table\.csv cannot be written: .*No such file"):
        storage.write_csv(pd.DataFrame({"x": [1]}), tmp_path / "missing/table.csv")
    path.unlink()
    path = tmp_path / "table.csv"
    others = [tmp_path / name for name in (".12.other.table.csv", ".x.table.csv", "12.table.csv")]
    for file in [tmp_path / ".4711.table.csv", *others]:
        file.write_text("half of the")
    with storage.replacing(path) as temporary:
        temporary.write_text("x")
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])


def test_digits_nulls_and_whole_numbers(tmp_path):
    path = tmp_path / "table.csv"
    table = pd.DataFrame({"x": [2 / 3, 1e-20 / 3, 1.0], "delta": [0.05, None, None]})
    storage.write_csv(table, path)
    assert path.read_bytes() == b"x,delta\n0.6666666667,0.05\n3.333333333e-21,\n1,\n"
    storage.write_parquet({"sex": ["f", "m"], "count": [3, 0]}, tmp_path / "histogram.parquet")
    counts = storage.read_counts(tmp_path / "histogram.parquet")
    assert (counts.dtype, counts.tolist()) == ("int64", [3, 0])
    tally = save(tmp_path / "tally.csv", "quantity,count\nbins,19440691200000\ncells,17964\n")
    assert storage.read_tally(tally) == {"bins": 19_440_691_200_000, "cells": 17_964}
    with pytest.raises(ValueError, match=r"tally\.csv is damaged"):
        storage.read_tally(save(tally, "quantity,count\nbins,1944069120.5\n"))


def test_a_change_of_any_byte_is_named(tmp_path):
    table, array = tmp_path / "epsilon-0.5.parquet", tmp_path / "kernel.npy"
    rng = np.random.default_rng(2)
    storage.write_parquet({"dataset": np.full(20, "mildew"), "l1": np.arange(20) / 3}, table)
    storage.write_arrays({"kernel": [rng.random(25_000)]}, [array])
    for path, read in (
        (table, storage.read_parquet),
        (array, lambda path: storage.map_arrays([path])),
    ):
        content = path.read_bytes()
        edges = [0, 127, 128, 2**16 - 1, 2**16, len(content) - 1]
        for position in {*edges, *rng.integers(len(content), size=100)} & {*range(len(content))}:
            changed = bytearray(content)
            changed[position] ^= 1
            path.write_bytes(changed)
            with pytest.raises(ValueError, match=rf"{path.name} is damaged .* Delete it"):
                read(path)
        for size in (len(content) // 2, 60, 0):
            path.write_bytes(content[:size])
            for _ in range(2):  # with a checksum, and without, as files of an earlier version
                with pytest.raises(ValueError, match=f"{path.name} is damaged"):
                    read(path)
                path.with_name(f".{path.name}.checksum").unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        storage.read_parquet(tmp_path / "none.parquet")


@pytest.mark.parametrize(("number", "expected"), [(errno.EIO, ValueError), (errno.ENOMEM, OSError)])
def test_a_file_for_which_memory_is_too_small_is_not_damaged(tmp_path, number, expected):
    with pytest.raises(expected), storage.reading(tmp_path / "kernel.npy"):
        raise OSError(number, os.strerror(number))


def exchanged(content, start, size):
    middle, end = start + size, start + 2 * size
    return content[:start] + content[middle:end] + content[start:middle] + content[end:]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: exchanged(content, 4800, 8), id="numbers"),
        pytest.param(lambda content: exchanged(content, 2**16, 2**16), id="64 KiB"),
        pytest.param(lambda content: content + bytes(8), id="longer"),
    ],
)
def test_the_order_of_the_content_counts(tmp_path, damage):
    path = tmp_path / "kernel.npy"
    storage.write_arrays({"kernel": [np.random.default_rng(3).normal(size=25_000)]}, [path])
    content = path.read_bytes()
    storage.map_arrays([path])
    assert storage.check_results(tmp_path) == []
    path.write_bytes(damage(content))
    assert path.read_bytes() != content
    with pytest.raises(ValueError, match=r"kernel\.npy is damaged .* Delete it"):
        storage.map_arrays([path])
    with pytest.raises(ValueError, match=r"kernel\.npy$"):
        storage.check_results(tmp_path)


def test_a_wrong_checksum_counts(tmp_path):
    path = tmp_path / "b.parquet"
    storage.write_parquet({"x": [2]}, path)
    for recorded in ("", "1c3ab45d", "0" * 32):
        path.with_name(".b.parquet.checksum").write_text(recorded)
        with pytest.raises(ValueError, match=r"b\.parquet$"):
            storage.check_results(tmp_path)


def test_results_that_their_jobs_did_not_write_are_listed(tmp_path):
    """Missing results and results of other runs are not listed."""
    names = ["a.csv", "deep/b.csv", "deep/right.csv", "other/c.csv", "gone.csv", "d.parquet"]
    for folder in ("deep", "other/logs", "logs"):
        (tmp_path / folder).mkdir(parents=True)
    for name in names[:-1]:
        storage.write_csv(pd.DataFrame({"x": [1]}), tmp_path / name)
    pd.DataFrame({"x": [1]}).to_parquet(tmp_path / "d.parquet")
    (tmp_path / "gone.csv").unlink()
    assert storage.check_results(tmp_path) == [f"{tmp_path}/d.parquet"]
    for name in ("a.csv", "deep/b.csv", "other/c.csv", "new.csv"):
        (tmp_path / name).write_text("x\n2\n")
    with pytest.raises(ValueError, match=r"(?s)a\.csv\n  .*b\.csv$") as raised:
        storage.check_results(tmp_path)
    assert "right.csv" not in str(raised.value)
    assert storage.check_results(tmp_path / "missing") == []


def test_a_folder_in_which_no_file_can_be_written_is_named(tmp_path, monkeypatch):
    """Root may write anywhere; therefore the error is raised by a replacement."""
    (tmp_path / "old").mkdir()
    storage.check_writable([f"{tmp_path}/old/a.csv", f"{tmp_path}/new/a.csv"])

    def refuse(dir):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("ggexp.run.storage.TemporaryFile", refuse)
    storage.check_writable([f"{tmp_path}/new/a.csv"])
    with pytest.raises(OSError, match=rf"{tmp_path}/old: .*Permission denied"):
        storage.check_writable([f"{tmp_path}/new/a.csv", f"{tmp_path}/old/a.csv"])


def test_data_that_change_while_a_job_reads_them_are_named(tmp_path):
    path = save(tmp_path / "table.csv", "1")
    expected = storage.sha256(path)
    with storage.unchanged(path, expected):
        path.read_text()
    for first, second in (("1", "2"), ("2", "1")):
        path.write_text(first)
        with pytest.raises(ValueError, match=r"table\.csv: "), storage.unchanged(path, expected):
            path.write_text(second)


ARRAYS = {
    "kernel": [np.arange(12, dtype=np.float32).reshape(3, 4), np.ones((1, 1), np.float32)],
    "columns": [np.asfortranarray(np.arange(6.0).reshape(2, 3))],
    "order": [np.array([2, 0, 1]), np.empty(0, np.int64), np.array([0])],
}


@pytest.mark.parametrize("can_be_mapped", [True, False])
def test_arrays_come_back(tmp_path, monkeypatch, can_be_mapped):
    paths = [tmp_path / f"{name}.npy" for name in ARRAYS]
    storage.write_arrays(ARRAYS, paths)

    def refuse(*_, **__):
        raise OSError(errno.ENODEV, "No such device")

    if not can_be_mapped:
        monkeypatch.setattr("mmap.mmap", refuse)
    arrays = storage.map_arrays(paths)
    assert list(arrays) == list(ARRAYS)
    for name, parts in arrays.items():
        for array, expected in zip(parts, ARRAYS[name], strict=True):
            np.testing.assert_array_equal(array, expected, strict=True)
            assert not array.flags.writeable
            assert isinstance(array.base, np.memmap) == can_be_mapped


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_an_array_on_a_full_disk_is_an_error(tmp_path, monkeypatch):
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda _, mode: opened(Path("/dev/full"), mode))
    with pytest.raises(OSError, match=r"kernel\.npy cannot be written: .*No space left"):
        storage.write_arrays(ARRAYS, [tmp_path / "kernel.npy"])
    assert list(tmp_path.iterdir()) == []


def test_columns_keep_their_values_and_types(tmp_path):
    nan, arrays = pytest.approx(np.nan, nan_ok=True), [[1.5], [], [2.0, 3.0]]
    columns = {  # as written, as read, and its type
        "text": (np.array(["ε", "", "long"]), ["ε", "", "long"], "string"),
        "number": (np.array([0.1, np.nan, -np.inf]), [0.1, nan, -np.inf], "double"),
        "strided": (np.arange(6)[::2], [0, 2, 4], "int64"),
        "none": (np.full(3, None), [None] * 3, "double"),
        "some": (np.array([None, 0.1, None], object), [None, 0.1, None], "double"),
        "list": ([1, None, 3], [1, None, 3], "int64"),
        "arrays": ([*map(np.array, arrays)], arrays, "list<element: double>"),
    }
    written = {name: values for name, (values, _, _) in columns.items()}
    storage.write_parquet(written, tmp_path / "columns.parquet")
    table = parquet.read_table(tmp_path / "columns.parquet")
    assert table.to_pydict() == {name: values for name, (_, values, _) in columns.items()}
    assert [*map(str, table.schema.types)] == [kind for _, _, kind in columns.values()]


def test_a_job_that_sanitizes_does_not_load_pandas(tmp_path):
    """pyarrow would import it, which takes as long as all other work of such a job."""
    storage.write_parquet({"count": np.arange(3)}, tmp_path / "histogram.parquet")
    program = f"""
import sys
from ggexp.releases.point import GridPoint
from ggexp.run.storage import read_counts, write_parquet

keys = GridPoint("mildew", "laplace", 1, "pure", 0.5, None).columns(3)
counts = read_counts({str(tmp_path / "histogram.parquet")!r})
write_parquet({{**keys, "l1": counts / 2}}, {str(tmp_path / "repeats.parquet")!r})
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_copies_of_stored_files_have_no_checksum(tmp_path, monkeypatch):
    """Snakemake replaces a copy, and would leave the checksum of the old one."""
    monkeypatch.chdir(tmp_path)
    copy, result = Path(".snakemake/storage/fs/results/a.csv"), Path("results/a.csv")
    for path in (copy, result):
        path.parent.mkdir(parents=True)
        storage.write_csv(pd.DataFrame({"x": [1]}), path)
        path.write_text("x\n2\n")
    assert read_csv(copy)["x"].tolist() == [2]
    with pytest.raises(ValueError, match="damaged"):
        read_csv(result)
