"""A small run of all rules for integer-valued noise: a table, records, SVMs, synthetic records.

Only releases of the kind `threshold` have classifiers, because the same rule trains the classifiers
of all kinds.
"""

import pandas as pd
import pytest
from conftest import Project

from ggexp import Mechanism
from ggexp.run.columns import read_csv
from ggexp.run.storage import read_parquet

pytestmark = pytest.mark.slow

MECHANISMS = {
    "geometric": {"calibration": "pure-integer"},
    "discrete-pdp": {"order": 2, "calibration": "pdp-exact-integer"},
    "discrete-adp": {"order": 3, "calibration": "adp-exact-integer"},
    "optimal": {"calibration": "adp-optimal"},
}
RECORDS_MECHANISMS = ["geometric", "optimal"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run with these mechanisms and with releases of several kinds."""
    project = Project(tmp_path_factory.mktemp("whole"))
    project.add_records({"accuracy": 22})
    histograms = project.settings["histograms"]
    unclassified = {"records": histograms["people"]["records"], "figures": {}}
    histograms["copied"] = {
        **unclassified,
        "release": {"total": "as-printed"},
        "synthetic": ["largest-remainder", "multinomial", "counts"],
        "figures": {"count_bias": 30},
    }
    histograms["threshold"] = {"like": "people", "release": {"kind": "threshold"}, "figures": {}}
    histograms["stability"] = {**unclassified, "release": {"kind": "stability"}}
    for name, settings in histograms.items():
        settings["mechanisms"] = [*MECHANISMS] if name == "mildew" else RECORDS_MECHANISMS
    project.configure(
        histograms=histograms,
        mechanisms=MECHANISMS,
        datasets=["mildew", "copied", "threshold", "stability"],
        epsilon=[0.5],
        delta=[0.1],
    )
    tables = ("summary.csv", "scales.csv", "recommendation.csv", "figures/figure_30.csv")
    project.run(targets=tuple(f"results/{table}" for table in tables))
    return project


def read(project: Project, path: str) -> pd.DataFrame:
    file = project.folder / "results" / path
    return read_csv(file) if file.suffix == ".csv" else read_parquet(file)


def test_scales_follow_the_rules(whole: Project) -> None:
    scales = read(whole, "scales.csv").drop_duplicates("mechanism").set_index("mechanism")
    assert list(scales.index) == [*MECHANISMS]
    for name, settings in MECHANISMS.items():
        noise = Mechanism(settings.get("order"), settings["calibration"]).noise(
            epsilon=0.5, delta=0.1
        )
        assert scales.loc[name, "sd"] == pytest.approx(noise.sd, rel=1e-9)
        assert pd.isna(scales.loc[name, "order"]) == ("order" not in settings)
    assert pd.isna(scales.loc["optimal", "scale"])
    assert scales.loc["geometric", "scale"] == 2


def test_measurements_and_recommendations(whole: Project) -> None:
    summary = read(whole, "summary.csv")
    measured = summary.groupby(["dataset", "metric"])["mechanism"].nunique()
    assert (measured["mildew"] == len(MECHANISMS)).all()
    assert (measured.drop("mildew") == len(RECORDS_MECHANISMS)).all()
    assert {"accuracy", "l1"} <= set(summary.query("dataset == 'threshold'")["metric"])
    recommended = read(whole, "recommendation.csv").query("metric == 'l1'")
    satisfied = set(zip(recommended["dataset"], recommended["guarantee"], strict=True))
    assert ("mildew", "ε-DP") in satisfied
    assert ("stability", "(ε, δ)-aDP") in satisfied
    # no release satisfies pDP, because the released counts are clamped
    guarantees = {guarantee.removeprefix("none, noise for ") for _, guarantee in satisfied}
    assert guarantees == {"ε-DP", "(ε, δ)-aDP"}


def test_synthetic_records_have_the_bias_of_clamping(whole: Project) -> None:
    """Within five standard errors: with few counts, the probability of a false alarm is 10^-5."""
    gains = read(whole, "figures/figure_30.csv").query("method == 'counts'")
    assert set(gains["mechanism"]) == set(RECORDS_MECHANISMS)
    assert gains["exact"].notna().all()
    assert (abs(gains["mean"] - gains["exact"]) < 5 * gains["se"] + 1e-9).mean() > 0.8
