"""An interrupt while the command and its modules are loaded ends it with one line."""

import signal
import sys

import pytest
from conftest import ran

from ggexp.run.interrupt import end_at_interrupt

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
