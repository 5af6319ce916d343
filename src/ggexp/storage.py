"""Writing results: every file appears whole, by rename, or not at all."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` to write to, which replaces ``path`` on success."""
    path = Path(path)
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_parquet(columns: Mapping[str, Any], path: str | Path) -> None:
    """Write columns (name -> array or list, all of one length) as a Parquet file.

    A column of nulls alone is one of numbers, so that files of one kind have one type.
    """
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(dict(columns))
    for i, field in enumerate(table.schema):
        if pa.types.is_null(field.type):
            table = table.set_column(i, field.name, table[i].cast(pa.float64()))
    with replacing(path) as temporary:
        parquet.write_table(table, temporary)


def write_csv(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write a data frame as CSV with ten significant digits and no index.

    More digits would not agree between processors, whose logarithms differ in their last bits.
    """
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.10g", lineterminator="\n")


def read_counts(path: str | Path) -> Any:
    """Return the counts of a stored histogram, an int64 array of its cells."""
    from pyarrow import parquet

    return parquet.read_table(path, columns=["count"])["count"].to_numpy()
