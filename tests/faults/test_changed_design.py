"""A changed seed, grid or number of repeats: exactly the jobs that it concerns run again."""

import io
import re

import pandas as pd
import pytest
from conftest import Project

pytestmark = pytest.mark.faults

TARGETS = ("figure_22", "results/summary.csv", "results/scales.csv")


def planned(project: Project) -> dict[str, set[str]]:
    """The rules that a run would execute now, each with its first outputs."""
    plan = project.run("--dry-run", targets=TARGETS)
    found: dict[str, set[str]] = {}
    for rule, output in re.findall(r"rule (\w+):\n(?:    input: .*\n)?    output: ([^\s,]+)", plan):
        found.setdefault(rule, set()).add(output.removeprefix("results/"))
    return found


def table(outputs: dict[str, bytes], name: str) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(outputs[name]))


def test_changes_run_what_they_concern(project: Project) -> None:
    project.add_records(figures={"accuracy": 22})
    made = project.settings["histograms"]["people"] | {"mechanisms": ["laplace"]}
    project.configure(datasets=["people"], histograms={"people": made}, svm={"repeats_per_job": 2})
    project.run(targets=TARGETS)
    assert planned(project) == {}
    before = project.outputs()
    chunk = "accuracy/people/laplace/epsilon-{}/repeats-{}-{}.parquet"
    repeats = "repeats/people/laplace/epsilon-{}.parquet"
    follows = {
        "summarize_errors",
        "summarize_accuracy",
        "merge_summaries",
        "tabulate_accuracy",
        "draw_experiment",
    }

    # twice the repeats: finished chunks stay, and the first repeats are the same bits
    project.configure(repeats=8)
    plan = planned(project)
    assert plan.keys() == {"sanitize_histogram", "classify_releases", *follows}
    assert plan["sanitize_histogram"] == {repeats.format("1.0")}
    assert plan["classify_releases"] == {chunk.format("1.0", 4, 5), chunk.format("1.0", 6, 7)}
    project.run(targets=TARGETS)
    after = project.outputs()
    for name in (chunk.format("1.0", 0, 1), chunk.format("1.0", 2, 3)):
        assert after[name] == before[name]
    first, longer = (table(files, repeats.format("1.0")) for files in (before, after))
    pd.testing.assert_frame_equal(longer.head(4), first, check_exact=True)
    assert len(longer) == 8

    # another ε: its own jobs, and no others
    project.configure(epsilon=[1, 2])
    plan = planned(project)
    assert plan.keys() == {"sanitize_histogram", "classify_releases", "tabulate_scales", *follows}
    assert plan["sanitize_histogram"] == {repeats.format("2.0")}
    assert all("epsilon-2.0" in output for output in plan["classify_releases"])
    assert len(plan["classify_releases"]) == 4

    # another seed: all that is drawn at random, the split included, but no scale
    project.configure(seed=7, epsilon=[1])
    assert planned(project).keys() == {
        "make_records_histogram",
        "sanitize_histogram",
        "prepare_machines",
        "classify_releases",
        "tabulate_baselines",
        *follows,
    }


def test_a_new_grid_point_runs_alone_and_old_ones_do_not_linger(project: Project) -> None:
    project.run()
    before = project.outputs("*.parquet")
    project.configure(epsilon=[1, 2])
    assert "rule sanitize_histogram" in (plan := project.run("--dry-run"))
    assert plan.count("rule sanitize_histogram:") == 2  # Laplace and Gaussian-pDP at ε = 2
    project.run()
    assert before.items() <= project.outputs("*.parquet").items()

    project.configure(epsilon=[2])
    project.run()
    summary = (project.folder / "results/summary.csv").read_text()
    assert "mildew,laplace,2," in summary
    assert "mildew,laplace,1," not in summary
