"""A changed seed, grid or number of repeats reruns exactly the affected jobs."""

import re

import pandas as pd
import pytest

pytestmark = pytest.mark.slow

TARGETS = tuple(f"results/{name}.csv" for name in ("figures/figure_22", "summary", "scales"))
CHUNK = "results/accuracy/people/laplace/epsilon-{}/repeats-{}-{}.parquet"
REPEATS = "results/repeats/people.parquet"
PART = "results/repeats/people/repeats-{}-{}.parquet"
DEPENDENT_RULES = {
    *("measure_part", "join_parts", "summarize_errors", "summarize"),
    *("compare_mechanisms", "tabulate_figure"),
}


def outputs(planned, rule):
    return sorted(re.findall(r"^    output: ([^\s,]+)", "".join(planned[rule]), re.MULTILINE))


def test_changes_rerun_the_affected_jobs(small):
    """In a finished run of one mechanism, with two repeats per job."""
    settings = small.settings["histograms"]["people"] | {"mechanisms": ["laplace"]}
    divided = {"execution": {"repeats_per_job": 2}, "histograms": {"people": settings}}
    small.configure(datasets=["people"], overwrite=True, **divided)
    small.run(targets=TARGETS)
    chunks = [CHUNK.format("1.0", 0, 1), CHUNK.format("1.0", 2, 3)]
    before = [(small.folder / name).read_bytes() for name in chunks]
    first = pd.read_parquet(small.folder / REPEATS)
    assert not [*(small.folder / "results/repeats/people").glob("*.parquet")]  # joined

    # another ε: the errors, and only its own classifiers
    small.configure(epsilon=[1, 2])
    planned = small.planned(targets=TARGETS)
    assert planned.keys() == {"measure_accuracy", *DEPENDENT_RULES}
    assert outputs(planned, "measure_part") == [PART.format(k, k + 1) for k in (0, 2)]
    assert outputs(planned, "measure_accuracy") == [CHUNK.format("2.0", k, k + 1) for k in (0, 2)]

    # another seed: all jobs that draw at random, including the split
    small.configure(epsilon=[1])
    rules = {"make_records_histogram", "prepare_classifiers", "tabulate_baselines", "merge_tables"}
    assert small.planned("--config", "seed=7", targets=TARGETS).keys() == rules | {
        "measure_accuracy",
        *DEPENDENT_RULES,
    }

    # twice the repeats: finished classifiers remain, and the first repeats have the same bits
    small.configure(repeats=8)
    planned = small.planned(targets=TARGETS)
    assert planned.keys() == {"measure_accuracy", *DEPENDENT_RULES}
    new_chunks = [CHUNK.format("1.0", 4, 5), CHUNK.format("1.0", 6, 7)]
    assert outputs(planned, "measure_accuracy") == new_chunks
    small.run(targets=(REPEATS, *new_chunks))
    assert [(small.folder / name).read_bytes() for name in chunks] == before
    longer = pd.read_parquet(small.folder / REPEATS)
    pd.testing.assert_frame_equal(longer.head(4), first, check_exact=True)
    assert len(longer) == 8


def test_a_smaller_run_does_not_replace_a_larger_one(small):
    """It needs its own folder, or permission to overwrite. A single figure is not refused."""
    before = small.outputs()
    datasets = small.settings["datasets"]
    small.configure(datasets=["mildew"])
    message = small.refused()
    lost = f"data sets: {', '.join(sorted({*datasets} - {'mildew'}))}"
    assert all(text in message for text in (lost, "results_dir=results/part", "overwrite=true"))
    assert small.outputs() == before
    (small.folder / "results/figures/figure_07.png").unlink()
    small.run(targets=("figure_07",))
    assert (small.folder / "results/figures/figure_07.png").exists()


def test_outdated_results_cannot_be_touched(small):
    """They would count as up to date, although they are those of another design, or incomplete."""
    small.run("--touch", "--forceall")
    assert not small.planned()
    settings = small.settings
    small.configure(repeats=5)
    small.refused("--touch")
    assert "measure_releases" in small.planned()

    small.configure(**settings)
    (small.folder / REPEATS).unlink()
    small.refused("--touch", "--forceall")
    assert "measure_releases" in small.planned()
