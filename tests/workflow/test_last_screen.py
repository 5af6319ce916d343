"""What a person sees at a terminal of 80 columns and 24 rows, and what a file gets."""

import errno
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
import yaml
from browser import Report, in_a_browser, opened
from conftest import ROOT, Project
from test_files_of_a_run import THEORY, check_files
from yte import process_yaml

from ggexp.run.files import File

pytestmark = pytest.mark.slow

COLUMNS, ROWS = 80, 24
BARE = [sys.executable, "-m", "snakemake", "--cores", "2"]
NOBODY = "http://127.0.0.1:9/adult.data"
#: What moves the cursor up by some lines, and all that a terminal does not show.
UP = re.compile(r"\x1b\[(\d*)A")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def make(*goals: str) -> list[str]:
    """The command of make in a project that has an environment."""
    return ["make", *goals, "INSTALLED=", "CORES=2"]


def at_terminal(project: Project, command: Sequence[str]) -> tuple[int, str]:
    """Run a command at a terminal of its own; return its exit code and all that it wrote there."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        command,
        cwd=project.folder,
        env=project.environment | {"TERM": "xterm-256color", "COLUMNS": "", "LINES": ""},
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
    )
    os.close(side)
    written = b""
    while True:
        try:
            chunk = os.read(main, 65536)
        except OSError as error:  # how Linux says that nobody has the terminal open any more
            assert error.errno == errno.EIO
            break
        if not chunk:
            break
        written += chunk
    os.close(main)
    return process.wait(), written.decode("utf-8", "replace")


def last_lines(written: str, count: int) -> list[str]:
    """The last lines of text on the screen."""
    lines = CODES.sub("", written).replace("\r", "").split("\n")
    return [line for line in lines if line.strip()][-count:]


def reduce_paper(project: Project, *datasets: str) -> None:
    """Make the paper's own design small, so that `make reproduce` is short, and nothing fetched."""
    path = project.folder / "config/config.yaml"
    config = yaml.safe_load(path.read_text("utf-8"))
    config |= {"datasets": list(datasets), "epsilon": [1], "delta": [0.05], "repeats": 4}
    config["download"]["files"]["adult.data"]["addresses"] = [NOBODY]
    path.write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")


