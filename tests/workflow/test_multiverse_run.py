"""A small run of the readings: of the mildew table and of records, with the same bytes again."""

import shutil

import pytest
import yaml
from conftest import ROOT, Project

from ggexp.run.files import read_csv

pytestmark = pytest.mark.slow

CONFIG = yaml.safe_load((ROOT / "config/multiverse.yaml").read_text("utf-8"))
CHOICES = CONFIG["multiverse"]["choices"]
FACTORIALS = {
    "tables": {
        "datasets": ["mildew"],
        "module": "tables",
        "repeats": 100,
        "varies": ["ggm-3-scale", "rounding", "direction", "seed"],
    },
    "adult-accuracy": {
        "datasets": ["people"],
        "module": "accuracy",
        "repeats": 2,
        "varies": ["rounding", "training", "baseline", "test-records", "bins", "seed"],
    },
}
#: The tables of all measurements, from which one job computes the verdicts.
MEASURED = ("results/measured/adult-accuracy.csv", "results/measured/tables.csv")


@pytest.fixture(scope="module")
def readings(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("readings"))
    project.add_records()
    few = {"split_of": "people", "columns": {"age": {"bins": 4}}}
    histograms = project.settings["histograms"] | {"few": {"like": "people", "records": few}}
    lines = (project.folder / "people.csv").read_text("utf-8").splitlines()
    complete = sum("?" not in line for line in lines)
    histograms["people"]["records"]["expected"] = {"kept": complete}
    histograms["mildew"]["mechanisms"] = ["laplace", "gaussian-pdp", "ggm-3", "gaussian-adp"]
    bins = {"people": "eight bins of age", "few": "four bins of age"}
    project.configure(
        datasets=["mildew", "people", "few"],
        histograms=histograms,
        multiverse={
            "choices": CHOICES | {"bins": CHOICES["bins"] | {"alternatives": bins}},
            "factorials": FACTORIALS,
            "first": {"seed": 2},
        },
    )
    project.run(targets=("multiverse",))
    return project


def test_every_reading_is_measured_and_has_a_verdict(readings):
    table = read_csv(readings.folder / "results/multiverse.csv")
    claims = table.groupby("claim").size()
    assert claims["mildew-order-l1"] == 5 * 2 * 2 * 3
    assert claims["mildew-order-kl"] == 5 * 2 * 2 * 2 * 3
    assert set(table["factorial"]) == {"tables"}  # no claim is about people
    shares = read_csv(readings.folder / "results/shares.csv")
    outcomes = shares[["holds", "partly", "undecided", "fails"]]
    assert outcomes.sum(axis=1).to_numpy() == pytest.approx(1)
    table = read_csv(readings.folder / "results/measured/adult-accuracy.csv")
    releases = table[table["epsilon"].notna()]
    keys = ["mechanism", "rounding", "training", "test-records", "bins", "seed"]
    assert len(releases) == len(releases.drop_duplicates(keys)) == 2 * 2 * 3 * 2 * 2 * 2
    baselines = set(table.loc[table["mechanism"] == "original", "baseline"])
    assert baselines == {"same", "weighted", "records"}
    losses = read_csv(readings.folder / "results/losses.csv")
    assert losses[["dataset", "splits"]].drop_duplicates().to_numpy().tolist() == [["people", 2]]
    assert len(losses) == 2 * len(losses[losses["other"] != "original"]) + 2


def test_another_number_of_cores_gives_the_same_bytes(readings):
    before = readings.outputs("measured/*.csv")
    for folder in ("parts", "measured"):
        shutil.rmtree(readings.folder / "results" / folder)
    readings.run(targets=MEASURED, cores=1)
    assert readings.outputs("measured/*.csv") == before
    assert len(before) == len(MEASURED)
