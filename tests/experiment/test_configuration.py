"""The messages about a configuration, with the key, the value and the allowed values."""

import os
import re
import sys
from copy import deepcopy
from datetime import date

import pytest
import yaml
from conftest import PAPER, ROOT, pattern_of
from snakemake.cli import parse_config

from ggexp.experiment import configuration
from ggexp.experiment.design import grid
from ggexp.plan import run_checks


def changed(path, value):
    """Return the paper's configuration with one changed key. path: keys joined by dots or bars."""
    config = deepcopy(PAPER)
    *parents, last = path.split("|" if "|" in path else ".")
    part = config
    for parent in parents:
        part = part[parent]
    part[last] = value
    return config


def checked(**changes):
    return configuration.check(PAPER).model_copy(update=changes)


#: Design in config/ -> the number of grid points of some of its data sets.
SHIPPED = {
    "smoke": {"mildew": 2 + 3 * 2, "czech": 2 + 3 * 2, "adult": 2 + 3 * 2},
    "empty-cells": {"adult-threshold": 3 + 3 * 12, "adult-stability": 4 * 12},
    "equal-privacy": dict.fromkeys(PAPER["datasets"], 2 * 3 + 10 * 21),
    "equal-privacy-replaced": {},
    "multiverse": {},
    "synthetic": {"mildew-records": 3 + 3 * 3},
}


def shipped(name):
    settings = yaml.safe_load((ROOT / f"config/{name}.yaml").read_text("utf-8"))
    return configuration.merged(PAPER, settings)


def test_the_designs_of_the_project_are_valid():
    configs = {name: configuration.check(shipped(name)) for name in ["config", *SHIPPED]}
    assert len({config.results_dir for config in configs.values()}) == len(configs)
    for name, expected in SHIPPED.items():
        config = configs[name]
        for dataset, points in expected.items():
            data = config.data[dataset]
            budgets = [config.budgets(mechanism, data) for mechanism in data.mechanisms]
            assert sum(map(len, budgets)) == points, (name, dataset)
    empty = configs["empty-cells"]
    assert [name for name, data in empty.data.items() if data.records.split_of] == [*empty.data][:2]
    equal = configs["equal-privacy"]
    for key in ("seed", "repeats", "epsilon", "neighbours", "kl", "datasets"):
        assert equal.written()[key] == PAPER[key]
    assert {*equal.written()["delta"]} > {*PAPER["delta"]}
    assert equal.data["adult"].classifier.repeats == 100


def test_synthetic_records_have_jobs_of_their_own():
    merged = shipped("synthetic") | {"epsilon": [0.001 * k for k in range(1, 1000)]}
    # jobs make records, and for Adult train on releases and on records
    message = r"27,972 grid points.* 1,998 jobs for cl.*, 3,996 for synthetic"
    with pytest.raises(ValueError, match=message):
        configuration.check(merged)


def test_figures_of_the_mode_and_thresholds_need_a_density_and_synthetic_records_do_not():
    bounded = changed("mechanisms.laplace", {"order": 1, "calibration": "adp-truncated"})
    for dataset, changes in (
        ("mildew", {"synthetic": ["counts"], "figures": {"mode": 20}}),
        ("adult", {"release": {"kind": "threshold"}}),
    ):
        settings = bounded["histograms"][dataset]
        before = dict(settings)
        settings |= changes
        with pytest.raises(ValueError, match=rf"{dataset}.* 'laplace' .*truncated Laplace"):
            configuration.check(bounded)
        settings |= before | {"figures": {}}
        configuration.check(bounded)


def test_a_public_total_is_the_total_of_all_neighbours():
    config = changed("histograms.adult.release", {"total": "public"}) | {"datasets": ["adult"]}
    assert configuration.check(config).neighbours == "replace-one"
    config["datasets"] = ["adult", "mildew"]
    with pytest.raises(ValueError, match=r"adult \(public\), mildew \(as-printed\)"):
        configuration.check(config)
    config["histograms"]["adult"]["release"] = {}
    own = configuration.check(config | {"datasets": ["adult"]})
    assert (own.neighbours, own.data["adult"].release.total) == ("add-remove", "private")


