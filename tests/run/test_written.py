"""Mistakes that YAML reads without an error are named with their keys."""

from pathlib import Path

import pytest
from conftest import ROOT
from ggexp.run.written import check_written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("epsilon: [1]\ndelta: [0.1]\nepsilon: [2]\n", r"epsilon: .* lines 1 and 3"),
        ("histograms: {a: {total: 1, total: 2}}", r"histograms\.a\.total: "),
        ("repeats: 010", r"repeats: .* 010 as 8"),
        ("seed: -017", r"seed: .* -017 as -15"),
        ("repeats: 1:30", r"repeats: .* 1:30 as 90"),
        ("delta: [0.1, 0:0.5]", r"delta\[1\]: .* 0:0\.5 as 0\.5"),
        (f"epsilon: [{'9' * 5000}]", r"epsilon\[0\]: .* 5,000 digits"),
    ],
)
def test_double_keys_and_numbers_in_other_bases_are_named(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"mine\.yaml is not valid:\n  {message}"):
        check_written(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        'seed: 0\nrepeats: 1_000\nfactors: ["010", "1:30"]\nepsilon: [0.5, 0x1F, 1.0e-5]\n',
        "a: &x {k: 1}\nb: {<<: *x, k: 2}\nc: &y [*x, *x]\nd: *y\n",
        "{",
        "[" * 20_000,
    ],
)
def test_other_files_pass(tmp_path: Path, text: str) -> None:
    """Also those that Snakemake refuses because they are not YAML."""
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    check_written(path)


def test_the_project_s_own_configurations_pass() -> None:
    for path in (ROOT / "config").glob("*.yaml"):
        check_written(path)


@pytest.mark.parametrize(("encoding", "line"), [("latin-1", 2), ("utf-16", 1)])
def test_a_file_that_is_not_utf_8_is_named_with_the_line(
    tmp_path: Path, encoding: str, line: int
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("seed: 1\n# é\n", encoding)
    with pytest.raises(ValueError, match=rf"mine\.yaml, line {line}: "):
        check_written(path)
