"""A path of Python without blanks."""

import subprocess
import sys
from pathlib import Path

import pytest
from ggexp.run.interpreter import path_without_blanks


def test_a_link_without_blanks_starts_the_same_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert path_without_blanks() == sys.executable
    prefix = tmp_path / "a b ü"
    prefix.symlink_to(sys.prefix)
    python = prefix / Path(sys.executable).relative_to(sys.prefix)
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = path_without_blanks()
    assert path_without_blanks() == path  # the second time, the link exists
    command = f"{path} -c 'import ggexp, sys; print(sys.executable)'"
    started = subprocess.run(command, shell=True, check=True, capture_output=True, text=True)
    assert started.stdout.strip() == path

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    with pytest.raises(ValueError, match=r"a b ü/.*XDG_CACHE_HOME"):
        path_without_blanks()