def test_laplace_noise_has_a_delta_if_stability_needs_it():
    for kind, points in (("non-empty", 3), ("all", 3), ("threshold", 3), ("stability", 12)):
        config = changed("histograms.adult.release", {"kind": kind}) | {"datasets": ["adult"]}
        config["histograms"]["adult"] |= {"mechanisms": ["laplace"], "figures": {}}
        checked = configuration.check(config)
        # only the paper's kind of release has a warning
        assert len([*run_checks.warnings_of(checked)]) == (kind == "non-empty")
        noisy_points = grid(checked)["adult"]
        assert len(noisy_points) == points
        assert {noisy.noise.scale * noisy.point.epsilon for noisy in noisy_points} == {1}


RELEASE = "histograms.adult.release"
LAPLACE = "mechanisms.laplace"
ADULT = PAPER["histograms"]["adult"] | {"synthetic": ["largest-remainder", "counts"]}
THRESHOLD = ADULT | {"release": {"kind": "threshold"}}
FILE = {"bytes": 1, "sha256": "0" * 64, "sources": ["https://x"]}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("repeat", 5, "repeat: … repeats? … classifier, datasets,"),
        ("kl.prior", 1, "kl.prior: … pseudo_count"),
        ("repeats", 0, "repeats: … 1, got 0"),
        ("repeats", 5.0, "repeats: … integer, got 5.0; write 5"),
        ("histograms.czech.figures.errors", 0, "histograms.czech.figures.errors: … 1, got 0"),
        ("epsilon", [], "epsilon: … 1 item … got []"),
        ("epsilon", [1, -2], "epsilon[1]: … than 0, got -2"),
        ("epsilon", [1, True], "epsilon[1]: … number, got true"),
        ("epsilon", [float("nan")], "epsilon[0]: … finite number, got nan"),
        ("epsilon", ["1", 1.0], "epsilon: … twice … [1, 1.0]"),
        ("epsilon", 1, "epsilon: … list, got 1; write [1]"),
        ("epsilon", [1, 10**400], "epsilon[1]: … number, got 1000000"),
        ("epsilon", [1, 1.00000000001], "epsilon: 1 and 1.00000000001"),
        ("delta", [0.1, 1], "delta[1]: … less than 1, got 1"),
        ("kl.direction", "original-to-sanitized", "kl.direction: … kl_reverse"),
        ("histograms.mildew.cells", "non-empty", "mildew.cells: … release.kind; … factors"),
        ("histograms.czech.several_tables", {}, "several_tables: … ggexp sanitize --tables"),
        (RELEASE, {"kind": "empty"}, "release.kind: … non-empty … all … threshold … got 'empty'"),
        (RELEASE, {"expected_empty": 3}, "release.expected_empty: … adult.release.kind: threshold"),
        (RELEASE, {"kind": "stability", "total": "public"}, "private only for neighbours: add-"),
        (RELEASE, {"total": 812}, "release.total: … private … public … as-printed', got 812"),
        ("histograms.adult", ADULT | {"release": {"kind": "all"}}, "synthetic: … total: public"),
        ("histograms.adult", THRESHOLD, "adult.synthetic: … adult.release.kind: non-empty or all"),
        ("histograms.mildew.release", {"kind": "all"}, "mildew.release.kind: all is for records"),
        ("metrics", ["l1", "l2"], "metrics[1]: … records', 'l1', 'kl … got 'l2'"),
        ("neighbours", "both", "neighbours: … add-remove … replace-one … got 'both'"),
        ("datasets", ["mildew", "moths"], "datasets: … 'moths'; … mildew, czech, adult"),
        ("datasets", [date(2019, 1, 2)], "datasets[0]: … string, got 2019-01-02; … quotes"),
        ("histograms.mildew.mechanisms", ["x"], "mildew.mechanisms: … 'x'; … laplace"),
        (LAPLACE, {"order": "least", "calibration": "adp-exact"}, "order: … best, got 'least'"),
        (LAPLACE, {"order": 1, "calibration": "pur"}, f"{LAPLACE}: … 'pur' … pdp"),
        (LAPLACE, {"order": 2, "calibration": "pure"}, f"{LAPLACE}: … 'pure' … got order 2"),
        (LAPLACE, {"order": 1}, f"{LAPLACE}.calibration: … required"),
        ("mechanisms", {1.5: {"calibration": "pdp"}}, "mechanisms … got 1.5; … quotes"),
        ("mechanisms.GGM-3", {"order": 3, "calibration": "pdp"}, "mechanisms: 'ggm-3' and 'GGM-3'"),
        ("classifier.repeats", 2.5, "classifier.repeats: … integer, got 2.5"),
        ("histograms.adult.classifier.mechanisms", ["gg"], "'gg' is not in histograms.adult.mech"),
        ("results_dir", 2026, "results_dir: … got 2026; … quotes"),
        ("results_dir", "results/{dataset}", "results_dir: … got 'results/{dataset}'"),
        ("histograms.adult.records.file", "{a}.csv", "adult.records.file: … {, } … got '{a}.csv'"),
        ("histograms.adult.records.training", None, "records.training: … 2/3 … got null"),
        ("histograms.adult.records.missing", 9, "records.missing: … list … null, got 9"),
        ("histograms.mildew.omitted", "one", "mildew.omitted: … 'zero', got 'one'"),
        ("download.files.x", FILE | {"sources": ["data/<x>"]}, "sources[0]: … got 'data/<x>'"),
        ("multiverse", {"factorials": {"<results>": {}}}, "multiverse.factorials … '<results>'"),
        ("histograms.mildew.factors.la10", ["yes", False], 'la10[1]: … got false; … write "no"'),
        ("histograms.mildew.factors", {False: ["a"]}, 'factors … got false; … write "no"'),
        ("download.files.x", FILE | {"sha256": "12"}, "x.sha256: … 64 … got '12'"),
        ("overwrite", "maybe", "overwrite: … got 'maybe'"),
    ],
)
def test_message(path, value, message):
    with pytest.raises(ValueError, match="the configuration is not valid") as caught:
        configuration.check(changed(path, value))
    assert re.search(pattern_of(message), str(caught.value))


