"""Reading and writing of results.

A rename makes each file appear complete or not at all. A hidden file beside each result contains
its checksum, so that nothing is computed from a result that was damaged or replaced.
"""

import csv
import errno
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from math import prod
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import ArrayLike, NDArray

from ggexp.run.job import out_of_memory

if TYPE_CHECKING:
    import pandas as pd

#: The columns of a table, by their names.
Columns = Mapping[str, ArrayLike]
#: The folder of copies of files that are in a storage (docs/cluster.md). They have no checksums,
#: because Snakemake replaces a copy, but leaves the checksum of the old one.
COPIES = Path(".snakemake/storage")
#: Bytes of the largest result that `check_results` reads. Jobs check each result that they read.
MAX_BYTES = 100_000_000


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder, whose file replaces ``path`` on success."""
    path = Path(path)
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        # files of processes that were killed
        leftover = re.compile(rf"\.\d+\.{re.escape(path.name)}")
        for name in filter(leftover.fullmatch, os.listdir(path.parent)):
            path.with_name(name).unlink(missing_ok=True)
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())  # some file systems report a full disk only then
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: str | Path) -> None:
    """Write a text, such as a page."""
    with writing(path) as temporary:
        temporary.write_text(text, "utf-8")


def write_json(value: Any, path: str | Path) -> None:
    """Write a value as JSON, with one entry per line."""
    write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", path)


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """Do the same as `replacing`, and store the checksum of the new file beside it."""
    with replacing(path) as temporary:
        yield temporary
        if not Path(path).is_relative_to(COPIES):
            # first, because Snakemake has removed the old file: a killed job leaves no wrong one
            _checksum_file(Path(path)).write_text(checksum(temporary), "utf-8")


def checksum(path: str | Path) -> str:
    """Return a checksum of a file, as fast as memory is read: 128 bits of XXH3."""
    import xxhash

    with open(path, "rb") as file:
        return hashlib.file_digest(file, xxhash.xxh3_128).hexdigest()


def _checksum_file(path: Path) -> Path:
    return path.with_name(f".{path.name}.checksum")


def _recorded(path: Path) -> str | None:
    """Return the checksum beside a result, None if there is none."""
    with suppress(FileNotFoundError):
        return _checksum_file(path).read_text("utf-8", "replace")
    return None


def check_results(folder: Path) -> list[str]:
    """Return the results in a folder that cannot be checked, because no checksum is recorded.

    The results of other runs, in folders with logs of their own, are left out.
    Raises ValueError with the results that are not what their jobs wrote.
    """
    changed, unknown = [], []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not Path(parent, name, "logs").is_dir()]
        for path in (Path(parent, name) for name in names):
            if _checksum_file(path).name in names:
                if path.stat().st_size <= MAX_BYTES and _recorded(path) != checksum(path):
                    changed.append(f"{path}")
            elif path.suffix in (".parquet", ".npy"):  # only jobs write such files
                unknown.append(f"{path}")
    if changed:
        raise ValueError(
            "these results are damaged or replaced: their content is not what their jobs wrote. "
            "Delete them and run again: the run recreates them.\n  " + "\n  ".join(sorted(changed))
        )
    return sorted(unknown)


def check_writable(paths: Iterable[str]) -> None:
    """Raise OSError with the folder if files could not be written to an existing folder."""
    for folder in sorted({Path(path).parent for path in paths}):
        if folder.is_dir():
            try:
                TemporaryFile(dir=folder).close()
            except OSError as error:
                raise OSError(f"{folder}: no file can be written ({error.strerror})") from error


def sha256(path: str | Path) -> str:
    """Return the sha256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_sha256(path: str | Path, expected: str, remedy: str) -> None:
    """Raise ValueError, with the remedy, if a file has another sha256."""
    if (actual := sha256(path)) != expected:
        raise ValueError(f"{path}: its sha256 is {actual}, expected {expected}. {remedy}.")


@contextmanager
def unchanged(path: str | Path, expected: str) -> Iterator[None]:
    """Raise ValueError if a file changed since the run was planned, before or after it is read."""
    remedy = "The file has changed since the run was planned: run again"
    check_sha256(path, expected, remedy)
    yield
    check_sha256(path, expected, remedy)


def write_parquet(
    columns: Columns, path: str | Path, metadata: Mapping[str, str] | None = None
) -> None:
    """Write columns (name -> array or list) as a Parquet file, in which metadata are stored too.

    A column that contains only nulls gets the type of numbers, as in other files of its kind.
    """
    write_row_groups([columns], path, metadata)


def write_row_groups(
    groups: Iterable[Columns], path: str | Path, metadata: Mapping[str, str] | None = None
) -> None:
    """Write groups of rows, like those of `write_parquet`, one after the other as one file."""
    import pyarrow as pa
    from pyarrow import parquet

    with writing(path) as temporary, ExitStack() as stack:
        writer = None
        for columns in groups:
            table = pa.table({name: _arrow(values) for name, values in columns.items()})
            if writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(temporary, table.schema))
                writer.add_key_value_metadata(metadata or {})
            writer.write_table(table)


