"""Checks that the files of a run have the columns, types and keys of their descriptions."""

import json

import pandas as pd

from ggexp.run.descriptions import described
from ggexp.run.files import ATTRIBUTES, read_csv
from ggexp.run.storage import read_parquet

FILES = described().files
#: Type of a value in a JSON file -> the type of Python.
KINDS = {"text": str, "whole number": int, "true/false": bool}
KINDS |= {"mapping": dict, "list of texts": list}
#: Files of the figures of theory, which tests/faults/test_no_network.py makes and checks.
THEORY = [file for file in FILES if file.path in {f"figures/figure_0{n}.csv" for n in range(1, 6)}]


def figures(project):
    """Return number -> kind of each figure of the data sets (config.yaml has those of mildew)."""
    histograms = project.settings.get("histograms", {}).values()
    datasets = [{"releases": 6, "errors": 7}, *(data.get("figures", {}) for data in histograms)]
    return {f"{number:02d}": kind for numbers in datasets for kind, number in numbers.items()}


def files(results):
    paths = (path for path in results.rglob("*") if path.is_file() and path.suffix != ".checksum")
    return sorted(path.relative_to(results).as_posix() for path in paths)


def check_files(project, file, folder="results"):
    """Check the files that match a description. Each of its tables must occur in one of them."""
    results, kinds = project.folder / folder, figures(project)
    names = [name for name in files(results) if described().find(name, kinds) == file]
    assert names
    checked = []
    for name in names:
        path = results / name
        if path.suffix == ".json" and file.tables:
            content = json.loads(path.read_text("utf-8"))
            (table,) = file.tables
            assert list(content) == [column.name for column in table.columns]
            for column in table.columns:
                value = content[column.name]
                assert isinstance(value, KINDS[column.type]) or (column.empty and value is None)
            checked.append(table)
        elif path.suffix in (".csv", ".tsv", ".parquet"):
            frame = read(path, file)
            table, columns = file.table(frame)
            for column_name, column in columns.items():
                check_column(f"{name}: {column_name}", column, frame[column_name])
            key = [column_name for column_name in columns if columns[column_name].name in table.key]
            assert bool(key) == bool(table.key), name
            assert not key or not frame.duplicated(key).any(), name
            for other_file, shared_columns in table.refers:
                referenced = read_csv(results / other_file)[list(shared_columns)]
                assert len(frame.merge(referenced)) == len(frame), name
            checked.append(table)
    assert set(checked) == set(file.tables)


def read(path, file):
    if path.suffix == ".parquet":
        return read_parquet(path)
    if path.suffix == ".tsv":
        return pd.read_csv(path, sep="\t")
    if any(column.name == ATTRIBUTES for column in file.tables[0].columns):
        return pd.read_csv(path)
    return read_csv(path)


def check_column(where, column, values):
    present = values.dropna()
    assert column.empty or len(present) == len(values), where
    is_text = present.map(lambda value: isinstance(value, str)).all()
    is_bool = pd.api.types.is_bool_dtype(values)
    is_number = pd.api.types.is_numeric_dtype(values) and not is_bool
    is_integer = pd.api.types.is_integer_dtype(values)
    # whole numbers are read as floats if some are empty
    is_whole = is_integer or (is_number and bool(column.empty) and (present % 1 == 0).all())
    assert {
        "text": is_text,
        "number": is_number,
        "whole number": is_whole,
        "text or number": is_text or is_number,
        "true/false": is_bool,
        "list of numbers": present.map(lambda value: hasattr(value, "dtype")).all(),
    }[column.type], where