def test_all_errors_are_reported_together():
    config = changed("repeats", 0) | {"epsilon": [-1], "colour": "blue"}
    with pytest.raises(ValueError, match=r"not valid:(\n.*){3}$"):
        configuration.check(config)


def test_values_of_the_command_line_are_converted():
    arguments = {
        "epsilon=[0.5,1.0]": {"epsilon": [0.5, 1]},
        "delta=[1e-5]": {"delta": [0.00001]},
        "theory=false": {"theory": False},
        "execution={repeats_per_job: 500, shared_files: false}": {
            "execution": {"repeats_per_job": 500, "shared_files": False}
        },
        "classifier={repeats: null}": {"classifier": {"repeats": None}},
        "seed=7": {"seed": 7},
        "overwrite=Yes": {"overwrite": True},
        "overwrite=false": {"overwrite": False},
    }
    for argument, expected in arguments.items():
        config = PAPER | parse_config([argument])
        checked = configuration.check(config)
        assert checked == configuration.check(PAPER | expected)
        assert config == PAPER | parse_config([argument])  # not modified


def test_names_fit_into_file_names():
    for name in ("GGM_3", "a.b-c_D", "1", "x" * 40, "a-"):
        config = changed(f"mechanisms|{name}", {"order": 1.5, "calibration": "pdp"})
        config["histograms"]["mildew"]["mechanisms"] = [name]
        config["histograms"][name] = {**PAPER["histograms"]["czech"], "figures": {}}
        configuration.check(config | {"datasets": ["mildew", name]})
    for name in ("..", "a..b", ".a", "a.", "-a", "a/b", "a b", "a\n", "", "ä", "x" * 41):
        for key, model in (("mechanisms", "laplace"), ("histograms", "czech")):
            with pytest.raises(ValueError, match=f"{key} .* got {re.escape(repr(name))}"):
                configuration.check(changed(f"{key}|{name}", PAPER[key][model]))


def test_mechanisms_and_numbers_of_figures():
    config = deepcopy(PAPER)
    own = {f"ggm-{i}": {"order": 3 + i / 10, "calibration": "pdp"} for i in range(1, 14)}
    config["mechanisms"] |= own
    config["histograms"]["czech"]["mechanisms"] = [*own][:12]
    configuration.check(config)
    config["histograms"]["czech"]["mechanisms"] = [*own]
    with pytest.raises(ValueError, match=r"czech\.mechanisms: at most 12 .* figures, got 13"):
        configuration.check(config)
    # a data set without figures may have more
    config["histograms"]["czech"]["mechanisms"] = ["laplace"]
    config["histograms"]["again"] = {"like": "czech", "mechanisms": [*own]}
    configuration.check(config | {"datasets": ["again"]})
    best = changed("mechanisms|gg-best", {"order": "best", "calibration": "adp-exact"})
    best["histograms"]["czech"] |= {"mechanisms": ["gg-best"], "figures": {"releases": None}}
    for neighbours in ("add-remove", "replace-one"):
        configuration.check(best | {"neighbours": neighbours})
    best["histograms"]["czech"]["figures"] |= {"errors": 8}
    checked = configuration.check(best | {"datasets": ["czech"]})
    assert checked.data["czech"].numbers == {"errors": 8}


