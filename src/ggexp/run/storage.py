"""Reading and writing of results: a rename makes each file appear complete or not at all."""

import csv
import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder, whose file replaces ``path`` on success.

    Raises OSError with the path if it cannot be written.
    """
    path = Path(path)
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        _remove_leftovers(path)
        yield temporary
        _flush(temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files for this path that killed processes left behind."""
    leftover = re.compile(rf"\.\d+\.{re.escape(path.name)}")
    for name in filter(leftover.fullmatch, os.listdir(path.parent)):
        path.with_name(name).unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Wait until the file is on the disk; some file systems report a full disk only then."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_parquet(columns: Mapping[str, Any], path: str | Path) -> None:
    """Write columns (name -> array or list, all with the same length) as a Parquet file.

    A column that contains only nulls gets the type of numbers, so that the column has the same type
    in all files of a kind.
    """
    write_row_groups([columns], path)


def write_row_groups(groups: Iterable[Mapping[str, Any]], path: str | Path) -> None:
    """Write groups of rows as one Parquet file, with only one group in memory at a time.

    groups: one or more groups; each consists of columns as for `write_parquet`, and all have the
    same column names and types.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with replacing(path) as temporary, ExitStack() as stack:
        writer = None
        for columns in groups:
            table = pa.table({name: _arrow(values) for name, values in columns.items()})
            if writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(temporary, table.schema))
            writer.write_table(table)


def _arrow(values: Any) -> Any:
    """Return a column as an Arrow array.

    Numpy arrays of numbers or text are converted here, directly from their memory. pyarrow's own
    conversion imports pandas to check for pandas objects, and the import takes as long as all other
    work of most jobs.
    """
    import numpy as np
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
    if kind == "O" and all(value is None for value in values):
        return pa.nulls(len(values), pa.float64())
    array = pa.array(values)
    return array.cast(pa.float64()) if pa.types.is_null(array.type) else array


def write_csv(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write a data frame as CSV with ten significant digits and no index.

    Further digits would differ between processors, because their logarithms differ in the last
    bits.
    """
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.10g", lineterminator="\n")


def write_arrays(arrays: Mapping[str, Any], paths: Iterable[str | Path]) -> None:
    """Write arrays in numpy's format; the array with the name a is written to the path …/a.npy."""
    import numpy as np
    from numpy.lib import format as npy

    for path in map(Path, paths):
        array = np.ascontiguousarray(arrays[path.stem])
        with replacing(path) as temporary, temporary.open("wb") as file:
            npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(array))
            file.write(array.data)  # np.save would hide the reason if this fails


def map_arrays(paths: Iterable[str | Path]) -> dict[str, Any]:
    """Return name -> read-only array, for the arrays that `write_arrays` wrote.

    The files are mapped into memory, so that all processes share one copy. If the file system does
    not support this, the files are read instead.

    Raises ValueError with the name of a file that is damaged.
    """
    import numpy as np

    arrays = {}
    for path in map(Path, paths):
        with reading(path):
            try:
                arrays[path.stem] = np.asarray(np.load(path, mmap_mode="r"))
            except OSError as error:
                if error.errno not in (errno.ENODEV, errno.EINVAL, errno.ENOSYS):
                    raise
                arrays[path.stem] = array = np.load(path)
                array.flags.writeable = False
    return arrays


def read_parquet(path: str | Path) -> "pd.DataFrame":
    """Return the data frame in a file that `write_parquet` wrote.

    Raises ValueError with the file's name if it is damaged.
    """
    import pandas as pd

    with reading(path):
        return pd.read_parquet(path)


def read_counts(path: str | Path) -> Any:
    """Return the counts of a stored histogram, as an int64 array with one element per cell."""
    import numpy as np
    from pyarrow import parquet

    with reading(path), parquet.ParquetFile(path) as file:
        # to_numpy would import pandas
        return np.from_dlpack(file.read(["count"])["count"].combine_chunks())


def read_tally(path: str | Path) -> dict[str, int]:
    """Return quantity -> number of a stored tally, without importing pandas."""
    with reading(path), Path(path).open(encoding="utf-8", newline="") as file:
        return {row["quantity"]: int(row["count"]) for row in csv.DictReader(file)}


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Turn errors in reading a damaged file into a ValueError with its path and a remedy."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (ValueError, TypeError, OSError, EOFError) as error:  # all occur for truncated files
        raise ValueError(
            f"{path} is damaged ({error}). Delete it and run again: the run recreates it."
        ) from error
