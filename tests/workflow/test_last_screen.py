"""Output of runs at a terminal with 80 columns and 24 rows, especially the last screen."""

import errno
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios

import pytest
from conftest import PAPER

pytestmark = pytest.mark.slow

COLUMNS, ROWS = 80, 24
MAKE = ["make", "reproduce", "INSTALLED=", "CORES=2"]
SNAKEMAKE = [sys.executable, "-m", "ggexp", "snakemake", "--cores", "2"]
#: An address at which no server answers.
NO_SERVER = "http://127.0.0.1:9/adult.data"
#: Control sequences of a terminal: moves of the cursor up by a number of lines, and all sequences.
UP = re.compile(r"\x1b\[(\d*)A")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def at_terminal(project, command, interrupts=0, after=b""):
    """Run a command at its own terminal; return its exit code and its output there.

    interrupts: the number of interrupts that follow each other as soon as a job has printed a
        text.
    """
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
        except OSError as error:  # raised by Linux when no process has the terminal open
            assert error.errno == errno.EIO
            break
        if not chunk:
            break
        written += chunk
        if interrupts and after in written:
            os.killpg(process.pid, signal.SIGINT)
            interrupts -= 1
    os.close(main)
    return process.wait(), written.decode("utf-8", "replace")


def last_lines(written, count):
    lines = CODES.sub("", written).replace("\r", "").split("\n")
    return [line for line in lines if line.strip()][-count:]


@pytest.fixture(scope="module")
def reduced(small_run, tmp_path_factory):
    """A project with a small paper design, without adult.data and without a network.

    The paths of the project and of its Python contain spaces and a non-ASCII letter.
    """
    folder = tmp_path_factory.mktemp("reduced") / "a b ü"
    project = small_run.copy(folder)
    (folder / ".venv").symlink_to(sys.prefix)
    file = PAPER["download"]["files"]["adult.data"] | {"sources": [NO_SERVER]}
    project.reduce_paper("mildew", "adult", download={"files": {"adult.data": file}})
    return project


def test_a_failed_fetch_is_reported_with_advice(reduced):
    code, written = at_terminal(reduced, MAKE)
    assert code != 0
    last = last_lines(written, 11)
    last = last[last.index("1 job failed:") :]
    assert last[1] == "  fetch_file: results/logs/fetch_file/adult.data.log"
    assert last[-1].startswith("make: ***")  # printed by make itself
    assert max(map(len, last)) <= COLUMNS
    # the fetch was tried first: its log is shown before most other jobs are done
    assert f"{NO_SERVER}: ConnectionError" in CODES.sub("", written)
    # a live display that is not higher than the terminal, and no list of jobs
    moves = [int(count or 1) for count in UP.findall(written)]
    assert moves
    assert max(moves) < ROWS
    assert "Select jobs to execute" not in written


def test_a_run_without_the_failed_data_set_completes(reduced):
    """It continues where the run of the test above stopped."""
    code, written = at_terminal(reduced, [*MAKE, "DATASETS=mildew"])
    assert code == 0, written
    last = last_lines(written, 4)
    assert last[-1].endswith(" results/index.html")
    assert max(map(len, last)) <= COLUMNS
    results = reduced.folder / "results"
    for name in ("summary.csv", "manifest.json", "index.html", "figures/figure_07.png"):
        assert (results / name).exists()

    code, written = at_terminal(reduced, [*SNAKEMAKE, "--config", "datasets=[mildew]"])
    assert code == 0, written
    assert last_lines(written, 2)[-1] == last[-1]


def test_a_dry_run_at_a_terminal_prints_its_plan(project):
    command = [*SNAKEMAKE, "-n", "tables", "--configfile", "small.yaml"]
    code, written = at_terminal(project, command)
    assert code == 0
    assert "rule measure_releases:" in written
    assert "This was a dry-run" in written
    assert "jobs are done" not in written


def test_two_interrupts_end_a_run_without_tracebacks(project):
    """The jobs wait until they are interrupted; the second interrupt follows at once."""
    project.edit(
        "workflow/scripts/measure_releases.py",
        lambda text: "import time\nprint('waiting', flush=True)\ntime.sleep(600)\n" + text,
    )
    command = [*SNAKEMAKE, "tables", "--configfile", "small.yaml"]
    code, written = at_terminal(project, command, interrupts=2, after=b"waiting")
    assert code == 130
    assert "Traceback" not in written
    assert "asyncio" not in written
    stopped, _ = last_lines(written, 2)
    assert re.match(r"Stopped after \d+ s: [1-9]\d* of \d+ jobs", stopped)


@pytest.mark.parametrize(
    ("before", "says"),
    [
        # while the Snakefile is read, after which nothing was started
        ('"""The plan of a run: ', ""),
        # in the hook at the start of a run
        ("        check_writable(planned)", r"Stopped after \d+ s: 0 of \d+ jobs"),
    ],
)
def test_an_interrupt_before_the_first_job_prints_no_traceback(project, before, says):
    indent = " " * (len(before) - len(before.lstrip()))
    interrupt = f"{indent}import os, signal; os.kill(os.getpid(), signal.SIGINT)\n"
    project.edit("src/ggexp/plan/plan.py", lambda text: text.replace(before, interrupt + before))
    ended = project.snakemake()
    assert ended.returncode == 130
    assert "Traceback" not in ended.stdout
    lines = last_lines(ended.stdout, 3)
    assert len(lines) == 2 if not says else re.match(says, lines[-2])
    assert not (project.folder / "results").exists()