def test_classifiers_are_trained_on_at_most_the_repeats_of_the_run():
    def trained(general, **own):
        config = changed("classifier.repeats", general)
        config["histograms"]["adult"]["classifier"] |= own
        checked = configuration.check(config)
        assert configuration.check(checked.written()) == checked
        return checked.data["adult"].classifier.repeats

    assert [trained(None), trained(100), trained(501)] == [500, 100, 500]
    assert [trained(100, repeats=7), trained(100, repeats=None)] == [7, 500]
    for own, expected in (({}, 4), ({"mechanisms": ["laplace"]}, 1), ({"mechanisms": []}, 0)):
        classifier = {"target": "income"} | own
        checked = configuration.check(changed("histograms.adult.classifier", classifier))
        assert len(checked.data["adult"].trained) == expected


def test_files_of_data_that_cannot_be_read_are_named_with_their_keys(tmp_path):
    def check(config, *datasets):
        checked = configuration.check(config | {"datasets": [*datasets]})
        run_checks.check_files(checked, tmp_path, tmp_path)

    os.mkfifo(tmp_path / "pipe")
    kinds = {".": "folder", "pipe": "pipe", "/dev/null": "device", "n" * 300: "no file"}
    for path, message in kinds.items():
        with pytest.raises(ValueError, match=rf"histograms\.czech\.counts: .*{message}"):
            check(changed("histograms.czech.counts", path), "czech")
    config = changed("histograms.czech.counts", "data/mine.csv")
    with pytest.raises(ValueError, match="missing") as caught:
        check(config, "czech", "adult")  # adult.data is fetched
    (line,) = str(caught.value).splitlines()[1:]
    assert f"  histograms.czech.counts: no file 'data/mine.csv' in {tmp_path}; " in line
    (tmp_path / "data").mkdir()
    (tmp_path / "data/mine.csv").touch()
    check(config, "czech", "adult")
    config["histograms"]["adult"]["records"]["file"] = "people.csv"
    with pytest.raises(ValueError, match=r"adult\.records\.file: no file 'people\.csv'"):
        check(config, "czech", "adult")


def test_results_are_in_their_folder_or_outside_the_project(tmp_path):
    project, elsewhere, link = (tmp_path / name for name in ("project", "elsewhere", "link"))
    project.mkdir()
    link.symlink_to(project / "src")
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "results").symlink_to(tmp_path / "scratch")  # on another disk
    run_checks.check_results_dir(checked(results_dir="results/a"), linked, linked)
    run_checks.check_results_dir(checked(results_dir="src"), tmp_path / "b", linked)
    for place in ("results", "./results/a/b", elsewhere, elsewhere / "new", project / "results/x"):
        run_checks.check_results_dir(checked(results_dir=str(place)), project, project)
    own = ["src", "workflow/rules", ".", "results/../src", "out", "/", "resultsx"]
    for place in (*own, project, project / "src", tmp_path, link):
        with pytest.raises(ValueError, match=f"results_dir: .*{re.escape(repr(str(place)))}"):
            run_checks.check_results_dir(checked(results_dir=str(place)), project, project)


def test_results_need_a_folder_that_can_be_made(tmp_path):
    (tmp_path / "file").touch()
    unusable = ["/dev/null", "/dev/null/x", f"{tmp_path}/file", f"{tmp_path}/file/x"]
    long = "a" * 300
    unusable += [f"{tmp_path}/{long}", f"{tmp_path}/none/{long}", f"{tmp_path}/\ud800"]
    if sys.platform == "linux":
        unusable.append("/proc/x")
    for place in unusable:
        with pytest.raises(ValueError, match=f"^results_dir: .*{re.escape(repr(place))}"):
            run_checks.check_results_dir(checked(results_dir=place), tmp_path, tmp_path / "p")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_warnings():
    config = configuration.check(changed("histograms.czech.counts", "data/own/mine.csv"))
    own, cells = run_checks.warnings_of(config)
    assert "not a release (czech)" in own
    assert "original counts" in own
    assert "(adult)" in cells
    assert "not differentially private" in cells


