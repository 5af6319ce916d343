"""The worked examples: what they say came out, computed by the library with the same streams."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from conftest import ROOT

from ggexp.datasets.describe import describe
from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table
from ggexp.experiment import configuration
from ggexp.experiment.accuracy import build_classifier, measure_accuracy, tabulate_baselines
from ggexp.experiment.design import Design
from ggexp.experiment.errors import measure_errors
from ggexp.experiment.recommendation import needed_epsilon, recommend
from ggexp.experiment.scales import tabulate_scales
from ggexp.experiment.summary import join_metrics, summarize
from ggexp.guarantees import advantage

PAGE = (ROOT / "examples/README.md").read_text("utf-8")
PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
SCHEMA = yaml.safe_load((ROOT / "config/schema.yaml").read_text("utf-8"))


def tables(heading: str) -> list[list[list[str]]]:
    """The cells of each table below a heading of the page, without its head."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [
        [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
        for table in found
    ]


def configured(path: Path, target: str | None = None) -> dict[str, object]:
    changes = yaml.safe_load(describe(path, target))
    parts = {key: PAPER[key] | changes[key] for key in ("mechanisms", "histograms")}
    return configuration.check(PAPER | changes | parts, SCHEMA)


def answered(
    config: dict[str, object], cells: pd.DataFrame, test: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What a run of this configuration recommends, and the accuracies of its baselines."""
    (dataset,) = config["datasets"]
    design = Design.from_config(config)
    counts = cells["count"].to_numpy()
    scales, baselines = design.scales[dataset], pd.DataFrame()
    summaries = [
        summarize(
            pd.DataFrame(
                measure_errors(
                    counts,
                    point,
                    scale,
                    seed=design.seed,
                    repeats=design.repeats,
                    bound=design.bounds.get(point),
                    **config["kl"],
                )
            )
            for point, scale in scales.items()
        )
    ]
    if test is not None:
        target = config["histograms"][dataset]["records"]["target"]
        machine = build_classifier(cells, test, target, threads=1)
        baselines = tabulate_baselines(machine, cells, test, target)
        accuracies = (
            measure_accuracy(
                machine,
                cells,
                point,
                scale,
                seed=design.seed,
                repeats=range(design.repeats),
                bound=design.bounds.get(point),
            )
            for point, scale in scales.items()
        )
        summaries.append(summarize(map(pd.DataFrame, accuracies)))
    found = recommend(
        join_metrics(summaries),
        tabulate_scales(scales, design.bounds),
        {dataset: int(counts.sum())},
        config["neighbours"],
    )
    return found, baselines


def needed_rows(found: pd.DataFrame) -> list[list[str]]:
    """The rows of a table of the ε that is needed, as the page prints them."""
    return [
        [
            row["guarantee"],
            f"{row['within']:.0%}".replace("%", " %"),
            f"{row['epsilon']:.2f}",
            row["mechanism"],
            f"{advantage.of(epsilon=row['epsilon'], prior=None):.2f}",
        ]
        for row in needed_epsilon(found).to_dict("records")
    ]


def best_rows(found: pd.DataFrame, metric: str, digits: str) -> list[list[str]]:
    """The rows of a table of the best mechanisms of approximate DP, as the page prints them."""
    rows = found[(found["guarantee"] == "(ε, δ)-aDP") & (found["metric"] == metric)]
    return [
        [
            f"{row['epsilon']:g}",
            row["mechanism"],
            f"{row['mean']:{digits}} ± {row['se']:{digits}}",
            row["runner_up"],
            f"{row['runner_up_mean']:{digits}} ± {row['runner_up_se']:{digits}}",
            "yes" if row["clear"] else "no",
        ]
        for row in rows.to_dict("records")
    ]


def test_hair_and_eyes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    config = configured(Path("examples/hair-eye.csv"))
    cells, counts = make_table(config["histograms"]["hair-eye"], "histograms.hair-eye")
    found, _ = answered(config, pd.DataFrame({**cells, "count": counts}))
    assert tables("Counts: hair and eyes") == [best_rows(found, "l1", ".1f"), needed_rows(found)]


def test_the_table_of_hair_and_eyes_is_snees() -> None:
    """Hair by eye colour as Snee printed it, of 592 students."""
    table = pd.read_csv(ROOT / "examples/hair-eye.csv")
    printed = table.pivot_table("Freq", "Hair", "Eye", aggfunc="sum", sort=False)
    assert printed.to_dict("split") == {
        "index": ["Black", "Brown", "Red", "Blond"],
        "columns": ["Brown", "Blue", "Hazel", "Green"],
        "data": [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]],
    }
    assert table["Freq"].sum() == 592


def test_tumours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = ROOT / "examples/write_tumours.py"
    subprocess.run([sys.executable, str(script), "tumours.csv"], check=True)
    config = configured(Path("tumours.csv"), "diagnosis")
    settings = config["histograms"]["tumours"]["records"]
    histogram = make_histogram(settings, dataset="tumours", seed=config["seed"])
    found, baselines = answered(config, histogram.cells, histogram.test)
    errors, accuracies, needed = tables("Records: tumours")
    assert errors == best_rows(found, "l1", ".1f")
    assert accuracies == best_rows(found, "accuracy", ".3f")
    assert needed == needed_rows(found)
    original, majority = baselines["accuracy"]
    text = " ".join(PAGE.split())
    assert f"{original:.3f} without noise and {majority:.3f} by always saying benign" in text
    assert f"{histogram.tally['training']} records make the histogram" in text
    assert f"{histogram.tally['cells']} of its {histogram.tally['bins']} cells" in text
