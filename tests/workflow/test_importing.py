"""Another workflow imports this one, as docs/importing.md describes; the catalog's Snakefile."""

import re
import sys

import pandas as pd
import pytest
import yaml
from conftest import ROOT, Project, commit_all, git, ran, save

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs/importing.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.M | re.S))
SMALL = {
    **{"datasets": ["mildew"], "epsilon": [1], "delta": [0.05], "repeats": 4},
    "histograms": {"mildew": {"mechanisms": ["laplace"], "figures": {"releases": None}}},
}


def test_an_importing_workflow_draws_its_own_figure(small_run, tmp_path):
    """Its results have the same bits as those of a run that is not imported."""
    (tmp_path / "ours/ggexp").mkdir(parents=True)
    project = Project(tmp_path / "ours/ggexp")
    folder = project.folder.parent
    (folder / "Snakefile").write_text(BLOCKS["snakemake"], "utf-8")
    documented = yaml.safe_load(BLOCKS["yaml"])
    assert documented["results_dir"] == "results/tables"
    mildew = SMALL["histograms"]["mildew"] | {"figures": {}}
    settings = documented | SMALL | {"histograms": {"mildew": mildew}}
    (folder / "mine.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "bars", "ggexp_all"]
    ended = ran(*command, cwd=folder, env=project.environment, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (folder / "bars.png").read_bytes().startswith(b"\x89PNG")
    results = folder / "results/tables"
    assert (results / "index.html").exists()
    assert not (project.folder / "results").exists()
    errors, expected = (
        pd.read_parquet(folder / "repeats/mildew.parquet").query("mechanism == 'laplace'")
        for folder in (results, small_run.folder / "results")
    )
    assert len(errors) == 4
    pd.testing.assert_frame_equal(errors, expected, check_exact=True)


def test_the_snakefile_of_the_catalog_makes_everything(small):
    """Without a target, and without other rules; an included file has no default target."""
    options = ("--snakefile", "workflow/Snakefile")
    assert small.planned(*options, targets=()) == {}
    (small.folder / "results/summary.csv").unlink()
    planned = small.planned(*options, targets=())
    assert planned.keys() - {"everything"} == small.planned(targets=()).keys() - {"all"}
    assert "compare_mechanisms" in planned


#: A process in which only Snakemake is installed.
WITHOUT_GGEXP = """
import sys
from pathlib import Path
sys.path = [folder for folder in sys.path if not Path(folder, "ggexp/run").is_dir()]
from snakemake.cli import main
main()
"""


@pytest.mark.parametrize("option", ["--dry-run", "--lint", "--cores=1"])
def test_without_the_package_one_sentence_says_what_to_install(project, option):
    ended = project.command(sys.executable, "-c", WITHOUT_GGEXP, option)
    assert ended.returncode == 1
    (sentence,) = re.findall(r"^.*pip install.*$", ended.stdout, re.M)
    assert "ggexp" in sentence
    assert len(ended.stdout.splitlines()) < 8


@pytest.mark.parametrize("path", ["Snakefile", "workflow/Snakefile"])
def test_a_module_from_a_git_address(tmp_path, path):
    (tmp_path / "clone").mkdir()
    project = Project(tmp_path / "clone")
    commit_all(project.folder)
    folder = tmp_path / "ours"
    folder.mkdir()
    text = BLOCKS["snakemake"].replace("from ggexp.run.project import ROOT\n", "")
    address = f'gitfile("../clone", path="{path}", commit="HEAD")'
    text = text.replace('ROOT / "Snakefile"', address)
    snakefile = save(folder / "Snakefile", text)
    settings = yaml.safe_load(BLOCKS["yaml"]) | SMALL
    (folder / "mine.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "ggexp_figure_07"]
    ran(*command, cwd=folder, env=project.environment)
    assert (folder / "results/tables/figures/figure_07.png").exists()

    # the rules of the pinned commit are not installed
    git(project.folder, "commit", "--quiet", "--allow-empty", "-m", "later")
    save(snakefile, text.replace('"HEAD"', '"HEAD~"'))
    refused = ran(*command, "--dry-run", cwd=folder, env=project.environment, check=False)
    assert refused.returncode == 1
    assert "pinned to HEAD~" in refused.stdout
    assert "Traceback" not in refused.stdout
