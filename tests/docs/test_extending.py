"""The blocks of docs/extending.md, applied to a copy of the project and run as the page says.

The configurations of all sections are merged, and one run tests all of them.
"""

import json
import re
import sys
from math import expm1, log, pi, sinh, sqrt, tanh
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml
from conftest import ROOT, Project, ran

from ggexp.run.files import read_csv
from ggexp.run.storage import read_parquet

pytestmark = pytest.mark.slow

LAPLACE = "mechanism == 'laplace' and epsilon == 1"

PAGE = (ROOT / "docs/extending.md").read_text("utf-8")
#: The line above each block (if any), its language, and its content.
BLOCKS = re.findall(r"(?:^([^\n]+)\n\n)?^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"In `([^`]+)`, (a new file|at the end|(above|below) `(.+)`)")
RUN = "ggexp snakemake --cores all --configfile mine.yaml"
#: One grid point for each mechanism, fewer releases, and one folder of results for all sections.
SMALL = {"epsilon": [1], "delta": [0.05], "repeats": 100, "results_dir": "results/mine"}
SMALL |= {"theory": False}
#: Fewer mechanisms and no figures for a data set from `ggexp describe`.
REDUCED = {"hair-eye": {"mechanisms": ["geometric", "optimal"], "figures": {}}}


def edit(folder, place, text):
    path, position, side, anchor = place.groups()
    file = folder / path
    if side and text.startswith("def "):
        text += "\n\n"
    if position == "a new file":
        assert not file.exists()
        file.write_text(text, "utf-8")
        return
    lines = file.read_text("utf-8").splitlines(keepends=True)
    indices = [len(lines)]
    if side:
        indices = [i + (side == "below") for i, line in enumerate(lines) if line.strip() == anchor]
        assert len(indices) == 1, f"{path}: {anchor}"
    lines.insert(indices[0], text)
    file.write_text("".join(lines), "utf-8")


def merged(first, second):
    if isinstance(first, dict) and isinstance(second, dict):
        return {key: merged(first.get(key), second.get(key)) for key in {**first, **second}}
    if isinstance(first, list) and isinstance(second, list):
        return list(dict.fromkeys([*first, *second]))
    return first if second is None else second


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """The folder of results, the page of results as one line, and the output of other commands."""
    project = Project(tmp_path_factory.mktemp("extending"))
    settings: Any = {}
    outputs = {}
    for above, language, text in BLOCKS:
        if place := PLACE.fullmatch(above):
            edit(project.folder, place, text)
        elif language == "yaml":
            settings = merged(settings, yaml.safe_load(text))
        else:
            assert language == "sh", text
            for line in text.splitlines():
                if line.startswith("ggexp ") and line != RUN:
                    command = [sys.executable, "-m", *line.partition(" > ")[0].split()]
                    ended = ran(*command, cwd=project.folder, env=project.environment)
                    outputs[line] = ended.stdout
                if line.endswith(" > mine.yaml"):
                    settings = merged(settings, yaml.safe_load(outputs[line]))
                assert line in (RUN, *outputs)
    for name, settings_of_dataset in REDUCED.items():
        settings["histograms"][name] |= settings_of_dataset
    (project.folder / "mine.yaml").write_text(yaml.safe_dump(settings | SMALL), "utf-8")
    completed = project.command(sys.executable, "-m", *RUN.split())
    assert completed.returncode == 0, completed.stdout
    results = project.folder / "results/mine"
    index = " ".join((results / "index.html").read_text("utf-8").split())
    return SimpleNamespace(results=results, index=index, outputs=outputs)


def test_a_mechanism_and_a_data_set(extended):
    for table in ("scales.csv", "summary.csv", "figures/figure_08.csv", "figures/figure_09.csv"):
        assert "ggm-1.5" in {*read_csv(extended.results / table)["mechanism"]}
    assert (extended.results / "figures/figure_09.png").stat().st_size > 10_000
    assert "GGM-1.5" in extended.index
    datasets = {*read_csv(extended.results / "summary.csv")["dataset"]}
    assert datasets == {"czech", "czech-rounded", "hair-eye"}


def test_a_calibration_rule(extended):
    (compared,) = [text for line, text in extended.outputs.items() if " compare " in line]
    rows = [row for row in json.loads(compared) if row["calibration"] == "adp-tail"]
    assert {row["order"] for row in rows} == {1, 1.5, 2, 3}
    assert all(row["exact_delta"] <= 0.01 for row in rows)
    scales = read_csv(extended.results / "scales.csv").set_index("mechanism")
    # the loss of normal noise is normal: σ - 1/(2σ) = z at ε = 1
    z = NormalDist().inv_cdf(0.95)
    assert scales.loc["gaussian-tail", "sd"] == pytest.approx((z + sqrt(z * z + 2)) / 2)
    answer = read_csv(extended.results / "recommendation.csv").set_index("dataset").loc["czech"]
    approximate = answer[answer["guarantee"] == "(ε, δ)-aDP"]
    assert "gaussian-tail" in {*approximate["mechanism"], *approximate["runner_up"]}


def test_a_family_of_noise(extended):
    """The family is compared, calibrated, run and recommended like the built-in ones."""
    (compared,) = [text for line, text in extended.outputs.items() if " compare " in line]
    (row,) = [row for row in json.loads(compared) if row["calibration"] == "logistic"]
    assert (row["order"], row["guarantee"], row["scale"]) == (None, "ε-DP", 2)
    assert row["sd"] == pytest.approx(2 * pi / sqrt(3), rel=1e-5)
    assert row["mean_absolute"] == pytest.approx(4 * log(2), rel=1e-5)
    assert row["above_best"] == pytest.approx(4 * log(2) * sinh(0.5) - 1, rel=1e-5)
    assert row["exact_delta"] == 0
    # the ε at which the δ, (1 - e^((ε-h)/2))² / (1 - e^-h) with h = 0.5, is 0.01
    expected = 0.5 + 2 * log(1 - sqrt(0.01 * -expm1(-0.5)))
    assert row["exact_epsilon"] == pytest.approx(expected, rel=1e-5)
    assert row["advantage"] == pytest.approx(tanh(0.5 / 4) / 2, rel=1e-5)
    (answer,) = [text for line, text in extended.outputs.items() if " noise " in line]
    rows = dict(line.rsplit(maxsplit=1) for line in answer.splitlines())
    # |e| exceeds x with probability 2 / (1 + exp(x / 2))
    assert float(rows["error of 19 in 20"]) == pytest.approx(2 * log(39), rel=1e-5)
    scales = read_csv(extended.results / "scales.csv").set_index("mechanism")
    assert scales.loc["logistic", ["scale", "sd"]].tolist() == pytest.approx([1, pi / sqrt(3)])
    repeats = read_parquet(extended.results / "repeats/czech.parquet").query("epsilon == 1")
    mean = repeats.groupby("mechanism")["l1"].mean()
    assert 0.9 < mean["logistic"] / mean["laplace"] < 1.5  # E|e| is 2 ln 2 instead of 1
    answer = read_csv(extended.results / "recommendation.csv").set_index("dataset").loc["czech"]
    assert "logistic" in {*answer.loc[answer["guarantee"] == "ε-DP", "runner_up"]}


def test_a_family_of_noise_is_audited_composed_and_released_above_a_threshold(extended):
    """The audit uses all kinds of releases, and finds no bound above a claimed guarantee."""
    program = """
from ggexp.companions.audit_table import Point, tabulate_audit
point = Point("own", None, "logistic", epsilon=2, delta=0.05)
table = tabulate_audit([point], seed=1, share=0.01)
own = table[table["mechanism"] == "own"]
print(sorted(set(own["released"])), bool(own.loc[own["claimed"], "exceeds"].any()))
from ggexp import Mechanism
from ggexp.guarantees.composition import Composition
low, high = Composition([(Mechanism(None, "logistic").noise(epsilon=1), 3)]).epsilon(delta=1e-6)
print(low <= high < 3)
"""
    environment = Project.at(extended.results.parents[1]).environment
    printed = ran(sys.executable, "-W", "ignore", "-c", program, env=environment).stdout
    assert printed == "['every cell', 'stability', 'threshold'] False\nTrue\n"


def test_a_kind_of_release(extended):
    """Errors of rounded releases are whole numbers, close to those of releases without rounding."""
    rounded, unrounded = (
        read_parquet(extended.results / f"repeats/{dataset}.parquet").query(LAPLACE)["l1"]
        for dataset in ("czech-rounded", "czech")
    )
    assert (rounded % 1 == 0).all()
    assert (unrounded % 1 != 0).all()
    assert rounded.mean() == pytest.approx(unrounded.mean(), rel=0.1)


def test_a_metric_and_a_claim(extended):
    repeats = read_parquet(extended.results / "repeats/czech.parquet").query(LAPLACE)
    assert list(repeats)[-4:] == ["l1", "kl", "kl_reverse", "worst"]
    summary = read_csv(extended.results / "summary.csv").set_index(["dataset", "mechanism"])
    laplace = summary.loc["czech", "laplace"].set_index("metric")["mean"]
    assert laplace["worst"] == pytest.approx(repeats["worst"].mean())
    # for 64 independent Laplace errors with scale 1, the mean of the largest is a harmonic number;
    # clamping and rescaling reduce it slightly
    assert laplace["worst"] == pytest.approx(sum(1 / k for k in range(1, 65)), rel=0.1)
    drawn = read_csv(extended.results / "figures/figure_09.csv")
    assert list(drawn["metric"].unique()) == ["l1", "worst", "ratio"]
    answer = read_csv(extended.results / "recommendation.csv")
    assert list(answer["metric"].unique()) == ["l1", "kl", "worst"]
    claims = read_csv(extended.results / "claims.csv").set_index("id")
    assert claims.loc["czech-order-worst", "verdict"] == "confirmed"  # at this grid point


def test_a_figure(extended):
    drawn = read_csv(extended.results / "figures/figure_30.csv")
    summary = read_csv(extended.results / "summary/errors/czech.csv")
    rows = summary[summary["metric"].isin(["l1", "worst"])]
    assert list(drawn) == ["mechanism", "epsilon", "delta", "metric", "relative"]
    np.testing.assert_allclose(drawn["relative"], rows["sd"] / rows["mean"], rtol=1e-8)
    for ending in ("png", "pdf"):
        assert (extended.results / f"figures/figure_30.{ending}").stat().st_size > 5_000
    assert '<figure id="figure-30"' in extended.index


def test_a_figure_of_all_data_sets(extended):
    """It has the error of each data set as a share of its n."""
    drawn = read_csv(extended.results / "figures/figure_n1.csv")
    summary = read_csv(extended.results / "summary.csv").query("metric == 'l1'")
    n = {"czech": 1841, "czech-rounded": 1841, "hair-eye": 592}
    expected = summary["mean"] / summary["dataset"].map(n)
    np.testing.assert_allclose(drawn["relative"], expected, rtol=1e-8)
    assert drawn["dataset"].tolist() == summary["dataset"].tolist()
    assert (extended.results / "figures/figure_n1.png").stat().st_size > 5_000
    assert '<figure id="figure-n1"' in extended.index
    manifest = json.loads((extended.results / "manifest.json").read_text("utf-8"))
    assert {"figures/figure_n1.csv", "figures/figure_30.csv"} <= {*manifest["outputs"]}


def test_every_block_is_found():
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
