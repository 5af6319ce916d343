"""Checksums that agree between processors, differences of manifests, facts on the computer."""

import copy
import json
import os
import platform
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import ran

from ggexp.run.manifest import (
    TOLERANCE,
    checksums,
    differences,
    explanations,
    hash_configuration,
    machine,
)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_last_bits_do_not_count_and_larger_changes_do(tmp_path, ending):
    path, rng = tmp_path / f"table.{ending}", np.random.default_rng(1)
    values = np.exp(rng.normal(0, 5, 2_000)) * rng.choice([-1, 1], 2_000)
    values[:3] = 0
    names = ["laplace"] * 1_000 + ["gaussian"] * 1_000
    table = pd.DataFrame({"mechanism": names, "mean": values, "delta": [np.nan] * 2_000})

    def checksum():
        getattr(table, f"to_{ending}")(path, index=False)
        return checksums(path)

    def differs(name="mean"):
        return abs(checksum()[name] - before[name]) > TOLERANCE

    before = checksum()
    assert before["rows"] == 2_000
    table["mean"] *= 1 + rng.uniform(-5e-16, 5e-16, len(table))
    assert not differs()
    smallest = table["mean"].abs().replace(0, np.inf).idxmin()
    value = table.loc[smallest, "mean"]
    for changed in (value * (1 + 1e-7), -value, 0.0, np.nan, np.inf):
        table.loc[smallest, "mean"] = changed
        assert differs()
    table.loc[smallest, "mean"] = value
    table.loc[[5, 6], "mean"] = table.loc[[6, 5], "mean"].to_numpy()
    assert differs()
    table.loc[5, "mechanism"] = "Laplace"
    assert checksum()["mechanism"] != before["mechanism"]
    table.loc[0, "delta"] = 0.0
    assert differs("delta")


def test_accuracies_may_differ_a_little_on_another_kind_of_processor(tmp_path):
    """The tested change is the one measured between two kinds of processor.

    Seven times that change, or any change of an error, is reported as a difference.
    """
    rng = np.random.default_rng(3)
    accuracy, error = 0.845 + rng.normal(0, 1e-3, 39), rng.uniform(10, 20, 39)
    signs = rng.choice([-1, 1], 39)

    def manifest(mean, processor="znver4", errors=error):
        table = pd.DataFrame({"metric": ["accuracy"] * 39 + ["l1"] * 39})
        table["mean"] = [*mean, *errors]
        table["sd"] = table["se"] = table["mean"] / 500
        paths = [tmp_path / "summary.csv", tmp_path / "figure_12.csv"]
        table.to_csv(paths[0], index=False)
        table[:39].drop(columns="metric").to_csv(paths[1], index=False)
        computer = {"processor": processor, "system": "Linux"}
        outputs = {path.name: checksums(path) for path in paths}
        return {"configuration": "c", "machine": computer, "data": {}, "outputs": outputs}

    reference = manifest(accuracy)
    similar = accuracy * (1 + 7e-6 * signs)
    assert differences(manifest(similar, "haswell"), reference) == []
    assert differences(manifest(similar), reference) == [
        f"outputs: {name} differs in mean of accuracy, sd of accuracy, se of accuracy"
        for name in ("figure_12.csv", "summary.csv")
    ]
    assert len(differences(manifest(accuracy * (1 + 5e-5), "haswell"), reference)) == 2
    worse = manifest(accuracy, "haswell", error * (1 + 7e-6))
    assert differences(worse, reference) == ["outputs: summary.csv differs in mean, sd, se"]


def test_differences_are_named():
    ours = {
        "configuration": "c",
        "commit": "1",
        "machine": {"processor": "znver4", "blas": "openblas 1 Haswell"},
        "python": "3.11",
        "packages": {"numpy": "2.4"},
        "code": {"a.py": "1"},
        "data": {"data/x.csv": "1"},
        "outputs": {"x.csv": {"rows": 2, "mean": 1.0, "name": "a"}, "y.csv": {"rows": 1}},
    }
    theirs = copy.deepcopy(ours)
    theirs["outputs"]["x.csv"]["mean"] += TOLERANCE / 2
    assert differences(ours, theirs) == []
    assert explanations(ours, theirs) == []

    theirs["outputs"]["x.csv"] |= {"mean": 2.0, "name": "b"}
    theirs["outputs"]["z.csv"] = theirs["outputs"].pop("y.csv")
    theirs["data"]["data/x.csv"] = "2"
    theirs["packages"] = {"numpy": "2.3", "numexpr": "2.8"}
    theirs["machine"]["processor"] = "skylake"
    theirs["code"] = {"a.py": "2", "b.py": "1"}
    theirs["commit"] = "2"
    assert differences(ours, theirs) == [
        "data: data/x.csv is 1, not 2",
        "outputs: x.csv differs in mean, name",
        "outputs: y.csv is new",
        "outputs: z.csv is missing",
    ]
    assert explanations(ours, theirs) == [
        "processor is znver4, not skylake",
        "commit is 1, not 2",
        "packages: numpy is 2.4, not 2.3; numexpr is absent, not 2.8",
        "code differs for a.py, b.py",
    ]
    theirs["configuration"] = "d"
    assert len(differences(ours, theirs)) == 1


def test_the_hash_of_a_configuration_covers_what_results_depend_on():
    config = {
        "results_dir": "results",
        "repeats": 5,
        "execution": {"repeats_per_job": 5},
        "download": {"files": {}},
        "datasets": ["a"],
        "mechanisms": {"laplace": {"order": 1}, "other": {"order": 2}},
        "histograms": {"a": {"mechanisms": ["laplace"]}, "b": {"mechanisms": []}},
    }

    def changed(**settings):
        return hash_configuration(config | settings) != hash_configuration(config)

    for settings in (
        {"results_dir": "elsewhere", "download": {"files": {"a.csv": {}}}, "repeats": 5.0},
        {"histograms": config["histograms"] | {"b": {}}},
        {"mechanisms": config["mechanisms"] | {"laplace": {"order": 1.0}}},
        {"execution": {"repeats_per_job": 3, "shared_files": False}},
    ):
        assert not changed(**settings)
    for settings in (
        *({"repeats": 6}, {"seed": 2}, {"classifier": {"repeats": 4}}, {"datasets": ["b"]}),
        {"mechanisms": {"laplace": {"order": 2}}},
    ):
        assert changed(**settings)


def test_facts_on_the_computer_are_those_of_the_code_that_numpy_and_blas_use():
    facts = machine()
    assert all(facts.values())
    assert sys.prefix not in str(facts)
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    # in a process with other instructions and another number of threads
    environment = os.environ | {"NPY_DISABLE_CPU_FEATURES": ",".join(found)}
    environment |= {"OPENBLAS_CORETYPE": "Nehalem", "OPENBLAS_NUM_THREADS": "3"}
    script = "import json; from ggexp.run.manifest import machine; print(json.dumps(machine()))"
    reduced = json.loads(ran(sys.executable, "-c", script, env=environment).stdout)
    assert facts["instructions"].split() == [*reduced["instructions"].split(), *found]
    for name in ("processor", "system"):
        assert facts[name] == reduced[name]
    if "openblas" in facts["blas"] and platform.machine() == "x86_64":
        version, _, kernel = reduced["blas"].rpartition(" ")
        assert kernel == "Nehalem"
        # tests before this one may have loaded the library of scipy
        assert version in [blas.rpartition(" ")[0] for blas in facts["blas"].split(", ")]
