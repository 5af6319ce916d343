"""What happens before a run: its lock, the path of Python, and the text of its configuration."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, save

from ggexp.run.lock import hold
from ggexp.run.start import path_without_blanks, private_mask
from ggexp.run.written import check_written

HOLDER = """
import sys
from ggexp.run.lock import Path, hold
print(hold(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


def test_a_process_holds_the_lock_until_it_ends(tmp_path):
    path = tmp_path / "folder/running"
    command = [sys.executable, "-c", HOLDER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        with pytest.raises(BlockingIOError, match=rf"\(process {other.pid} on "):
            hold(path)
        other.communicate()
    assert hold(path)
    assert hold(path)  # the same process may take it again


def test_a_link_without_blanks_starts_the_same_environment(tmp_path, monkeypatch):
    assert path_without_blanks() == sys.executable
    prefix = tmp_path / "a b ü"
    prefix.symlink_to(sys.prefix)
    python = prefix / Path(sys.executable).relative_to(sys.prefix)
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = path_without_blanks()
    assert path_without_blanks() == path  # the second time, the link exists
    command = f"{path} -c 'import sys; print(sys.executable)'"
    started = subprocess.run(command, shell=True, check=True, capture_output=True, text=True)
    assert started.stdout.strip() == path

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    with pytest.raises(ValueError, match=r"a b ü/.*XDG_CACHE_HOME"):
        path_without_blanks()


def test_no_yaml_and_mistakes_that_yaml_accepts_are_named(tmp_path):
    for text, message in (
        ("epsilon: [1]\ndelta: [0.1]\nepsilon: [2]\n", r"epsilon: .* lines 1 and 3"),
        ("histograms: {a: {total: 1, total: 2}}", r"histograms\.a\.total: "),
        ("seed: -017", r"seed: .* -017 as -15"),
        ("delta: [0.1, 0:0.5]", r"delta\[1\]: .* 0:0\.5 as 0\.5"),
        (f"epsilon: [{'9' * 5000}]", r"epsilon\[0\]: .* 5,000 digits"),
        ("seed: 1\nhistograms: &all\n  mildew: {like: *all}\n", r"histograms: .* line 2 .* itself"),
        ("delta: &list [0.1, *list]", r"delta\[1\]: .* line 1 .* itself"),
        (f"metrics: {'{a: ' * 300}1{'}' * 300}", r"metrics: .* 100 levels"),
        # no YAML at all
        ("seed: 1\nepsilon: [1,\ndelta: 2\n", "line 4"),
        ("results_dir: results/a\x01b\n", "control characters"),
        ("".join(" " * level + "a:\n" for level in range(3000)), "depth"),
        ("{a: " * 3000 + "1" + "}" * 3000, "depth"),
    ):
        with pytest.raises(ValueError, match=rf"(?s)mine\.yaml.*{message}"):
            check_written(save(tmp_path / "mine.yaml", text))


def test_other_files_pass_and_encodings_are_named(tmp_path):
    path = tmp_path / "mine.yaml"
    for text in (
        "",
        'seed: 0\nrepeats: 1_000\nfactors: ["010", "1:30"]\nepsilon: [0.5, 0x1F, 1.0e-5]\n',
        "a: &x {k: 1}\nb: {<<: *x, k: 2}\nc: &y [*x, *x]\nd: *y\n",
        '{\n\t"seed": 1\n}',  # JSON, but no YAML
        "[1]",  # Snakemake refuses it
        f"a: {'[' * 90}1{']' * 90}",
    ):
        check_written(save(path, text))
    for own in (ROOT / "config").glob("*.yaml"):
        check_written(own)
    for encoding, line in (("latin-1", 2), ("utf-16", 1)):
        with pytest.raises(ValueError, match=rf"mine\.yaml, line {line}: "):
            check_written(save(path, "seed: 1\n# é\n".encode(encoding)))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [(0o755, 0o077), (0o700, 0o077), (0o750, 0o077), (0o775, 0o007), (0o2770, 0o007)],
)
def test_confidential_files_are_for_the_owner_and_a_group_that_may_write(tmp_path, mode, expected):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    usual = os.umask(0o022)
    try:
        assert private_mask(folder) == private_mask(folder / "results/mine") == expected
    finally:
        assert os.umask(usual) == 0o022
    assert not (folder / "results/mine").exists()
    assert (folder / "results").stat().st_mode & 0o777 == 0o755
