"""The data package of a run: a description of its tables for programs (https://datapackage.org)."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

from ggexp.run.descriptions import File, described
from ggexp.run.storage import reading, write_json

PACKAGE = "datapackage.json"
#: Ending -> media type of a file, if not every Python knows it.
MEDIA = {
    ".parquet": "application/vnd.apache.parquet",
    ".csv": "text/csv",
    ".yaml": "application/yaml",
    ".md": "text/markdown",
}
#: Type of a column in files.yaml -> its type in a Table Schema.
_TYPES = {
    "text": "string",
    "number": "number",
    "whole number": "integer",
    "true/false": "boolean",
    "list of numbers": "array",
}


def write_package(folder: Path, paths: Iterable[Path], figures: Mapping[str, str]) -> None:
    """Write the data package that describes a run's tables into its folder of results.

    paths: files and folders. figures: as for `RunFiles.find`.
    """
    files = {
        file.relative_to(folder).as_posix()
        for path in paths
        for file in (path.rglob("*") if path.is_dir() else [path])
    }
    package = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "ggexp-results",
        "title": "Results of a run of ggexp",
        "description": "Errors and accuracies of differentially private histograms. Resources with "
        "originalCounts hold original counts or records.",
        "version": metadata.version("ggexp"),
        "resources": list(_resources(folder, files, figures)),
    }
    write_json(package, folder / PACKAGE)


def _resources(
    folder: Path, paths: Iterable[str], figures: Mapping[str, str]
) -> Iterator[dict[str, object]]:
    for path in sorted(paths):
        file = described().find(path, figures)
        ending = Path(path).suffix
        if file is None or not file.tables or ending not in (".csv", ".parquet"):
            continue
        resource: dict[str, object] = {
            "name": path.lower(),
            "type": "table",
            "path": path,
            "description": file.contents,
            "format": ending[1:],
            "mediatype": MEDIA[ending],
        }
        if file.original:
            resource["originalCounts"] = True
        if ending == ".csv":
            resource["encoding"] = "utf-8"
        yield resource | {"schema": _schema(file, _types(folder / path))}


def _schema(file: File, types: Mapping[str, str]) -> dict[str, object]:
    """Return the Table Schema of a file; types: column -> its type in the file, for attributes."""
    table, columns = file.table(types)
    fields = [
        {
            "name": name,
            "type": _TYPES.get(column.type, types[name]),
            "description": column.explanation,
        }
        | ({} if column.empty else {"constraints": {"required": True}})
        for name, column in columns.items()
    ]
    schema: dict[str, object] = {"fields": fields}
    if table.refers:
        schema["foreignKeys"] = [
            {"fields": list(names), "reference": {"resource": path, "fields": list(names)}}
            for path, names in table.refers
        ]
    if table.key:
        key = [name for name, column in columns.items() if column.name in table.key]
        if any(columns[name].empty for name in key):  # columns of a primary key must not be empty
            schema["uniqueKeys"] = [key]
        else:
            schema["primaryKey"] = key
    return schema


def _types(path: Path) -> dict[str, str]:
    """Return column -> type in a Table Schema, of a CSV or Parquet file.

    A CSV file has no types: its columns have those of the Parquet file of the same name, or are
    text if there is none.
    """
    import pyarrow as pa
    from pyarrow import parquet

    stored = path.with_suffix(".parquet")
    if not stored.exists():
        with reading(path), path.open(encoding="utf-8", newline="") as file:
            return dict.fromkeys(next(csv.reader(file), []), "string")
    types = {}
    with reading(stored):
        for field in parquet.read_schema(stored):
            if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
                types[field.name] = "string"
            else:
                types[field.name] = "integer" if pa.types.is_integer(field.type) else "number"
    return types
