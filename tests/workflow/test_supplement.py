"""The target `guarantees`: its figures, its audit, its claims, and its index and report."""

import re
from functools import partial

import pytest
from conftest import Project
from described_files import FILES, check_files

from ggexp.run.files import read_csv

pytestmark = pytest.mark.slow

FIGURES = [*(f"s{number}" for number in range(1, 10)), "f1", "f2", "f3"]
#: Values that shorten the figures' searches and compositions to seconds: file -> constant -> value.
CONSTANTS = {
    # includes the only point at which truncated geometric noise is not the smallest
    "companions/figures/tabulate_noise.py": {
        "MANY_EPSILONS": "np.unique([*np.geomspace(0.1, 5, 30)[::14], 0.5, 1, 2, 5])",
        "ALONG_EPSILON": "np.geomspace(0.05, 20, 7)",
        "ALONG_DELTA": "np.geomspace(1e-9, 0.4, 7)",
    },
    "companions/figures/tabulate_queries.py": {"RELEASES": "(1, 2, 5, 10, 30, 100, 1000)"},
    "figures/tabulate_best_order.py": {
        "EPSILONS": "(0.1, 0.5, 1, 5)",
        "SMALL_DELTAS": "(1e-6,)",
        "DELTAS": "(*SMALL_DELTAS, 0.01, 0.1, 0.25)",
        "COMPOSED_EPSILONS": "(0.5,)",
        "TABLES": "(1, 8, 16)",
    },
    "mechanisms/convolution.py": {"TOLERANCE": "1e-5"},
}


@pytest.fixture(scope="module")
def supplement(tmp_path_factory):
    """A run of the target. Its folder has a histogram of Adult, which it must not use."""
    project = Project(tmp_path_factory.mktemp("supplement"))
    for file, constants in CONSTANTS.items():
        for name, value in constants.items():
            assignment = re.compile(rf"^{name} = .*", re.MULTILINE)
            project.edit(f"src/ggexp/{file}", partial(assignment.sub, f"{name} = {value}"))
    threads = re.compile("threads=snakemake.threads")
    project.edit("workflow/scripts/audit.py", partial(threads.sub, r"\g<0>, share=0.1"))
    histograms = project.folder / "results/histograms"
    histograms.mkdir(parents=True)
    (histograms / "adult.parquet").write_text("of another configuration")
    project.run(targets=("guarantees",))
    return project


def test_every_verdict_is_the_expected_one(supplement):
    claims = read_csv(supplement.folder / "results/guarantees/claims.csv")
    assert len(claims) > 50
    unexpected = claims[claims["verdict"] != claims["expected"]]
    assert unexpected.empty, unexpected[["id", "expected", "verdict", "evidence"]].to_string()
    table = read_csv(supplement.folder / "results/guarantees/audit.csv")
    is_correct = table["claimed"] & (table["made_for"] == 1)
    assert not table.loc[is_correct, "exceeds"].any()
    assert table.loc[table["made_for"] > 1, "exceeds"].all()
    assert {*table["made_for"]} > {1}
    assert is_correct.any()
    index = supplement.folder / "results/guarantees/index.html"
    page = " ".join(index.read_text("utf-8").split())
    assert re.findall('<figure id="figure-(..)"', page) == FIGURES
    links = re.findall(r'<a href="([^#:"]+)"', page)
    assert len(links) > len(FIGURES)
    for link in links:
        assert (index.parent / link).exists(), link


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.target == "guarantees"], ids=lambda file: file.path
)
def test_its_files_are_as_described(supplement, file):
    check_files(supplement, file)


def test_neither_a_second_run_nor_the_papers_depends_on_it(supplement):
    planned = supplement.run("--dry-run", targets=("guarantees", "all"))
    assert "results/figures/figure_07.png" in planned
    assert not re.search(r"results/guarantees|figure_[sf]\d", planned)
    # Adult is an input only if it is among the data sets
    priors = set(read_csv(supplement.folder / "results/figures/figure_s6.csv")["prior"])
    assert "1 of 10 answers" in priors
    options = ("--dry-run", "--config", "datasets=[mildew,adult]")
    planned = supplement.run(*options, targets=("guarantees",))
    assert re.search(r"^ +input: results/histograms/adult\.parquet\n.*s6", planned, re.MULTILINE)
