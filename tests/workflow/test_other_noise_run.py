"""A small run with noise that is not the paper's, on a table and records.

Bounded noise, the best order, integer-valued noise; classifiers on the first repeats; ranks.
"""

import re

import numpy as np
import pytest
from conftest import Project, design_of

from ggexp.experiment.metrics import l1
from ggexp.releases.simulate import release

pytestmark = pytest.mark.slow

REAL = {
    "gg-best": {"order": "best", "calibration": "adp-exact"},
    "truncated-laplace": {"order": 1, "calibration": "adp-truncated"},
}
INTEGER = {
    "geometric": {"calibration": "pure-integer"},
    "optimal": {"calibration": "adp-optimal"},
    "discrete-pdp": {"order": 2, "calibration": "pdp-exact-integer"},
    "discrete-adp": {"order": 3, "calibration": "adp-exact-integer"},
}
MECHANISMS = REAL | INTEGER
#: The mechanisms of the data sets with other kinds of release.
FEW = [*INTEGER][:2]
TABLES = (
    *("summary.csv", "recommendation.csv", "margins/stability.csv"),
    *(f"figures/figure_{number}.csv" for number in (24, 26, 27)),
)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("other"))
    project.add_records({"accuracy": 22, "ranks": 24})
    histograms = project.settings["histograms"]
    histograms["people"]["mechanisms"] = [*REAL]
    histograms["mildew"] = {
        "mechanisms": [*MECHANISMS],
        "figures": {"releases": 26, "errors": None, "ranks": 27},
    }
    # more combinations of bins than a number can count
    lines = (",".join([str(i % 20)] * 8) + "\n" for i in range(300))
    (project.folder / "many.csv").write_text("".join(lines))
    columns = {f"c{k}": {"from": 0, "to": 128, "bins": 128} for k in range(8)}
    unlisted = {"records": {"file": "many.csv", "columns": columns}, "mechanisms": FEW}
    histograms["threshold"] = {
        "records": histograms["people"]["records"],
        "mechanisms": FEW,
        "release": {"kind": "threshold"},
        "figures": {},
    }
    histograms["stability"] = {**unlisted, "release": {"kind": "stability"}, "figures": {}}
    project.configure(
        histograms=histograms,
        mechanisms=MECHANISMS,
        datasets=[*histograms],
        epsilon=[0.5],
        delta=[0.1],
        classifier={"repeats": 2},
    )
    project.run(targets=tuple(f"results/{table}" for table in TABLES))
    return project


def test_jobs_add_the_noise_of_the_design(other):
    histograms = {"mildew": other.settings["histograms"]["mildew"]}
    settings = other.settings | {"datasets": ["mildew"], "histograms": histograms}
    settings |= {"seed": 20260101, "neighbours": "add-remove"}
    counts = other.read("histograms/mildew.parquet")["count"].to_numpy()
    drawn = other.read("figures/figure_26.csv")
    points = design_of(settings)["mildew"]
    assert len(points) == len(MECHANISMS)
    for noisy in points:
        errors = other.read("repeats/mildew.parquet")
        errors = errors[errors["mechanism"] == noisy.point.mechanism]
        assert not errors.empty
        for row in errors.itertuples():
            released = release(counts, noisy, seed=20260101, repeat=row.repeat)
            assert row.l1 == l1(counts, released)
        first = drawn[drawn["mechanism"] == noisy.point.mechanism]
        if not first.empty:
            assert (first["original"] == counts).all()
            released = release(counts, noisy, seed=20260101, repeat=0)
            np.testing.assert_allclose(first["sanitized"], released, rtol=1e-9)


def test_measurements_and_recommendations(other):
    summary = other.read("summary.csv")
    measured = summary.groupby(["dataset", "metric"])["mechanism"].nunique()
    assert (measured["mildew"] == len(MECHANISMS)).all()
    assert (measured.drop("mildew") == 2).all()
    assert "added" in set(summary.query("dataset == 'threshold'")["metric"])
    stability = summary.query("dataset == 'stability' and mechanism == 'geometric'")
    means = stability.set_index("metric")["mean"]
    assert list(means.index) == ["l1", "kept", "kept_records", "added"]
    assert stability["delta"].notna().all()
    assert means["added"] == 0 < means["kept"] <= means["kept_records"]
    assert other.read("margins/stability.csv").empty
    recommended = other.read("recommendation.csv").query("metric == 'l1'")
    satisfied = set(zip(recommended["dataset"], recommended["guarantee"], strict=True))
    assert ("mildew", "ε-DP") in satisfied
    assert ("stability", "(ε, δ)-aDP") in satisfied
    # no release satisfies pDP, because the released counts are clamped
    guarantees = {guarantee.removeprefix("none, noise for ") for _, guarantee in satisfied}
    assert guarantees == {"ε-DP", "(ε, δ)-aDP"}


def test_first_repeats_are_trained_and_requested_figures_drawn(other):
    summary = other.read("summary.csv")
    repeats = summary.groupby(["dataset", "metric"])["repeats"].unique().map(list).to_dict()
    assert repeats["people", "accuracy"] == [2]
    assert repeats["people", "l1"] == repeats["mildew", "l1"] == [4]
    files = other.outputs("repeats-*.parquet")
    assert len(files) == 2
    assert all(path.endswith("repeats-0-1.parquet") for path in files)
    planned = other.planned(targets=("tables", "records"))
    numbers = re.findall(r"wildcards: number=(\w+)", "".join(planned["draw_figure"]))
    assert {*numbers} == {"22", "24", "26", "27"}
    ranks = other.read("figures/figure_24.csv")
    assert list(ranks["error"].unique()) == ["l1", "kl", "misclassification"]
    assert list(other.read("figures/figure_27.csv")["error"].unique()) == ["l1", "kl"]
    summary = other.read("summary.csv").query("dataset == 'people' and metric == 'accuracy'")
    misclassification = ranks[ranks["error"] == "misclassification"]
    np.testing.assert_allclose(misclassification["mean"], 1 - summary["mean"])
