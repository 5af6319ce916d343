"""Snakemake's commands that start Python, with an unquoted and with a quoted path of Python."""

import shlex
import sys

import pytest

from ggexp.run.interpreter import quote_path

PYTHON = "/a b/it's/python"


@pytest.mark.parametrize("quoted", [False, True], ids=["as Snakemake 9.27", "if it quoted"])
def test_the_path_of_python_is_one_word(quoted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", PYTHON)

    class Script:
        def execute(self) -> list[str]:
            template = "{py_exec:q} {fname:q}" if quoted else "{py_exec} {fname:q}"
            return self._execute_cmd(template, py_exec=PYTHON, fname="a script.py")

        def _execute_cmd(self, command: str, **names: str) -> list[str]:
            for name, value in names.items():  # as Snakemake's formatter does
                command = command.replace(f"{{{name}:q}}", shlex.quote(value))
            return shlex.split(command.format(**names))

    class Executor:
        def format_job_exec(self, job: str) -> str:
            python = shlex.quote(PYTHON) if quoted else PYTHON
            return f"cd '/a b' && {python} -m snakemake {job}"

    quote_path(Script, Executor)
    assert Script().execute() == [PYTHON, "a script.py"]
    words = ["cd", "/a b", "&&", PYTHON, "-m", "snakemake", "job"]
    assert shlex.split(Executor().format_job_exec("job")) == words