def _arrow(values: Any) -> Any:
    """Return a column as an Arrow array.

    Numpy arrays are converted here, because pyarrow's conversion imports pandas, which takes long.
    """
    import pyarrow as pa

    kind = values.dtype.kind if isinstance(values, np.ndarray) else None
    if kind in ("f", "i"):
        memory = pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, memory])
    if kind == "U":
        texts = [text.encode() for text in values]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
        return pa.StringArray.from_buffers(
            len(values), pa.py_buffer(ends), pa.py_buffer(b"".join(texts))
        )
    if kind == "O" and all(value is None or isinstance(value, float) for value in values):
        is_known = np.packbits([value is not None for value in values], bitorder="little")
        memory = [pa.py_buffer(is_known), pa.py_buffer(values.astype(float))]  # None as nan
        return pa.Array.from_buffers(pa.float64(), len(values), memory)
    array = pa.array(values.tolist() if kind else values)
    return array.cast(pa.float64()) if pa.types.is_null(array.type) else array


def write_csv(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write a data frame as `to_csv` does, with a checksum."""
    with writing(path) as temporary:
        to_csv(frame, temporary)


def write_table(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write a data frame as a CSV or Parquet file, in which missing values are nulls."""
    if Path(path).suffix == ".csv":
        return write_csv(frame, path)
    plain = frame.astype(object).where(frame.notna(), None)
    return write_parquet({str(name): list(plain[name]) for name in plain}, path)


def to_csv(frame: "pd.DataFrame", path: Path) -> None:
    """Write a data frame as CSV with ten significant digits and no index.

    Further digits would differ between processors, whose logarithms differ in the last bits.
    """
    frame.to_csv(path, index=False, float_format="%.10g", lineterminator="\n")


def write_arrays(arrays: Mapping[str, Iterable[NDArray[Any]]], paths: Iterable[str | Path]) -> None:
    """Write arrays in numpy's format, one after the other: those of the name a to …/a.npy."""
    for path in map(Path, paths):
        with writing(path) as temporary, temporary.open("wb") as file:
            for array in map(np.ascontiguousarray, arrays[path.stem]):
                npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(array))
                file.write(array.data)  # np.save would hide the reason if this fails


def map_arrays(paths: Iterable[str | Path]) -> dict[str, list[NDArray[Any]]]:
    """Return name -> read-only arrays, in memory that processes share if possible."""
    arrays = {}
    for path in map(Path, paths):
        with reading(path), path.open("rb") as file:
            arrays[path.stem] = [*_mapped(file)]
    return arrays


def _mapped(file: BufferedReader) -> Iterator[NDArray[Any]]:
    """Yield the arrays in a file, one after the other; there is at least one."""
    while True:
        npy.read_magic(file)
        shape, _, kind = npy.read_array_header_1_0(file)
        start = file.tell()
        try:
            array: NDArray[Any] = np.memmap(file, kind, "r", start, shape)
        except OSError as error:  # some file systems map no files
            if error.errno not in (errno.ENODEV, errno.EINVAL, errno.ENOSYS):
                raise
            file.seek(start)
            array = np.fromfile(file, kind, prod(shape)).reshape(shape)
            array.flags.writeable = False
        file.seek(start + array.nbytes)
        yield np.asarray(array)
        if not file.peek():
            return


def read_parquet(path: str | Path) -> "pd.DataFrame":
    """Return the data frame in a file that `write_parquet` wrote."""
    import pandas as pd

    with reading(path):
        return pd.read_parquet(path)


def read_counts(path: str | Path) -> NDArray[np.int64]:
    """Return the counts of a stored histogram, as an int64 array with one element per cell."""
    from pyarrow import parquet

    with reading(path), parquet.ParquetFile(path) as file:
        # to_numpy would import pandas
        counts = np.from_dlpack(file.read(["count"])["count"].combine_chunks())
        return np.asarray(counts, np.int64)


def read_columns(path: str | Path) -> dict[str, dict[str, object]]:
    """Return the levels or the bins of each column of a stored histogram, as in a configuration."""
    return dict(json.loads(stated(path, "columns")))


def stated(path: str | Path, key: str) -> str:
    """Return what `write_parquet` stored besides a table, the empty text if nothing is stored."""
    from pyarrow import parquet

    if not Path(path).exists():
        return ""
    with reading(path):
        return (parquet.read_metadata(path).metadata or {}).get(key.encode(), b"").decode()


def read_tally(path: str | Path) -> dict[str, int]:
    """Return quantity -> number of a stored tally, without importing pandas."""
    with reading(path), Path(path).open(encoding="utf-8", newline="") as file:
        return {row["quantity"]: int(row["count"]) for row in csv.DictReader(file)}


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Turn errors in reading a damaged file, or a wrong checksum, into a ValueError.

    A file without a checksum counts as right.
    """
    try:
        recorded = _recorded(Path(path))
        if recorded is not None and recorded != checksum(path):
            raise ValueError("its content is not what its job wrote")
        yield
    except FileNotFoundError:
        raise
    except (ValueError, TypeError, OSError, EOFError) as error:  # all occur for truncated files
        if out_of_memory(error):
            raise
        raise ValueError(
            f"{path} is damaged ({error}). Delete it and run again: the run recreates it."
        ) from error
