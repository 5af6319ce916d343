"""A changed seed, grid or number of repeats: exactly the jobs that it concerns run again."""

import re

import pandas as pd
import pytest
from conftest import Project

pytestmark = pytest.mark.slow

TARGETS = ("figure_22", "results/summary.csv", "results/scales.csv")
CHUNK = "results/accuracy/people/laplace/epsilon-{}/repeats-{}-{}.parquet"
REPEATS = "results/repeats/people/laplace/epsilon-{}.parquet"
FOLLOWS = {
    *("summarize", "merge_tables"),
    *("tabulate_figure", "draw_figure"),
}


@pytest.fixture
def people(small: Project) -> Project:
    """A finished run of one mechanism, two repeats a job."""
    made = small.settings["histograms"]["people"] | {"mechanisms": ["laplace"]}
    small.configure(
        datasets=["people"],
        histograms={"people": made},
        execution={"repeats_per_job": 2},
        overwrite=True,
    )
    small.run(targets=TARGETS)
    return small


def outputs(planned: dict[str, list[str]], rule: str) -> list[str]:
    """The first output of each job of a rule."""
    return sorted(re.findall(r"^    output: ([^\s,]+)", "".join(planned[rule]), re.MULTILINE))


def test_changes_run_what_they_concern(people: Project) -> None:
    chunks = [CHUNK.format("1.0", 0, 1), CHUNK.format("1.0", 2, 3)]
    before = [(people.folder / name).read_bytes() for name in chunks]
    first = pd.read_parquet(people.folder / REPEATS.format("1.0"))

    # another ε: its own jobs, and no others
    people.configure(epsilon=[1, 2])
    planned = people.planned(targets=TARGETS)
    rules = {"measure_releases", "measure_accuracy", "tabulate_scales", *FOLLOWS}
    assert planned.keys() == rules
    assert outputs(planned, "measure_releases") == [REPEATS.format("2.0")]
    assert outputs(planned, "measure_accuracy") == [CHUNK.format("2.0", k, k + 1) for k in (0, 2)]

    # another seed: all that is drawn at random, the split included, but no scale
    people.configure(epsilon=[1])
    rules = {"make_records_histogram", "prepare_classifiers", "tabulate_baselines"}
    assert people.planned("--config", "seed=7", targets=TARGETS).keys() == rules | {
        *("measure_releases", "measure_accuracy"),
        *FOLLOWS,
    }

    # twice the repeats: finished chunks stay, and the first repeats are the same bits
    people.configure(repeats=8)
    planned = people.planned(targets=TARGETS)
    assert planned.keys() == {"measure_releases", "measure_accuracy", *FOLLOWS}
    assert outputs(planned, "measure_releases") == [REPEATS.format("1.0")]
    more = [CHUNK.format("1.0", 4, 5), CHUNK.format("1.0", 6, 7)]
    assert outputs(planned, "measure_accuracy") == more
    people.run(targets=(REPEATS.format("1.0"), *more))
    assert [(people.folder / name).read_bytes() for name in chunks] == before
    longer = pd.read_parquet(people.folder / REPEATS.format("1.0"))
    pd.testing.assert_frame_equal(longer.head(4), first, check_exact=True)
    assert len(longer) == 8


def test_a_smaller_run_does_not_replace_a_larger_one(small: Project) -> None:
    """It is refused, unless it has a folder of its own or is told to; one figure is not refused."""
    before = small.outputs()
    datasets = small.settings["datasets"]
    small.configure(datasets=["mildew"])
    refused = small.snakemake()
    assert refused.returncode != 0
    lost = f"data sets: {', '.join(sorted({*datasets} - {'mildew'}))}"
    told = " ".join(refused.stdout.split())
    assert all(text in told for text in (lost, "results_dir=results/part", "overwrite=true"))
    assert "Traceback" not in told
    assert small.outputs() == before
    (small.folder / "results/figures/figure_07.png").unlink()
    small.run(targets=("figure_07",))
    assert (small.folder / "results/figures/figure_07.png").exists()

    elsewhere = ("--config", "results_dir=results/part")
    (small.folder / "results/part").mkdir()
    for folder in ("histograms", "repeats", "figures"):  # so that it is short
        (small.folder / "results" / folder).rename(small.folder / f"results/part/{folder}")
    small.run(*elsewhere, targets=("results/part/summary.csv",))
    summary = pd.read_csv(small.folder / "results/part/summary.csv")
    assert {*summary["dataset"]} == {"mildew"}


def test_old_grid_points_do_not_linger(small: Project) -> None:
    target = ("results/summary/errors/mildew.csv",)
    small.configure(epsilon=[2])
    planned = small.planned(targets=target)
    assert {rule: len(jobs) for rule, jobs in planned.items()} == {
        "measure_releases": 2,  # Laplace and Gaussian-pDP at ε = 2
        "summarize": 1,
    }
    before = small.outputs("repeats/**/*.parquet")
    small.run(targets=target)
    assert before.items() <= small.outputs("repeats/**/*.parquet").items()
    summary = (small.folder / target[0]).read_text()
    assert "mildew,laplace,2," in summary
    assert "mildew,laplace,1," not in summary
