"""The log of a job, and the exit code of its process."""

import subprocess
import sys

import pytest

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
    command = [sys.executable, "-c", JOB.format(statement), str(log)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


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