@pytest.fixture(scope="module")
def reduced(small_run: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose paper is small, without adult.data and without a network.

    Its path, and that of its Python, has spaces and a letter beyond ASCII.
    """
    folder = tmp_path_factory.mktemp("reduced") / "a b ü"
    project = small_run.copy(folder)
    (folder / "results/manifest.json").unlink()  # of more data sets, which nothing may replace
    (folder / ".venv").symlink_to(sys.prefix)
    reduce_paper(project, "mildew", "adult")
    return project


def test_a_failed_fetch_ends_with_what_failed_and_what_to_do(reduced: Project) -> None:
    code, written = at_terminal(reduced, make("reproduce"))
    assert code != 0
    last = last_lines(written, 11)
    last = last[last.index("1 job failed:") :]
    assert last[:3] == [
        "1 job failed:",
        "  fetch_file: results/logs/fetch_file/adult.data.log",
        "    adult.data was not found.",
    ]
    text = " ".join(line.strip() for line in last[3:])
    assert "7 of 10 figures (theory 5 of 5, mildew 2 of 2, adult 0 of 3)" in text
    assert "data/downloads/adult.data" in text
    assert "GGEXP_MIRROR" in text
    assert 'make reproduce DATASETS="mildew"' in text
    assert "--config 'datasets=[mildew]'" in text
    assert last[-1].startswith("make: ***")  # its own last word
    assert max(map(len, last)) <= COLUMNS
    # the fetch was tried first: its log is shown before most other jobs are done
    assert f"{NOBODY}: ConnectionError" in CODES.sub("", written)
    log = (reduced.folder / "results/logs/fetch_file/adult.data.log").read_text("utf-8")
    assert re.search("3,974,305 bytes .*5b00264637db", log)
    assert "data/downloads/adult.data" in log
    assert "GGEXP_MIRROR" in log
    # a live display, which never took more rows than there are, and no wall of lines
    moves = [int(count or 1) for count in UP.findall(written)]
    assert moves
    assert max(moves) < ROWS
    assert "remaining" in written
    assert "Select jobs to execute" not in written


def test_leaving_a_data_set_out_completes_the_rest(reduced: Project) -> None:
    """After the failure above: it continues where that run stopped."""
    code, written = at_terminal(reduced, make("reproduce", "DATASETS=mildew"))
    assert code == 0, written
    last = last_lines(written, 5)
    assert re.match(
        r"All \d+ jobs are done in (\d+ min )?\d+ s\. Longest rules:\s+\w+ \(", " ".join(last)
    )
    assert "  figures:         results/figures" in last
    assert last[-1] == "  all on one page: results/index.html"
    assert max(map(len, last)) <= COLUMNS
    results = reduced.folder / "results"
    for name in ("summary.csv", "claims.csv", "manifest.json", "report.html", "index.html"):
        assert (results / name).exists()
    figures = {path.name for path in (results / "figures").glob("*.png")}
    assert {f"figure_0{number}.png" for number in range(1, 8)} <= figures

    # a finished run says again where to look
    code, written = at_terminal(reduced, [*BARE, "--config", "datasets=[mildew]"])
    assert code == 0, written
    assert last_lines(written, 3) == [
        "  figures:         results/figures",
        "  report:          results/report.html",
        "  all on one page: results/index.html",
    ]


@pytest.mark.parametrize("file", THEORY, ids=lambda file: file.path)
def test_figures_of_theory_are_as_described(reduced: Project, file: File) -> None:
    """As the test above has left them."""
    check_files(reduced, file)


@in_a_browser
def test_a_reader_finds_the_papers_figures_in_the_report(reduced: Project) -> None:
    """As the test above has left it."""
    with opened(reduced.folder / "results/report.html") as page:
        found = Report(page).read()
    figures = {name.partition(" / Figure ")[2] for name in found if name.startswith("Figures / ")}
    assert {name.partition(":")[0] for name in figures} == {*"1234567"}
    for figure in ("Figure 6: releases", "Figure 7: errors"):
        assert "the mildew data" in found[f"Figures / Mildew / {figure}"]


def test_bare_snakemake_ends_alike(small: Project) -> None:
    adult = {"mechanisms": ["laplace"]}
    small.configure(
        datasets=["mildew", "adult"],
        histograms=small.histograms(adult=adult),
        download={"files": {"adult.data": {"addresses": [NOBODY]}}},
    )
    command = [*BARE, "figure_07", "figure_11", "--configfile", "small.yaml"]
    code, written = at_terminal(small, command)
    assert code == 1
    last = last_lines(written, 9)
    last = last[last.index("1 job failed:") :]
    assert last[:2] == [
        "1 job failed:",
        "  fetch_file: results/logs/fetch_file/adult.data.log",
    ]
    assert last[2].startswith("    adult.data ")
    assert "2 figures (mildew 1 of 1, adult 0 of 1)" in " ".join(line.strip() for line in last)
    assert last[-1] == "  (snakemake: --config 'datasets=[mildew]')"


def test_many_failed_jobs_are_counted(project: Project) -> None:
    script = "raise SystemExit('broken before its log')\n"
    (project.folder / "workflow/scripts/measure_releases.py").write_text(script)
    project.configure(epsilon=[0.5, 1])
    code, written = at_terminal(project, [*BARE, "tables", "--configfile", "small.yaml"])
    assert code == 1
    assert "Traceback" not in written
    last = last_lines(written, ROWS - 4)
    shown = last[last.index("4 jobs failed:") + 1 :]
    shown, rest = shown[: shown.index("  and 1 more")], shown[shown.index("  and 1 more") + 1 :]
    assert sum(line.startswith("  measure_releases:") for line in shown) == 3
    assert len(re.findall(r"results/repeats/\S+\.parquet", " ".join(shown))) == 3
    assert max(map(len, [*shown, *rest])) <= COLUMNS
    assert re.search(r"\d+ of \d+ jobs", rest[0])
    # none of the jobs wrote its log, so that of Snakemake is named
    (messages,) = re.findall(r"\S+\.log", " ".join([*shown, *rest]))
    assert "Error in rule measure_releases" in (project.folder / messages).read_text("utf-8")


def test_a_dry_run_at_a_terminal_prints_its_plan(project: Project) -> None:
    command = [*BARE, "-n", "tables", "--configfile", "small.yaml"]
    code, written = at_terminal(project, command)
    assert code == 0
    assert "rule measure_releases:" in written
    assert "This was a dry-run" in written
    assert "jobs are done" not in written


@pytest.mark.parametrize("option", ["-n", "--dry-run", "--dryrun", "--keep-going"])
def test_all_at_a_terminal_but_dry_runs_have_a_display(
    monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr("sys.argv", ["snakemake", option])
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setenv("TERM", "xterm")
    profile = process_yaml((ROOT / "profiles/default/config.yaml").read_text("utf-8"))
    assert ("logger" in profile) == (option == "--keep-going")
