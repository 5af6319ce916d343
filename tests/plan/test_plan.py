"""The plan of a run: the files and parameters of its jobs, and what it refuses at the start."""

from dataclasses import dataclass, replace

import pytest
import yaml
from conftest import ROOT, save
from snakemake.iocontainers import Wildcards

from ggexp.experiment.answers import caveats
from ggexp.experiment.recommendation import Subject
from ggexp.experiment.scales import distinct_noise
from ggexp.figures import catalog
from ggexp.mechanisms.calibration import RULES
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.plan.data_set import without_bins
from ggexp.plan.figures import OF_ALL
from ggexp.plan.plan import Plan, fingerprint_of
from ggexp.releases.point import NoisyPoint
from ggexp.run.storage import write_text

RECORDS = {
    "file": "people.csv",
    "columns": {"age": {"from": 10, "to": 90, "bins": 8}, "rich": "categorical"},
    "training": "2/3",
}
PEOPLE = {
    "records": RECORDS,
    "classifier": {"target": "rich", "mechanisms": ["laplace"]},
    "mechanisms": ["laplace", "gaussian-pdp"],
    "figures": {"releases": 20, "accuracy": 22},
}
SMALL = {
    "datasets": ["mildew", "people"],
    "epsilon": [1, 2],
    "delta": [0.05],
    "repeats": 5,
    "theory": False,
    "execution": {"repeats_per_job": 2},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("20, yes\n30, no\n" * 9)
    return tmp_path


def plan_of(people=None, **changes):
    return Plan.of(SMALL | {"histograms": {"people": PEOPLE | (people or {})}} | changes)


def at(**wildcards):
    return Wildcards(fromdict=wildcards)


def test_each_grid_point_has_its_noise(folder):
    plan = plan_of()
    assert [*plan.data["people"].points] == [
        "people/laplace/epsilon-1.0",
        "people/laplace/epsilon-2.0",
        "people/gaussian-pdp/epsilon-1.0_delta-0.05",
        "people/gaussian-pdp/epsilon-2.0_delta-0.05",
    ]
    point = plan.point(at(dataset="people", mechanism="laplace", point="epsilon-2.0"))
    noisy = NoisyPoint.from_parameters(point)
    assert (noisy.point.epsilon, noisy.noise.sd) == (2, pytest.approx(2**0.5 / 2))


def test_repeats_are_divided_into_jobs(folder):
    assert plan_of().is_divided
    assert not plan_of(execution={"repeats_per_job": 5}).is_divided
    assert plan_of().parts("repeats/people", 5) == [
        f"results/repeats/people/repeats-{repeats}.parquet" for repeats in ("0-1", "2-3", "4-4")
    ]
    assert plan_of().measured("accuracy", "people") == [
        f"results/accuracy/people/laplace/epsilon-{epsilon}/repeats-{repeats}.parquet"
        for epsilon in ("1.0", "2.0")
        for repeats in ("0-1", "2-3", "4-4")
    ]
    plan = plan_of(execution={"repeats_per_job": 10})
    accuracy, data = "results/accuracy/people/laplace/repeats-0-4.parquet", plan.data["people"]
    assert plan.measured("accuracy", "people") == [accuracy]
    assert [point["point"]["epsilon"] for point in data.points_in("laplace")] == [1, 2]
    assert [point["point"]["epsilon"] for point in data.points_in("laplace/epsilon-2.0")] == [2]


def test_jobs_have_the_code_of_their_noise_and_kind_of_release(folder):
    people = plan_of({"release": {"kind": "threshold"}, "figures": {}}).data["people"]
    noise, kind, tails = people.modules([*people.points.values()][:1])
    assert kind == "ggexp.releases.unlisted"
    assert noise.startswith("ggexp.mechanisms.")
    assert tails == "ggexp.mechanisms.tails"
    mildew = plan_of().data["mildew"]
    assert mildew.modules([]) == ["ggexp.releases.simulate"]
    assert mildew.modules([], uses_tails=True)[1:] == [tails]
    fingerprint, *modules = fingerprint_of("measure_releases.py", noise, kind).split()
    assert modules == [noise, kind]
    assert fingerprint != fingerprint_of("measure_releases.py", noise).split()[0]


def test_data_are_those_of_the_project_or_count_by_their_content(folder):
    plan = plan_of()
    assert plan.data["mildew"].file == str(ROOT / "data/mildew.csv")
    assert plan.data["mildew"].table["counts"] == str(ROOT / "data/mildew.csv")
    assert plan.sources["results/histograms/people.parquet"] == "people.csv"
    assert plan.having("counts") == ["mildew"]
    assert plan.having("records") == plan.own == ["people"]
    before = plan_of().origin("people.csv")
    (folder / "people.csv").write_text("no record at all")
    plan = plan_of()
    assert plan.origin("people.csv") != before
    # results name the file alike, wherever the run's folder and the project are
    assert plan.origin("people.csv")["file"] == plan.origin(str(folder / "people.csv"))["file"]
    assert plan.origin(str(ROOT / "data/czech.csv"))["file"] == "data/czech.csv"
    # a file that has not been fetched
    assert plan.origin("data/downloads/adult.data")["sha256"].startswith("5b002646")


def test_figures_claims_and_tables_are_those_of_the_run(folder):
    figures = plan_of().figures
    assert [figure.number for figure in figures.of("theory", "data")] == ["06", "07", "20", "22"]
    assert [figure.number for figure in figures.of("supplement")][-2:] == ["f2", "f3"]
    assert figures.inputs(at(number="22")).keys() == {"accuracy", "baseline"}
    assert "accuracy" not in figures.inputs(at(number="07"))  # errors do not wait for classifiers
    settings = figures.settings(at(number="20"))
    assert settings["seed"] == 20260101
    assert len(settings["points"]) == 4
    (people,) = figures.of("data", datasets=["people"])[:1]
    assert people.title == "Figure 20: releases"
    assert people.section == "People"
    assert "people" in figures.describe(people)["caption"]
    plan = plan_of(theory=True)
    assert [figure.name for figure in plan.figures.of("theory")][::4] == ["Figure 1", "Figure 5"]
    assert plan.claim_parameters is None
    assert "mechanism" in (plan_of().claim_parameters or ())
    own = plan_of(datasets=["people"])
    assert own.claim_parameters == ["dataset", "datasets"]
    assert own.verdicts == []
    names = ("claims", "synthetic", "summary", "baseline", "tally")
    sources = [table["source"] for table in plan_of().shown(*names)]
    tally = "histograms/people_tally.csv"
    assert sources == ["claims.csv", "summary.csv", "baseline.csv", tally]
    sources = [table["source"] for table in plan_of(datasets=["mildew"]).shown(*names)]
    assert sources == ["claims.csv", "summary.csv"]


def test_no_figure_gets_a_table_in_place_of_a_setting(folder):
    figures = plan_of().figures
    for number in figures.all:
        assert not figures.inputs(at(number=number)).keys() & figures.settings(at(number=number))
    assert [*figures.inputs(at(number="20"))] == ["histogram"]


def test_a_figure_of_all_data_sets_reads_the_tables_of_each(folder, monkeypatch):
    shares = catalog.Figure("a.b", "a.c", ("errors", "accuracy", "counts", "points"))
    of_all = shares._replace(group=catalog.DATA_SETS)
    own = {"n1": of_all, "n2": shares}
    monkeypatch.setattr(catalog, "NUMBERED", catalog.NUMBERED | own)
    figures = plan_of(theory=True).figures
    in_all = [(figure.number, figure.section) for figure in figures.of(*OF_ALL)]
    assert in_all[4:7] == [("05", "Theory"), ("n2", "Theory"), ("06", "Mildew")]
    assert in_all[-1] == ("n1", "All data sets")
    assert figures.inputs(at(number="n1")) == {
        "errors": [f"results/summary/errors/{name}.csv" for name in ("mildew", "people")],
        "accuracy": ["results/summary/accuracy/people.csv"],
        "counts": [f"results/histograms/{name}.parquet" for name in ("mildew", "people")],
    }
    assert len(figures.settings(at(number="n1"))["points"]) == len(plan_of().points)
    assert figures.inputs(at(number="n2")) == {}
    assert "n2" not in plan_of(theory=False).figures.all
    # a number of the configuration must not be one of these
    monkeypatch.setitem(catalog.NUMBERED, "07", of_all)
    with pytest.raises(ValueError, match=r"mildew\.figures\.errors: 7 is a figure of data"):
        plan_of()


@pytest.mark.parametrize(
    ("rich", "missing", "total", "options"),
    [
        ("categorical", [], "private", ["--levels-from-file"]),
        ({"levels": ["no", "yes"]}, [""], "private", []),
        ({"levels": ["no", "yes"]}, [], "public", []),
        ({"levels": ["no", "yes"]}, [""], "public", None),
    ],
)
def test_the_printed_command_is_one_that_publishes_the_table(
    call, folder, rich, missing, total, options
):
    columns = RECORDS["columns"] | {"rich": rich}
    people = {
        "records": RECORDS | {"columns": columns, "missing": missing},
        "release": {"kind": "all", "total": total},
    }
    plan = plan_of(people, datasets=["people"])
    assert plan.subjects["people"]["options"] == options
    config = folder / "mine.yaml"
    config.write_text(yaml.safe_dump({"histograms": {"people": PEOPLE | people}}))
    words = ["sanitize", "people.csv", "--config", "mine.yaml", "--epsilon", "1"]
    assert call(*words, *(options or ()))[0] == (2 if options is None else 0)


GEOMETRIC = {
    "mechanisms": {"geometric": {"calibration": "pure-integer"}},
    "histograms": {"mildew": {"mechanisms": ["geometric", "gaussian-pdp"]}},
}
UNSCALED = {"histograms": {"mildew": {"release": {"total": "private"}, "mechanisms": ["laplace"]}}}


@pytest.mark.parametrize(
    ("changes", "is_paper", "guarantees", "unprotected", "rescaled"),
    [
        ({}, True, 3, [], ["mildew"]),
        (GEOMETRIC, False, 2, [], ["mildew"]),
        (GEOMETRIC | {"neighbours": "replace-one"}, False, 2, [], []),
        (UNSCALED, False, 1, [], []),
        ({"datasets": ["mildew", "people"]}, False, 3, ["people"], ["mildew"]),
    ],
)
def test_caveats_follow_releases_and_guarantees(
    folder, changes, is_paper, guarantees, unprotected, rescaled
):
    histograms = {"people": PEOPLE} | changes.get("histograms", {})
    plan = Plan.of(SMALL | {"datasets": ["mildew"]} | changes | {"histograms": histograms})
    subjects = {name: Subject(**facts) for name, facts in plan.subjects.items()}
    found = caveats(subjects, distinct_noise(plan.points.values()), plan.config.neighbours)
    assert (plan.is_paper, len(found["guarantees"])) == (is_paper, guarantees)
    assert (found["unprotected"], found["rescaled"]) == (unprotected, rescaled)


def test_a_damaged_download_and_a_replaced_result_are_named_at_the_start(folder, monkeypatch):
    monkeypatch.setattr("ggexp.plan.plan.store", lambda: None)  # takes a while
    plan = plan_of()
    assert [note for note in plan.check_start() if "not differentially private" in note]
    (folder / "data/downloads").mkdir(parents=True)
    damaged = save(folder / "data/downloads/adult.data", "damaged")
    with pytest.raises(ValueError, match=r"adult\.data: its sha256 .* Delete the file"):
        [*plan.check_start()]
    damaged.unlink()
    (folder / "results").mkdir()
    write_text("of this run", "results/a.csv")
    save(folder / "results/a.csv", "of another run")
    with pytest.raises(ValueError, match=r"damaged or replaced: (?s:.*)\n  results/a\.csv$"):
        [*plan.check_start()]


def test_a_rule_with_too_little_noise_stops_a_run(folder, monkeypatch):
    """Its noise has the scale of 1.5 ε, and its family's delta does not show it."""

    @dataclass(frozen=True)
    class Hidden(GeneralizedGaussian):
        def delta(self, *, epsilon, sensitivity=1.0):
            return 0.0

    def alone(order, budget, sensitivity):
        return Hidden(order, sensitivity / (1.5 * budget.epsilon))

    monkeypatch.setattr("ggexp.plan.plan.store", lambda: None)
    plan = plan_of()
    assert [*plan.check_start()]
    wrong = replace(RULES["pure"], alone=alone, family=Hidden)
    monkeypatch.setitem(RULES, "pure", wrong)
    with pytest.raises(ValueError, match=r"calibration 'pure' at epsilon = 2"):
        [*plan.check_start()]


def test_without_bins_each_whole_number_has_a_bin():
    columns = {"age": {"from": 0, "to": 90, "bins": 9}, "rich": "categorical", "x": {"edges": [1]}}
    changed = without_bins({"file": "a.csv", "columns": columns})
    assert changed["columns"] == columns | {"age": {"from": -0.5, "to": 90.5, "bins": 91}}
    assert changed["file"] == "a.csv"
