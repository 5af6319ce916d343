"""The description of a run's files, and the data package made from the description."""

import json
from pathlib import Path

import pandas as pd
import pytest

from ggexp.run.datapackage import write_package
from ggexp.run.files import described
from ggexp.run.storage import write_csv, write_parquet

FIGURES = {"07": "errors", "25": "retained_cells"}  # two kinds with the same column names


def test_a_column_has_one_type_in_all_csv_files() -> None:
    types: dict[str, set[str]] = {}
    for column in described().csv_columns():
        types.setdefault(column.name, set()).add(column.type)
    assert {name: kinds for name, kinds in types.items() if len(kinds) > 1} == {}


def test_a_key_consists_of_columns() -> None:
    for file in described().files:
        for table in file.tables:
            assert set(table.key) <= {column.name for column in table.columns}, file.path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("summary.csv", "summary.csv"),
        ("histograms/adult.parquet", "histograms/{dataset}.parquet"),
        ("histograms/adult_test.parquet", "histograms/{dataset}_test.parquet"),
        (
            "accuracy/adult/ggm-3/epsilon-1.0_delta-0.05/repeats-0-499.parquet",
            "accuracy/{dataset}/{mechanism}/{point}/repeats-{first}-{last}.parquet",
        ),
        ("figures/figure_07.csv", "figures/figure_{errors}.csv"),
        ("figures/figure_25.csv", "figures/figure_{retained_cells}.csv"),
        ("figures/figure_25.png", "figures/figure_{number}.png"),
        ("classifiers/adult/kernel.npy", "classifiers/"),
        ("figures/figure_30.csv", None),
        ("summary.csv.tmp", None),
        ("smoke/summary.csv", None),
    ],
)
def test_a_file_is_found_by_its_path(path: str, kind: str | None) -> None:
    file = described().find(path, FIGURES)
    assert (file and file.path) == kind


@pytest.mark.parametrize("metrics", [["kl", "kl_reverse"], ["kept", "kept_records", "added"]])
def test_an_added_metric_is_a_column(metrics: list[str]) -> None:
    point = ["dataset", "mechanism", "epsilon", "delta", "repeat", "l1"]
    file = described().find("repeats/czech/laplace/epsilon-1.0.parquet", {})
    assert file is not None
    position = 2 if "kl" in metrics else 0
    names = [*point, *metrics[:position], "worst", *metrics[position:]]
    _, columns = file.table(names)
    assert list(columns) == names
    assert columns["worst"].type == "number"


def package(folder: Path) -> dict[str, dict]:
    paths = [path for path in folder.iterdir() if path.name != "datapackage.json"]
    write_package(folder, paths, FIGURES)
    written = json.loads((folder / "datapackage.json").read_text("utf-8"))
    return {resource["path"]: resource for resource in written["resources"]}


def test_attributes_have_the_types_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "histograms").mkdir()
    cells = {"Age at entry": [25.5, 35.0], "work, kind": ["a", "b"], "count": [3, 4]}
    write_parquet(cells, tmp_path / "histograms/people.parquet")
    records = tmp_path / "synthetic/records/people/laplace/epsilon-1.0"
    records.mkdir(parents=True)
    record = {"Age at entry": [25.5], "work, kind": ["2019"]}
    write_parquet(record, records / "counts.parquet")
    write_csv(pd.DataFrame(record), records / "counts.csv")
    (records / ".snakemake_timestamp").touch()
    (tmp_path / "notes.txt").touch()
    resources = package(tmp_path)
    assert len(resources) == 3
    for path, resource in resources.items():
        types = [field["type"] for field in resource["schema"]["fields"]]
        assert types == ["number", "string", "integer"][: 3 if "histograms" in path else 2]
    histogram = resources["histograms/people.parquet"]["schema"]
    assert histogram["primaryKey"] == ["Age at entry", "work, kind"]


def test_a_key_with_a_column_that_may_be_empty_is_not_a_primary_key(tmp_path: Path) -> None:
    names = ["dataset", "mechanism", "epsilon", "delta", "metric", "repeats", "mean", "sd", "se"]
    rows = [["czech", "laplace", 1.0, None, "l1", 5, 2.0, 0.1, 0.05]]
    write_csv(pd.DataFrame(rows, columns=names), tmp_path / "summary.csv")
    write_csv(pd.DataFrame({"id": ["a"]}), tmp_path / "other.csv")
    (resource,) = package(tmp_path).values()
    assert resource["schema"]["uniqueKeys"] == [names[:5]]
    required = [field["name"] for field in resource["schema"]["fields"] if "constraints" in field]
    assert required == ["dataset", "mechanism", "epsilon", "metric", "repeats", "mean"]


def test_a_table_with_other_columns_than_described_is_named(tmp_path: Path) -> None:
    write_csv(pd.DataFrame({"mechanism": ["laplace"], "scale": [1.0]}), tmp_path / "scales.csv")
    with pytest.raises(ValueError, match=r"scales\.csv .* \['mechanism', 'scale'\]"):
        package(tmp_path)
