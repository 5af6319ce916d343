"""Bad input ends a run before any job starts, with one message and no traceback."""

import pytest
from conftest import Project

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {
                "histograms": {
                    "own": {
                        "counts": "data/own/mine.csv",
                        "factors": {"a": ["x", "y"]},
                        "total": 1,
                        "mechanisms": ["laplace"],
                    }
                },
                "datasets": ["own"],
            },
            "histograms.own.counts: no file 'data/own/mine.csv' in ",
        ),
        ({"repeats": 0}, "repeats: must be >= 1, got 0"),
        ({"epsilon": [float("nan")]}, "epsilon[0]: must be a finite number, got nan"),
        ({"epsilon": 1}, "epsilon: must be a list, such as [1], got 1"),
        ({"results_dir": "a*"}, "results_dir: must be the path of a folder without"),
        ({"datasets": ["moths"]}, "datasets: unknown data set 'moths', defined in histograms are:"),
    ],
)
def test_configuration(project: Project, settings: dict[str, object], message: str) -> None:
    project.configure(**settings)
    ended = project.snakemake()
    assert ended.returncode != 0
    assert message in ended.stdout
    assert "Traceback" not in ended.stdout
    assert not (project.folder / "results").exists()


def test_table(project: Project) -> None:
    project.edit("data/mildew.csv", lambda text: text.replace("2,1,1,1,1,1,0", "2,1,1,1,1,1,-1"))
    ended = project.snakemake()
    assert ended.returncode != 0
    assert "data/mildew.csv, line 3: count must be a non-negative whole number, got '-1'" in (
        ended.stdout
    )
    assert "Traceback" not in ended.stdout
    assert not (project.folder / "results").exists()


def test_yes_and_no_of_yaml_are_not_text(project: Project) -> None:
    """As they stand in a file, before YAML has read them."""
    path = project.folder / "small.yaml"
    text = path.read_text().replace("datasets:", "datasets: [own]\nunused:", 1)
    text = text[: text.index("unused:")] + text[text.index("epsilon:") :]
    path.write_text(
        text + "  own: {counts: data/own.csv, factors: {smoker: [yes, no]}, total: 3, "
        "mechanisms: [laplace]}\n"
    )
    ended = project.snakemake()
    assert ended.returncode != 0
    assert (
        "histograms.own.factors.smoker[0]: must be text, got true; YAML reads yes, on and true as "
        'true: write "yes"'
    ) in ended.stdout


def test_a_target_of_three_classes_ends_before_any_machine(project: Project) -> None:
    project.add_records()
    project.edit("people.csv", lambda text: text.replace(", yes", ", very", 1))
    project.configure(datasets=["people"])
    ended = project.snakemake("--keep-going", targets=("figure_22",))
    assert ended.returncode != 0
    assert (
        "histograms.people.records.target: must have 2 classes, but 'rich' has 3 in people.csv: "
        "no, very, yes"
    ) in ended.stdout
    assert not (project.folder / "results/accuracy").exists()
    assert not (project.folder / "results/baselines").exists()


def test_names_with_dots_underscores_and_upper_case_run(project: Project) -> None:
    """From their files to their figures."""
    histograms = project.histograms(
        **{
            "My_own.table-2": {
                "like": "mildew",
                "mechanisms": ["laplace", "GGM_1.5"],
                "figures": {"releases": 20, "errors": 21},
            }
        }
    )
    project.configure(
        datasets=["My_own.table-2"],
        histograms=histograms,
        mechanisms={"GGM_1.5": {"order": 1.5, "calibration": "pdp"}},
    )
    project.run()
    names = {*project.outputs()}
    assert "repeats/My_own.table-2/GGM_1.5/epsilon-1.0_delta-0.05.parquet" in names
    assert {"figures/figure_20.png", "figures/figure_21.png"} <= names


def test_what_a_run_is_not_is_said_once(project: Project) -> None:
    project.add_records()
    project.configure(datasets=["mildew"])
    assert "docs/guide.md" not in project.run("--dry-run")
    project.configure(datasets=["mildew", "people"])
    printed = project.run(targets=("results/histograms/people.parquet",))
    assert printed.count("an experiment, not a release (people)") == 1
    assert printed.count("non-empty cells of records are sanitized (people)") == 1
