"""The worked examples, computed with the random streams of a run: examples/README.md."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from conftest import ROOT

from facts import fact
from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table
from ggexp.experiment import configuration
from ggexp.experiment.accuracy import build_classifier, measure_accuracy, tabulate_baselines
from ggexp.experiment.design import Design
from ggexp.experiment.errors import measure_releases
from ggexp.experiment.recommendation import needed_epsilon, recommend
from ggexp.experiment.summary import join_tables, summarize, tabulate_scales
from ggexp.guarantees import advantage
from ggexp.guarantees.table_error import epsilon_for_error
from ggexp.proposal.describe import describe
from ggexp.releases.sanitize import Listed

PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
SCHEMA = yaml.safe_load((ROOT / "config/schema.yaml").read_text("utf-8"))


def configured(path, target=None):
    """Return the configuration that `describe` proposes for a file."""
    changes = yaml.safe_load(describe(path, target))
    parts = {key: PAPER[key] | changes[key] for key in ("mechanisms", "histograms")}
    return configuration.check(PAPER | changes | parts, SCHEMA)


def recommendations(config, cells, classifier=None):
    """Return the recommendations of a run with this configuration."""
    (dataset,) = config["datasets"]
    design = Design.from_config(config)
    counts, points = cells["count"].to_numpy(), design.points[dataset]
    errors, accuracies, kind = [], [], Listed(counts.size)
    for noisy in points:
        table = measure_releases(
            counts, kind, noisy, seed=design.seed, repeats=design.repeats, **config["kl"]
        )
        errors.append(pd.DataFrame(table))
        if classifier:
            table = measure_accuracy(
                classifier,
                lambda repeat, point=noisy: (
                    kind.release(counts, point, seed=design.seed, repeat=repeat).counts
                ),
                noisy.point,
                range(design.repeats),
            )
            accuracies.append(pd.DataFrame(table))
    return recommend(
        join_tables([summarize(tables) for tables in (errors, accuracies) if tables]),
        tabulate_scales(points),
        {dataset: int(counts.sum())},
        config["neighbours"],
    )


def tenth(recommended):
    """Return the ε that geometric noise needs for a mean l1 error of 10 %, under ε-DP."""
    rows = needed_epsilon(recommended).query("guarantee == 'ε-DP' and within == 0.1")
    assert list(rows["mechanism"]) == ["geometric"]
    return rows["epsilon"].item()


@fact
def hair():
    with contextlib.chdir(ROOT):
        config = configured(Path("examples/hair-eye.csv"))
        table = make_table(config["histograms"]["hair-eye"], "histograms.hair-eye")
    recommended = recommendations(config, table.labels.assign(count=table.counts))
    by_l1 = recommended.query("guarantee == '(ε, δ)-aDP' and metric == 'l1'")
    assert not by_l1.query("mechanism != 'geometric'")["clear"].any()
    needed = epsilon_for_error(cells=32, l1=table.counts.sum() / 10, confidence=0.95)
    epsilon = tenth(recommended)
    return {
        "tenth": (10, epsilon),
        "advantage": advantage.of(epsilon=epsilon, prior=None),
        "sufficient": round(needed.epsilon + 0.005, 2),
    }


@fact
@pytest.mark.slow
def tumours(tmp_path, monkeypatch):
    """Accuracies of the original counts, of the larger class and of releases, and the tally."""
    monkeypatch.chdir(tmp_path)
    script = ROOT / "examples/write_tumours.py"
    subprocess.run([sys.executable, str(script), "tumours.csv"], check=True)
    config = configured(Path("tumours.csv"), "diagnosis")
    settings = config["histograms"]["tumours"]
    histogram = make_histogram(
        settings["records"], dataset="tumours", seed=config["seed"], lists_empty=True
    )
    cells, test, target = histogram.cells, histogram.test, settings["classifier"]["target"]
    classifier = build_classifier(cells, test, target, threads=1)
    recommended, tally = recommendations(config, cells, classifier), histogram.tally
    (best,) = recommended.query(
        "guarantee == '(ε, δ)-aDP' and metric == 'accuracy' and epsilon == 0.5"
    ).to_dict("records")
    assert best["mechanism"] == "geometric"
    return {
        "accuracy": (0.5, best["mean"]),
        "tenth": (10, tenth(recommended)),
        "baselines": list(tabulate_baselines(classifier, cells, test, target)["accuracy"]),
        "records": (tally["training"] + tally["test"], tally["training"], tally["test"]),
        "cells": (tally["cells"], tally["bins"]),
    }
