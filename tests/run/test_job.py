"""The log of a job, the exit code of its process, and an interrupt while modules are loaded."""

import signal
import sys

import pytest
from conftest import ran

from ggexp.run.interrupt import end_at_interrupt

JOB = """
import logging, sys, warnings
from types import SimpleNamespace
from ggexp.run.job import job
with job(SimpleNamespace(log=[sys.argv[1]], params=dict())):
    logging.info("begun")
    warnings.warn("careful")
    {}
"""


ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
#: The stacks of its threads need more address space than is left.
THREADS_WITHOUT_MEMORY = """
    import resource, threading
    used = 1024 * int(open("/proc/self/status").read().split("VmSize:")[1].split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, -1))
    wait = threading.Event()
    for _ in range(1000):
        threading.Thread(target=wait.wait, daemon=True).start()
"""


def run(statement, log):
    return ran(sys.executable, "-c", JOB.format(statement), log, check=False)


@pytest.mark.parametrize(
    ("statement", "last"),
    [
        ("raise ValueError('the value 7')", "error: the value 7"),
        ("open('/nowhere/at/all')", "'/nowhere/at/all'"),
        ("raise MemoryError('1 GB')", "1 GB"),
        pytest.param(THREADS_WITHOUT_MEMORY, "out of memory", marks=ON_LINUX),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_an_error_is_in_the_log_and_ends_the_process(tmp_path, statement, last):
    ended = run(statement, tmp_path / "log")
    written = (tmp_path / "log").read_text("utf-8")
    assert ended.returncode == 1
    assert last in written.rstrip().splitlines()[-1]
    assert ("Traceback" in written) == (statement == "1 / 0")
    assert "begun" in written
    assert "careful" in written


def test_an_error_without_a_log_is_printed_and_success_prints_nothing(tmp_path):
    ended = run("raise ValueError('the value 7')", tmp_path / "no folder/log")
    assert ended.returncode == 1
    assert "no folder" in ended.stderr
    ended = run("pass", tmp_path / "log")
    assert (ended.returncode, ended.stderr) == (0, "")


#: A module that interrupts the process that imports it.
INTERRUPTING = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("click", ["--help"]),
        ("pandas", ["describe", "table.csv"]),
        ("snakemake", ["snakemake", "--cores", "1"]),
    ],
)
def test_an_early_interrupt_ends_the_command_with_one_line(tmp_path, module, arguments):
    (tmp_path / "table.csv").write_text("a,count\nx,1\ny,2\n", "utf-8")
    (tmp_path / f"{module}.py").write_text(INTERRUPTING, "utf-8")
    # the working directory is the first folder in which python -m looks for modules
    command = [sys.executable, "-m", "ggexp", *arguments]
    ended = ran(*command, cwd=tmp_path, check=False, timeout=60)
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("before", [signal.default_int_handler, signal.SIG_IGN])
def test_a_process_that_ignores_interrupts_continues_to_ignore_them(before):
    """Such as one in the background of a script."""
    own = signal.signal(signal.SIGINT, before)
    try:
        end_at_interrupt()
        assert (signal.getsignal(signal.SIGINT) == before) == (before == signal.SIG_IGN)
    finally:
        signal.signal(signal.SIGINT, own)
