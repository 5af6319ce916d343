"""The description of a run's files, their types in CSV files, and the data package."""

import json

import pandas as pd
import pytest
from conftest import save, stored

from ggexp.run.data_package import write_package
from ggexp.run.descriptions import described
from ggexp.run.files import ATTRIBUTES, read_csv
from ggexp.run.storage import read_parquet, write_csv, write_parquet

FIGURES = {"07": "errors", "25": "retained_cells"}  # two kinds with the same column names


def test_a_column_has_one_type_in_all_csv_files():
    types: dict[str, str] = {}
    for file in described().files:
        for table in file.tables:
            assert set(table.key) <= {column.name for column in table.columns}, file.path
            for column in table.columns if file.path.endswith(".csv") else ():
                if column.name != ATTRIBUTES:
                    assert types.setdefault(column.name, column.type) == column.type


#: Names that a configuration allows, but that pandas would read as numbers, missing or true.
NAMES = ["NA", "2019", "007", "1.0", "1e5", "null", "nan", "None", "True", "inf"]


def test_names_come_back_as_they_were_written(tmp_path):
    """Also alone, if no other value in the column shows that it is text."""
    table = {"dataset": NAMES, "mechanism": NAMES[::-1], "mean": [0.5] * len(NAMES)}
    write_parquet(table, tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet").to_dict("list") == table
    assert stored(pd.DataFrame(table)).to_dict("list") == table
    for name in NAMES:
        table = {"dataset": [name], "epsilon": [1.0]}
        assert stored(pd.DataFrame(table)).to_dict("list") == table


def test_each_type_comes_back_with_its_missing_values(tmp_path):
    table = {
        **{"metric": ["l1", "kl"], "other": ["NA", None], "delta": [None, 0.05]},
        **{"mean": [float("inf"), 1.0], "repeats": [None, 500], "count": [2**53 + 1, 0]},
        "clear": [True, False],
    }
    read = stored(pd.DataFrame(table).astype({"repeats": float}))
    pd.testing.assert_frame_equal(
        read, pd.DataFrame(table), check_dtype=False, check_column_type=False
    )
    assert [read[name].dtype.kind for name in [*table][2:]] == ["f", "f", "f", "i", "b"]
    empty = read_csv(save(tmp_path / "empty.csv", "metric,mean\n"))
    assert empty.dtypes.equals(read[["metric", "mean"]].dtypes)


def test_damaged_files_and_unknown_columns_are_named(tmp_path):
    for content, message in (
        ("", "is damaged"),
        ('dataset,mean\nmildew,2\nmildew,"2', "is damaged"),
        ("dataset,mean\nmildew,NA\n", "is damaged"),
        ("dataset,metric\nmildew,l1\nmil", "is damaged"),
        ("dataset,clear\nmildew,1.5\n", "is damaged"),
        ("dataset,count\nmildew,1.5\n", "is damaged"),
        ("dataset,novelty\nmildew,1\n", "novelty"),
    ):
        with pytest.raises(ValueError, match=rf"t\.csv.*{message}"):
            read_csv(save(tmp_path / "t.csv", content))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("summary.csv", "summary.csv"),
        ("histograms/adult.parquet", "histograms/{dataset}.parquet"),
        ("histograms/adult_test.parquet", "histograms/{dataset}_test.parquet"),
        (
            "accuracy/adult/ggm-3/epsilon-1.0_delta-0.05/repeats-0-499.parquet",
            "accuracy/{dataset}/{trained}/repeats-{first}-{last}.parquet",
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
def test_a_file_is_found_by_its_path(path, kind):
    file = described().find(path, FIGURES)
    assert (file and file.path) == kind


@pytest.mark.parametrize("metrics", [["kl", "kl_reverse"], ["kept", "kept_records", "added"]])
def test_an_added_metric_is_a_column(metrics):
    point = ["dataset", "mechanism", "epsilon", "delta", "repeat", "l1"]
    file = described().find("repeats/czech.parquet", {})
    assert file is not None
    position = 2 if "kl" in metrics else 0
    names = [*point, *metrics[:position], "worst", *metrics[position:]]
    _, columns = file.table(names)
    assert list(columns) == names
    assert columns["worst"].type == "number"


def package(folder):
    paths = [path for path in folder.iterdir() if path.name != "datapackage.json"]
    write_package(folder, paths, FIGURES)
    written = json.loads((folder / "datapackage.json").read_text("utf-8"))
    return {resource["path"]: resource for resource in written["resources"]}


def test_keys_and_columns_of_the_data_package(tmp_path):
    names = ["dataset", "mechanism", "epsilon", "delta", "metric", "repeats", "mean", "sd", "se"]
    rows = [["czech", "laplace", 1.0, None, "l1", 5, 2.0, 0.1, 0.05]]
    write_csv(pd.DataFrame(rows, columns=names), tmp_path / "summary.csv")
    write_csv(pd.DataFrame({"id": ["a"]}), tmp_path / "other.csv")
    (resource,) = package(tmp_path).values()
    assert resource["schema"]["uniqueKeys"] == [names[:5]]
    required = [field["name"] for field in resource["schema"]["fields"] if "constraints" in field]
    assert required == ["dataset", "mechanism", "epsilon", "metric", "repeats", "mean"]
    write_csv(pd.DataFrame({"mechanism": ["laplace"], "scale": [1.0]}), tmp_path / "scales.csv")
    with pytest.raises(ValueError, match=r"scales\.csv .* \['mechanism', 'scale'\]"):
        package(tmp_path)
