"""Every block of the documentation that can run is run, as a reader would.

python: as doctests. yaml: a configuration, saved as mine.yaml and checked as a run checks it before
any job. csv: saved as data/own/mine.csv. sh: make as a dry run; snakemake with its own parser of
options and a check of its configuration; mkdir and the programs of examples/ as they are; of other
Python programs that they are there; ggexp in full, and what it prints goes to the file behind ">",
or is the block of text that follows, if one does (a line … stands for left out lines); of ggexp run
without such a block a dry run, and with one its last lines. The blocks of docs/extending.md are
edits, which test_extending.py applies and runs.
"""

import io
import re
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import yaml
from conftest import PAPER, ROOT, SCHEMA, Project
from snakemake.cli import get_argument_parser
from snakemake.utils import update_config
from sybil import Document, Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

from ggexp.command.main import main
from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table
from ggexp.experiment import configuration, run_checks
from ggexp.experiment.design import Design

pytestmark = pytest.mark.slow

PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *ROOT.glob("[!.]*/**/*.md")]
    if page.relative_to(ROOT).parts[0] not in ("results", "tests")
)
#: Pages with a test of their own, which runs their blocks together.
TRIED_ELSEWHERE = ("extending.md", "importing.md")
#: What is not run: it takes long, another machine, or belongs to nobody's own project.
LEFT_OUT = re.compile(
    r"make (cluster|test-(cluster|long)|lock)\b|--workflow-profile profiles/slurm|git "
)


@cache
def project(page: str) -> Project:
    """A copy of the project, in which the blocks of one page are run in their order."""
    return Project(Path(mkdtemp()))


def run(example: Example, *command: str) -> None:
    ended = project(example.path).command(*command)
    assert ended.returncode == 0, f"{shlex.join(command)}\n{ended.stdout[-3000:]}"


def check_configuration(folder: Path, *changes: dict[str, Any]) -> None:
    """Check changes of the paper's configuration as workflow/rules/common.smk does."""
    config = deepcopy(PAPER)
    for change in changes:
        update_config(config, change)
    config = configuration.check(config, SCHEMA)
    run_checks.check_files(config, folder, folder)
    design = Design.from_config(config)
    with chdir(folder):
        for dataset in config["datasets"]:
            made = config["histograms"][dataset]
            if "counts" in made:
                make_table(made, f"histograms.{dataset}")
            elif not made["records"]["file"].startswith("data/downloads/"):
                target = made.get("classifier", {}).get("target")
                make_histogram(made["records"], dataset=dataset, seed=design.seed, target=target)


def check_snakemake(example: Example, options: list[str]) -> None:
    folder = project(example.path).folder
    arguments = get_argument_parser().parse_args(options)
    assert not arguments.targets
    files = [folder / file for file in arguments.configfile or []]
    check_configuration(folder, *(yaml.safe_load(file.read_text("utf-8")) for file in files))


def check_yaml(example: Example) -> None:
    folder = project(example.path).folder
    (folder / "mine.yaml").write_text(example.parsed, "utf-8")
    check_configuration(folder, yaml.safe_load(example.parsed))


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
            tools = ["INSTALLED=", "DEVELOPED=", f"BIN={Path(sys.executable).parent}"]
            run(example, "make", "--dry-run", *words[1:], *tools)
        elif program == "snakemake":
            check_snakemake(example, words[1:])
        elif program == "mkdir":
            run(example, *words)
        elif program == "ggexp" and words[1] == "run":
            check_run(example, words[1:])
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


def printed(example: Example, arguments: list[str], *, warnings: bool) -> str:
    """What the command prints, with the code 0."""
    shown = io.StringIO()
    with (
        chdir(project(example.path).folder),
        redirect_stdout(shown),
        redirect_stderr(shown if warnings else io.StringIO()),
        pytest.raises(SystemExit) as ended,
    ):
        main(arguments)
    assert ended.value.code == 0, arguments
    return shown.getvalue()


def text_after(example: Example) -> str | None:
    following = example.document.text[example.region.end :]
    text = re.match(r"\s*```text\n(.*?)```", following, re.DOTALL)
    return text and text[1]


def check_printed(example: Example, arguments: list[str]) -> None:
    text = text_after(example)
    shown = printed(example, arguments, warnings=True)
    if text is not None:
        start, gap, end = text.partition("…\n")
        assert shown == text or (gap and shown.startswith(start) and shown.endswith(end))


def check_run(example: Example, arguments: list[str]) -> None:
    """Run the workflow where its last lines are shown, else plan it."""
    text = text_after(example)
    command = [sys.executable, "-m", "ggexp", *arguments]
    ended = project(example.path).command(*command, *([] if text else ["--dry-run"]))
    assert ended.returncode == 0, ended.stdout[-3000:]
    assert text is None or ended.stdout.endswith(text)


def save_printed(example: Example, words: list[str]) -> None:
    *arguments, _, file = words
    path = project(example.path).folder / file
    path.write_text(printed(example, arguments, warnings=False), "utf-8")


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
    for path in [page for page in PAGES if page.name not in TRIED_ELSEWHERE]:
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
    assert set(opened[::2]) <= {"python", "yaml", "csv", "sh", "text", "math", "snakemake"}
    assert set(opened[1::2]) <= {""}
    outside = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"\n\n {4}\S", outside)
