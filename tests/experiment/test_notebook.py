"""Grids of a user's own table in a notebook: same results as the workflow, for all types."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import describe

import ggexp
from ggexp import GeneralizedGaussian, Mechanism, run_grid

LAPLACE = {"laplace": Mechanism(1, "pure")}
COUNTS = [12, 0, 30, 7]
DESIGN = {"epsilon": [0.5, 1], "repeats": 3, "seed": 4}
CELLS = pd.MultiIndex.from_product([["a", "b"], ["x", "y"]], names=["first", "second"])
SERIES = pd.Series(COUNTS, index=CELLS, name="people")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": []}, "one or more cells"),
        ({"table": [1, -2]}, "whole numbers >= 0, got -2"),
        ({"table": [1, 2.5]}, r"whole numbers >= 0, got 2\.5"),
        ({"table": [1, np.nan]}, "finite numbers, got nan"),
        ({"table": ["a", "b"]}, "a column named 'count'"),
        ({"table": SERIES.reset_index()}, "a column named 'count'"),
        ({"table": [2**53, 1024]}, "at most 9007199254740992"),
        ({"mechanisms": {}}, "no grid point"),
        ({"epsilon": [0]}, "epsilon must be"),
        ({"epsilon": 1}, r"epsilon .*list.* \[0\.1\], got 1"),
        ({"epsilon": [None]}, "epsilon.* finite.* got None"),
        ({"seed": -1}, "seed.* whole .*>= 0, got -1"),
        ({"repeats": 2.5}, r"repeats.* whole .*>= 1, got 2\.5"),
        ({"pseudo_count": None}, "pseudo_count.* > 0, got None"),
        ({"dataset": 2019}, "dataset .*text, got 2019"),
        ({"total": "known"}, "total must be one of .*, got 'known'"),
        ({"mechanisms": {1.0: Mechanism(1, "pure")}}, r"mechanism .*text, got 1\.0"),
        ({"mechanisms": [Mechanism(1, "pure")]}, "mechanisms .*mapping"),
        ({"mechanisms": {"a": 3}}, "mechanisms .*Mechanisms, .*got 3 .*'a'"),
        ({"mechanisms": {"g": {"order": 2, "calibration": "pure"}}}, "fits order 1 only.* 'g'"),
    ],
)
def test_invalid_arguments_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        run_grid(**({"table": COUNTS, "mechanisms": LAPLACE} | DESIGN | changes))


def test_the_default_mechanisms_are_those_that_describe_proposes(tmp_path):
    (tmp_path / "t.csv").write_text("eyes,hair,count\na,x,12\na,y,0\nb,x,30\nb,y,7\n")
    proposed = yaml.safe_load(describe(tmp_path / "t.csv"))
    expected = run_grid(COUNTS, mechanisms=proposed["mechanisms"], delta=[0.01], **DESIGN)
    errors = run_grid(COUNTS, delta=[0.01], **DESIGN)
    pd.testing.assert_frame_equal(errors, expected)
    assert errors["mechanism"].nunique() == len(proposed["mechanisms"]) > 1
    assert set(run_grid(COUNTS, **DESIGN)["mechanism"]) == {"geometric", "laplace"}  # without a δ


def test_the_recommendation_is_based_on_the_measured_errors():
    errors = run_grid(COUNTS, delta=[0.01], **DESIGN)
    best = ggexp.recommend(errors[errors["mechanism"].isin(["laplace", "discrete-gaussian"])])
    l1 = best[(best["metric"] == "l1") & (best["guarantee"] == "(ε, δ)-aDP")]
    means = errors.groupby(["epsilon", "mechanism"])["l1"].mean()
    for row in l1.to_dict("records"):
        measured = means[row["epsilon"]][["laplace", "discrete-gaussian"]]
        assert {row["mechanism"], row["runner_up"]} == {*measured.index}
        assert row["relative"] == pytest.approx(measured[row["mechanism"]] / sum(COUNTS))
    assert list(l1["epsilon"]) == DESIGN["epsilon"]
    assert set(best["metric"]) == {"l1", "kl", "kl_reverse"}
    squares = ggexp.recommend(errors.assign(l2=errors["l1"] ** 2))
    assert {*squares["metric"]} - {*best["metric"]} == {"l2"}
    assert len(ggexp.needed_epsilon(best)) == 6


def test_noise_is_compared_where_it_satisfies_the_guarantee():
    noises = {"narrow": GeneralizedGaussian(1, 1.5), "normal": GeneralizedGaussian(2, 3.0)}
    errors = run_grid(COUNTS, mechanisms=LAPLACE | noises, delta=[0.1], **DESIGN)
    has_delta = errors.groupby("mechanism")["delta"].count() > 0
    assert has_delta.to_dict() == {"laplace": False, "narrow": False, "normal": True}
    best = ggexp.recommend(errors)
    pairs = best[best["metric"] == "l1"].set_index(["guarantee", "epsilon"])
    compared = {row: {*pairs.loc[row, ["mechanism", "runner_up"]].dropna()} for row in pairs.index}
    assert compared == {
        ("ε-DP", 0.5): {"laplace"},  # the narrow noise satisfies ε-DP from ε = 1/1.5
        ("ε-DP", 1): {"laplace", "narrow"},
        ("(ε, δ)-aDP", 0.5): {"laplace", "normal"},
        ("(ε, δ)-aDP", 1): {"laplace", "narrow"},
    }


def test_errors_without_attrs_or_rows_are_refused():
    errors = run_grid(COUNTS, mechanisms=LAPLACE, **DESIGN)
    with pytest.raises(ValueError, match="run_grid"):
        ggexp.recommend(pd.DataFrame(errors.to_dict("list")))
    with pytest.raises(ValueError, match="one data set, got 0"):
        ggexp.recommend(errors[:0])


@pytest.mark.slow
def test_packages_of_the_workflow_are_not_needed():
    code = """
import sys, ggexp
errors = ggexp.run_grid([5, 6], epsilon=[1], delta=[0.1], repeats=2, seed=1)
ggexp.needed_epsilon(ggexp.recommend(errors))
ggexp.plot_errors(errors), ggexp.plot_releases(errors), ggexp.noise_table(0.5, 0.1)
extra = {"snakemake", "pydantic", "jinja2", "pooch", "requests", "urllib3", "rich"}
assert not extra & {*sys.modules}, extra & {*sys.modules}
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_type_of_the_table_does_not_matter():
    expected = run_grid(COUNTS, mechanisms=LAPLACE, **DESIGN)
    for table in (
        SERIES,
        SERIES.unstack(),  # noqa: PD010
        SERIES.rename("count").reset_index(),
        np.array(COUNTS, dtype=float).reshape(2, 2),
        tuple(COUNTS),
    ):
        pd.testing.assert_frame_equal(run_grid(table, mechanisms=LAPLACE, **DESIGN), expected)
