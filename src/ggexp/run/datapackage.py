"""The data package of a run, a description of its tables for programs: https://datapackage.org."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from ggexp.run.files import Column, File, described
from ggexp.run.storage import reading, write_json

PACKAGE = "datapackage.json"
_PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
_MEDIA = {
    ".csv": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
}
_TYPES = {
    "text": "string",
    "number": "number",
    "whole number": "integer",
    "true/false": "boolean",
    "list of numbers": "array",
}


def write_package(folder: Path, paths: Iterable[Path], figures: Mapping[str, str]) -> None:
    """Write the data package that describes a run's tables into its folder of results.

    paths: files and folders in the folder of results. The package lists only tables that files.yaml
        describes; the tables of figures that a user added are left out.
    figures: figure number -> the figure's kind, for the figures of data sets.
    Raises ValueError with the name of a file that is damaged, or whose columns are not those that
    files.yaml describes.
    """
    files = {
        file.relative_to(folder).as_posix()
        for path in paths
        for file in (path.rglob("*") if path.is_dir() else [path])
    }
    package = {
        "$schema": _PROFILE,
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
) -> Iterator[dict[str, Any]]:
    for path in sorted(paths):
        file = described().find(path, figures)
        ending = Path(path).suffix
        if file is None or not file.tables or ending not in _MEDIA:
            continue
        resource: dict[str, Any] = {
            "name": path.lower(),
            "type": "table",
            "path": path,
            "description": file.contents,
            "format": ending[1:],
            "mediatype": _MEDIA[ending],
        }
        if file.original:
            resource["originalCounts"] = True
        if ending == ".csv":
            resource["encoding"] = "utf-8"
        types = _csv_types if ending == ".csv" else _arrow_types
        yield resource | {"schema": _schema(file, types(folder / path))}


def _schema(file: File, types: Mapping[str, str]) -> dict[str, Any]:
    """Return the Table Schema of a file.

    types: column -> its type in the file, which is used for attributes.
    """
    table, columns = file.table(types)
    schema: dict[str, Any] = {
        "fields": [_field(name, column, types[name]) for name, column in columns.items()]
    }
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


def _field(name: str, column: Column, attribute_type: str) -> dict[str, Any]:
    field = {
        "name": name,
        "type": _TYPES.get(column.type, attribute_type),
        "description": meaning(column),
    }
    return field if column.empty else field | {"constraints": {"required": True}}


def meaning(column: Column) -> str:
    """Return a column's meaning, including when its fields are empty."""
    return f"{column.meaning}; empty {column.empty}" if column.empty else column.meaning


def _arrow_types(path: Path) -> dict[str, str]:
    """Return column -> type in a Table Schema, for the columns of a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    def schema_type(arrow_type: Any) -> str:
        if pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type):
            return "string"
        return "integer" if pa.types.is_integer(arrow_type) else "number"

    with reading(path):
        return {field.name: schema_type(field.type) for field in parquet.read_schema(path)}


def _csv_types(path: Path) -> dict[str, str]:
    """Return column -> type in a Table Schema, for the columns of a CSV file.

    The types are read from the Parquet file with the same name, which exists for files of records.
    Without such a file, all types are text.
    """
    parquet_path = path.with_suffix(".parquet")
    if parquet_path.exists():
        return _arrow_types(parquet_path)
    with reading(path), path.open(encoding="utf-8", newline="") as file:
        return dict.fromkeys(next(csv.reader(file), []), "string")
