"""Every file of a run is described: the order and types of its columns, and its unique key."""

import json

import pandas as pd
import pytest
from conftest import make
from described_files import FILES, THEORY, check_files, figures, files
from pyarrow import parquet

from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.run.descriptions import described
from ggexp.run.storage import read_counts, read_parquet

pytestmark = pytest.mark.slow

RUN_FILES = [file for file in FILES if file.target in ("all", "snakemake")]


def test_every_file_is_described(every_kind):
    kinds = figures(every_kind)
    results = every_kind.folder / "results"
    assert [file for file in files(results) if described().find(file, kinds) is None] == []


@pytest.mark.parametrize(
    "described_file", [file for file in RUN_FILES if file not in THEORY], ids=lambda file: file.path
)
def test_files_are_as_described(every_kind, described_file):
    check_files(every_kind, described_file)


#: Type in the data package -> the types in Parquet files, and the type as which pandas reads it.
TYPES = {
    "string": ({"string", "large_string"}, "str"),
    "number": ({"double"}, "float64"),
    "integer": ({"int64"}, "Int64"),
    "boolean": (set(), "bool"),
}


def test_the_data_package_is_sufficient_to_read_every_table(every_kind):
    results = every_kind.folder / "results"
    resources = json.loads((results / "datapackage.json").read_text("utf-8"))["resources"]
    for resource in resources:
        path, schema = results / resource["path"], resource["schema"]
        fields = {field["name"]: field["type"] for field in schema["fields"]}
        if resource["format"] == "parquet":
            frame = read_parquet(path)
            arrow = {field.name: str(field.type) for field in parquet.read_schema(path)}
            assert all(arrow[name] in TYPES[kind][0] for name, kind in fields.items()), path
        else:
            assert resource["encoding"] == "utf-8"
            types = {name: TYPES[kind][1] for name, kind in fields.items()}
            frame = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])
        assert list(frame) == list(fields)
        required = [field["name"] for field in schema["fields"] if "constraints" in field]
        assert frame[required].notna().all(axis=None), path
        primary = schema.get("primaryKey", [])
        assert set(primary) <= set(required)
        for key in [primary, *schema.get("uniqueKeys", [])]:
            assert not key or not frame.duplicated(key).any(), path
    kinds = figures(every_kind)
    tables = [
        name
        for name in files(results)
        if name.endswith((".csv", ".parquet")) and described().find(name, kinds)
    ]
    assert [resource["path"] for resource in resources] == tables
    names = {resource["name"] for resource in resources}
    assert len(names) == len(resources) > 50


def test_the_releases_are_those_of_the_run_and_are_described(finished):
    """Of a data set whose cells are listed; those of one with unlisted cells are refused."""
    finished.configure(datasets=["mildew", "hidden"])
    assert "the releases of hidden" in finished.refused("--keep-going", targets=("releases",))
    results = finished.folder / "results"
    assert not (results / "releases/hidden.parquet").exists()
    released = read_parquet(results / "releases/mildew.parquet")
    scored = read_parquet(results / "repeats/mildew.parquet")
    keys = ["dataset", "mechanism", "epsilon", "delta", "repeat"]
    pd.testing.assert_frame_equal(released[keys], scored[keys])

    original = read_counts(results / "histograms/mildew.parquet")
    assert [l1(original, counts) for counts in released["counts"]] == list(scored["l1"])
    divergences = [kl_dirichlet(original, counts) for counts in released["counts"]]
    assert [forward for forward, _ in divergences] == list(scored["kl"])
    assert [backward for _, backward in divergences] == list(scored["kl_reverse"])
    (file,) = [file for file in FILES if file.target == "releases"]
    check_files(finished, file)


@pytest.mark.parametrize("name", ["", "moths"])
def test_make_names_the_data_sets(project, name):
    """Without a name, make passes an unknown one, so that Snakemake lists the known names."""
    printed = project.command(*make("--dry-run", "releases", f"DATASET={name}")).stdout
    assert printed.rstrip().endswith(f"releases --datasets {name or 'DATASET'}")
