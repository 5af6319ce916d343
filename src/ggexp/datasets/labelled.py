"""Read a Stata, SPSS or SAS file, with the labels of its values."""

import io
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ggexp.datasets.columns import MISSING_CODES, Column, text_of
from ggexp.datasets.form import Source, type_of
from ggexp.words import shortened

if TYPE_CHECKING:
    from pandas import Series

#: Largest number of bytes of a file, and of its values in memory, which take 8 each.
MAX_BYTES = 1_000_000_000


def read_labelled(source: Source) -> tuple[list[str], list[Column]]:
    """Return the names of the columns, and the columns, of a Stata, SPSS or SAS file."""
    import pyreadstat

    with source.open() as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"{source}: at most {MAX_BYTES:,} bytes are allowed")
    readers: dict[str, Callable[..., Any]] = {
        ".dta": pyreadstat.read_dta,
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".xpt": pyreadstat.read_xport,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }
    is_spss = type_of(source.path) == "SPSS"
    read, options = readers[source.ending], {"user_missing": True} if is_spss else {}
    try:
        _, metadata = read(io.BytesIO(content), metadataonly=True)
        records = MAX_BYTES // (8 * max(1, len(metadata.column_names)))
        frame, metadata = read(io.BytesIO(content), row_limit=records + 1, **options)
    except Exception as error:  # pyreadstat has errors of its own
        message = f"{source}: not a valid {type_of(source.path)} file ({shortened(error)})"
        raise ValueError(message) from error
    if len(frame) > records:
        raise ValueError(f"{source}: at most {MAX_BYTES // 8:,} values are allowed")
    columns = []
    for name in frame:
        values, labels = frame[name], metadata.variable_value_labels.get(name, {})
        for missing in metadata.missing_ranges.get(name, ()) if is_spss else ():
            low, high = missing["lo"], missing["hi"]
            values = values.mask(values.between(low, high))
            labels = {code: labels[code] for code in labels if not low <= code <= high}
        columns.append(_coded(values, labels))
    return list(map(str, frame.columns)), columns


def _coded(values: "Series[Any]", labels: Mapping[Any, str]) -> Column:
    """Return values as a column of their labels, or of the values if one of them has no label.

    A label that stands for several values gets the value beside it. All labels are levels, and so
    are codes of missing values that have no label and are less or greater than all that have one.
    """
    codes, different = values.mask(values == "").factorize()
    texts = [text_of(value) for value in different]
    levels = None
    # a Stata file may label kinds of missing numbers, which are texts
    is_text = any(isinstance(value, str) for value in different)
    labels = {code: labels[code] for code in labels if isinstance(code, str) == is_text}
    unlabelled = {value for value in different if value not in labels}
    if labels and all(
        value in MISSING_CODES and not min(labels) <= value <= max(labels) for value in unlabelled
    ):
        repeated = Counter(label.strip() for label in labels.values())
        names = {value: text_of(value) for value in unlabelled} | {
            value: label.strip() + f" ({text_of(value)})" * (repeated[label.strip()] > 1)
            for value, label in labels.items()
        }
        texts = [names[value] for value in different]
        levels = tuple(names[value] for value in sorted(names))
    indices = pa.array(codes, mask=codes < 0)
    return Column.of(pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string())), levels)
