"""The lock of a run: one process at a time holds it, and it is released when the process ends."""

import subprocess
import sys
from pathlib import Path

import pytest
from ggexp.run.lock import hold

HOLDER = """
import sys
from ggexp.run.lock import Path, hold
print(hold(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


def test_a_process_holds_the_lock_until_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "folder/running"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        with pytest.raises(BlockingIOError, match=rf"\(process {other.pid} on "):
            hold(path)
        other.communicate()
    assert hold(path)
    assert hold(path)  # the same process may take it again
