"""The data file of a stored histogram, and its levels and bins, as its Parquet file states them."""

import json
from pathlib import Path

from ggexp.run.storage import reading, sha256


def read_sha256(path: str | Path) -> str:
    """Return the sha256 of the data file from which a stored histogram was made."""
    if not (stored := _stored(path, "sha256")):
        raise ValueError(f"{path}: it does not state the sha256 of its data file")
    return stored


def read_columns(path: str | Path) -> dict[str, dict[str, object]]:
    """Return the levels or the bins of each column of a stored histogram, as in a configuration."""
    return dict(json.loads(_stored(path, "columns")))


def check_source(histogram: str | Path, file: str, advice: str) -> None:
    """Raise ValueError, with advice, if a stored histogram was made from another data file.

    A file with the same content is no other file.
    """
    stored = _stored(histogram, "file")
    is_same = not stored or Path(stored).resolve() == Path(file).resolve()
    if not is_same and has_changed(histogram, file):
        folder = Path(histogram).parents[1]
        raise ValueError(
            f"{folder} has the results of {stored}; this run would replace them by the results of "
            f"{file}. {advice}"
        )


def has_changed(histogram: str | Path, file: str) -> bool:
    """Return whether a data file has another content than the one of a stored histogram."""
    return _stored(histogram, "sha256") not in ("", sha256(file))


def _stored(path: str | Path, key: str) -> str:
    """Return what `write_parquet` stored besides a table, the empty text if nothing is stored."""
    from pyarrow import parquet

    if not Path(path).exists():
        return ""
    with reading(path):
        return (parquet.read_metadata(path).metadata or {}).get(key.encode(), b"").decode()