POINTS = [f"{name}/laplace/epsilon-{e}" for name in ("mildew", "czech") for e in (0.5, 1.0)]
POINTS += [f"mildew/ggm-3/epsilon-{e}_delta-{d}" for e in (0.5, 1.0) for d in (0.01, 0.1)]
MANIFEST = {
    "repeats": 5,
    "outputs": dict.fromkeys(
        ["summary.csv", "figures/figure_07.csv", "repeats/mildew.parquet", "repeats/czech.parquet"]
    ),
    "points": POINTS,
}
EVERYTHING = ["results/summary.csv", "results/manifest.json", "results/figures/figure_07.csv"]
ONE_FIGURE = EVERYTHING[2:]
SMALL_EPSILON = [point for point in POINTS if "epsilon-0.5" in point]
SMALL_DELTA = [point for point in POINTS if "delta-0.1" not in point]
OF_MILDEW = [point for point in POINTS if point.startswith("mildew")]


@pytest.mark.parametrize(
    ("points", "repeats", "planned", "changed", "lost"),
    [
        (["adult/laplace/epsilon-2.0", *POINTS], 6, EVERYTHING, [], None),  # a larger run
        (OF_MILDEW, 5, ["results/claims.csv"], [], "data sets: czech"),
        (OF_MILDEW, 5, ONE_FIGURE, [], None),  # of another data set
        (SMALL_EPSILON, 5, EVERYTHING, [], "/epsilon-1.0"),
        (SMALL_DELTA, 5, ONE_FIGURE, [], "delta-0.1"),
        (POINTS[:4], 5, ONE_FIGURE, [], None),  # without a mechanism
        (POINTS, 4, ONE_FIGURE, [], "repeats: 5 and not 4"),
        (POINTS, 4, ["results/releases/mildew.parquet"], [], None),
        (SMALL_EPSILON, 5, EVERYTHING, ["mildew", "czech"], None),
        (SMALL_DELTA, 5, EVERYTHING, ["mildew", "czech"], None),
        (OF_MILDEW, 5, EVERYTHING, ["mildew"], "data sets: czech"),
    ],
)
def test_a_smaller_run_does_not_replace_a_larger_one(points, repeats, planned, changed, lost):
    config = checked(repeats=repeats)
    arguments = (MANIFEST, points, planned, changed)
    run_checks.check_overwriting(checked(repeats=repeats, overwrite=True), *arguments)
    if lost is None:
        return run_checks.check_overwriting(config, *arguments)
    with pytest.raises(ValueError, match="larger run") as refused:
        run_checks.check_overwriting(config, *arguments)
    advice = ("results_dir=", "overwrite=true", "OVERWRITE=yes")
    assert all(part in str(refused.value) for part in (lost, *advice))


def test_the_manifest_of_an_earlier_version_lists_a_file_for_each_grid_point():
    outputs = [f"repeats/{point}.parquet" for point in POINTS]
    earlier = {"repeats": 5, "outputs": dict.fromkeys(["summary.csv", *outputs])}
    run_checks.check_overwriting(checked(repeats=5), earlier, POINTS, EVERYTHING)
    with pytest.raises(ValueError, match="data sets: czech"):
        run_checks.check_overwriting(checked(repeats=5), earlier, OF_MILDEW, EVERYTHING)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("repeats", 3, True),
        ("datasets", ["czech"], True),
        ("histograms.czech.mechanisms", ["laplace"], True),
        ("histograms.adult.classifier.repeats", 3, True),
        ("mechanisms|unused", {"order": 1, "calibration": "pdp"}, True),
        ("mechanisms.laplace.calibration", "pdp", False),
        ("kl.pseudo_count", 1, False),
        (RELEASE, {"kind": "threshold"}, False),
        ("histograms.mildew.counts", "data/mine.csv", False),
    ],
)
def test_the_paper_s_experiment_is_recognized(key, value, expected):
    config = configuration.check(changed(key, value))
    assert run_checks.is_paper_run(config, configuration.check(PAPER)) is expected


def test_the_name_of_a_data_set_must_differ_from_that_of_test_records():
    config = changed("histograms|Adult_TEST", PAPER["histograms"]["czech"] | {"figures": {}})
    configuration.check(config | {"datasets": ["mildew", "Adult_TEST"]})
    with pytest.raises(ValueError, match=r"datasets: 'Adult_TEST' .*'adult'"):
        configuration.check(config | {"datasets": ["Adult_TEST", "adult"]})
