"""Every block of the documentation that can run is run, as a reader would.

python: as doctests. yaml: a configuration, saved as mine.yaml, checked by a dry run. csv: saved as
data/own/mine.csv. sh: make and snakemake as dry runs; mkdir and the programs of examples/ as they
are; of other Python programs that they are there; ggexp in full, and what it prints goes to the
file behind ">", or is the block of text that follows, if one does. The blocks of docs/extending.md
are edits, which test_extending.py applies and runs.
"""

import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from conftest import ROOT, Project
from sybil import Document, Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

pytestmark = pytest.mark.slow

PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *ROOT.glob("[!.]*/**/*.md")]
    if page.relative_to(ROOT).parts[0] not in ("results", "tests")
)
SNAKEMAKE = [sys.executable, "-m", "snakemake"]
#: What is not run: it takes long, another machine, or belongs to nobody's own project.
LEFT_OUT = re.compile(r"make (cluster|test-cluster|lock)\b|--workflow-profile profiles/slurm|git ")


@cache
def project(page: str) -> Project:
    """A copy of the project, in which the blocks of one page are run in their order."""
    return Project(Path(mkdtemp()))


def run(example: Example, *command: str) -> None:
    ended = project(example.path).command(*command)
    assert ended.returncode == 0, f"{shlex.join(command)}\n{ended.stdout[-3000:]}"


def check_yaml(example: Example) -> None:
    (project(example.path).folder / "mine.yaml").write_text(example.parsed, "utf-8")
    run(example, *SNAKEMAKE, "--dry-run", "--quiet", "all", "--configfile", "mine.yaml")


def save_csv(example: Example) -> None:
    own = project(example.path).folder / "data/own/mine.csv"
    own.parent.mkdir(exist_ok=True)
    own.write_text(example.parsed, "utf-8")


def check_sh(example: Example) -> None:
    for line in example.parsed.splitlines():
        words = shlex.split(line, comments=True)
        if not words or LEFT_OUT.search(line):
            continue
        program = Path(words[0]).name
        if program == "make":
            tools = ["INSTALLED=", f"BIN={Path(sys.executable).parent}"]
            run(example, "make", "--dry-run", *words[1:], *tools)
        elif program == "snakemake":
            run(example, *SNAKEMAKE, *words[1:], "--dry-run")
        elif program == "mkdir":
            run(example, *words)
        elif program == "ggexp" and ">" in words:
            save_printed(example, words[1:])
        elif program == "ggexp":
            check_printed(example, words[1:])
        elif program == "python" and words[1].startswith("examples/"):
            run(example, sys.executable, *words[1:])
        elif program == "python":
            assert (ROOT / words[1]).exists() or words[1] == "-m", line
        else:
            pytest.fail(f"{line}: the tests do not know how to try it")


def check_printed(example: Example, arguments: list[str]) -> None:
    ended = project(example.path).command(sys.executable, "-m", "ggexp", *arguments)
    following = example.document.text[example.region.end :]
    shown = re.match(r"\s*```text\n(.*?)```", following, re.DOTALL)
    assert ended.returncode == 0, ended.stdout
    if shown:
        assert ended.stdout == shown[1]


def save_printed(example: Example, words: list[str]) -> None:
    *arguments, _, file = words
    copy = project(example.path)
    ended = subprocess.run(
        [sys.executable, "-m", "ggexp", *arguments],
        cwd=copy.folder,
        env=copy.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    (copy.folder / file).write_text(ended.stdout, "utf-8")


SYBIL = Sybil(
    parsers=[
        PythonCodeBlockParser(),
        CodeBlockParser(language="yaml", evaluator=check_yaml),
        CodeBlockParser(language="csv", evaluator=save_csv),
        CodeBlockParser(language="sh", evaluator=check_sh),
    ]
)


def examples() -> list[object]:
    found = []
    for path in [page for page in PAGES if page.name != "extending.md"]:
        document: Document = SYBIL.parse(path)
        for example in document.examples():
            name = f"{path.relative_to(ROOT)}:{example.line}"
            found.append(pytest.param(example, id=name))
    return found


@pytest.mark.parametrize("example", examples())
def test_block(example: Example) -> None:
    example.evaluate()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_says_what_it_is(path: Path) -> None:
    """So that none is left out unseen: fenced, and in a language of the tests or plain text."""
    text = path.read_text("utf-8")
    opened = re.findall(r"^ *```(.*)$", text, re.MULTILINE)
    assert set(opened[::2]) <= {"python", "yaml", "csv", "sh", "text", "math"}
    assert set(opened[1::2]) <= {""}
    outside = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"\n\n {4}\S", outside)
