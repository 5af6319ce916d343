"""Run each block of the documentation as a reader would.

- python: as doctests.
- yaml: a configuration, saved as mine.yaml and checked as at the start of a run.
- csv: saved as data/own/mine.csv.
- sh: make as a dry run; snakemake only with its option parser and a check of the configuration;
  mkdir and the programs of examples/ in full; for other Python programs, only that they exist.
  ggexp in full: its output goes to the file after ">", or must equal the block of text below, if
  there is one (a line … stands for omitted lines). ggexp run is a dry run.

Of one ggexp run, docs/command.md shows the last lines: test_hair_eye.py compares them. The blocks
of docs/extending.md are edits, which test_extending.py applies and runs.
"""

import io
import re
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import pytest
import yaml
from conftest import ROOT, Project, make
from snakemake.cli import get_argument_parser
from snakemake.utils import update_config
from sybil import Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

from ggexp.command.main import main
from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table
from ggexp.plan.plan import Plan

pytestmark = pytest.mark.slow

PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *ROOT.glob("[!.]*/**/*.md")]
    if page.relative_to(ROOT).parts[0] not in ("results", "tests")
)
#: Pages whose blocks are run together, by other tests.
TESTED_ELSEWHERE = ("extending.md", "importing.md")
#: Commands that are not run: they take long, need another computer or a package index, or use git.
#: tests/test_built_package.py installs the wheel, and runs `ggexp reproduce`.
SKIPPED = re.compile(
    r"make (cluster|test-(cluster|long)|lock)\b|--workflow-profile profiles/slurm|git "
    r"|^(make \.venv/\.(installed|developed)|export|ggexp reproduce|pip|unzip|xz)\b"
    r"|^ggexp run examples/hair-eye.csv\b"  # run by test_hair_eye.py
)

#: The folder of the copies of the project, which is removed when the tests end.
COPIES = TemporaryDirectory()


@cache
def project(page):
    return Project(Path(mkdtemp(dir=COPIES.name)))


def run(example, *command):
    completed = project(example.path).command(*command)
    assert completed.returncode == 0, f"{shlex.join(command)}\n{completed.stdout[-3000:]}"


def check_configuration(folder, *changes):
    """Check changes to the paper's configuration, and the files of data, as a run does."""
    config: dict[str, Any] = {}
    for change in changes:
        update_config(config, change)
    with chdir(folder):
        plan = Plan.of(config)
        for name, data_set in plan.data.items():
            if not data_set.records:
                make_table(data_set.table, f"histograms.{name}")
            elif not data_set.file.startswith("data/downloads/"):
                make_histogram(
                    data_set.records, dataset=name, seed=plan.config.seed, target=data_set.target
                )


def check_yaml(example):
    folder = project(example.path).folder
    (folder / "mine.yaml").write_text(example.parsed, "utf-8")
    check_configuration(folder, yaml.safe_load(example.parsed))


def save_csv(example):
    own = project(example.path).folder / "data/own/mine.csv"
    own.parent.mkdir(exist_ok=True)
    own.write_text(example.parsed, "utf-8")


def check_sh(example):
    folder = project(example.path).folder
    for line in example.parsed.replace("\\\n", "").splitlines():
        words = shlex.split(line, comments=True)
        if not words or SKIPPED.search(line):
            continue
        match [Path(words[0]).name, *words[1:]]:
            case ["make", *goals]:
                run(example, *make("--dry-run", *goals))
            case ["mkdir", *_]:
                run(example, *words)
            case ["snakemake", *options] | ["ggexp", "snakemake", *options]:
                parsed = get_argument_parser().parse_args(options)
                assert not parsed.targets
                texts = [(folder / file).read_text("utf-8") for file in parsed.configfile or []]
                check_configuration(folder, *map(yaml.safe_load, texts))
            case ["ggexp", "run", *_]:
                assert text_after(example) is None
                run(example, sys.executable, "-m", *words, "--dry-run")
            case ["ggexp", *arguments, ">", file]:
                text = output_of(example, arguments, warnings=False)
                (folder / file).write_text(text, "utf-8")
            case ["ggexp", *arguments]:
                output = output_of(example, arguments, warnings=True)
                if (text := text_after(example)) is not None:
                    start, gap, end = text.partition("…\n")
                    has_ends = output.startswith(start) and output.endswith(end)
                    assert output == text or (gap and has_ends)
            case ["python", file, *_] if file.startswith("examples/"):
                run(example, sys.executable, *words[1:])
            case ["python", file, *_]:
                assert file == "-m" or (ROOT / file).exists(), line
            case _:
                pytest.fail(f"{line}: the tests do not know how to run it")


def output_of(example, arguments, *, warnings):
    output = io.StringIO()
    with (
        chdir(project(example.path).folder),
        redirect_stdout(output),
        redirect_stderr(output if warnings else io.StringIO()),
        pytest.raises(SystemExit) as exit_info,
    ):
        main(arguments)
    assert exit_info.value.code == 0, arguments
    return output.getvalue()


def text_after(example):
    remaining = example.document.text[example.region.end :]
    text = re.match(r"\s*```text\n(.*?)```", remaining, re.DOTALL)
    return text and text[1]


SYBIL = Sybil(
    parsers=[
        PythonCodeBlockParser(),
        CodeBlockParser(language="yaml", evaluator=check_yaml),
        CodeBlockParser(language="csv", evaluator=save_csv),
        CodeBlockParser(language="sh", evaluator=check_sh),
    ]
)


EXAMPLES = {
    f"{path.relative_to(ROOT)}": examples
    for path in PAGES
    if path.name not in TESTED_ELSEWHERE and (examples := [*SYBIL.parse(path).examples()])
}


@pytest.mark.parametrize("page", EXAMPLES)
def test_blocks(page):
    """One test per page, because a block may read files that earlier blocks write."""
    for example in EXAMPLES[page]:
        example.evaluate()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_has_a_known_language(path):
    """All blocks are fenced, and in a language that the tests run or plain text.

    Otherwise a block would be skipped unnoticed.
    """
    text = path.read_text("utf-8")
    fences = re.findall(r"^ *```(.*)$", text, re.MULTILINE)
    assert set(fences[::2]) <= {"python", "yaml", "csv", "sh", "text", "math", "snakemake"}
    assert set(fences[1::2]) <= {""}
    outside = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"\n\n {4}\S", outside)
