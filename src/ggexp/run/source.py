"""The data file of a stored histogram, as its Parquet file states it."""

from pathlib import Path

from ggexp.run.storage import sha256, stated


def check_source(histogram: str | Path, file: str, advice: str) -> None:
    """Raise ValueError, with advice, if a stored histogram was made from another data file.

    A file with the same content is no other file.
    """
    stored = stated(histogram, "file")
    is_same = not stored or Path(stored).resolve() == Path(file).resolve()
    if not is_same and has_changed(histogram, file):
        folder = Path(histogram).parents[1]
        raise ValueError(
            f"{folder} has the results of {stored}; this run would replace them by the results of "
            f"{file}. {advice}"
        )


def has_changed(histogram: str | Path, file: str) -> bool:
    """Return whether a data file has another content than the one of a stored histogram."""
    return stated(histogram, "sha256") not in ("", sha256(file))
