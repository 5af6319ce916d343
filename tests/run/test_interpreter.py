"""Commands that start Python, as Snakemake has them and with the path of Python quoted."""

import shlex

import pytest

from ggexp.run.interpreter import quote_path

PYTHON = "/a b/it's/python"


@pytest.mark.parametrize("template", ["{py_exec} {fname:q}", "{py_exec:q} {fname:q}"])
def test_the_path_of_python_is_one_word(template: str) -> None:
    class Script:
        def _execute_cmd(self, command: str, **names: str) -> list[str]:
            # Snakemake's own formatter quotes what is marked by :q
            for name, value in names.items():
                command = command.replace(f"{{{name}:q}}", shlex.quote(value))
            return shlex.split(command.format(**names))

    class Executor:
        def get_python_executable(self) -> str:
            return PYTHON

    quote_path(Script, Executor)
    words = Script()._execute_cmd(template, py_exec=PYTHON, fname="a script.py")
    assert words == [PYTHON, "a script.py"]
    assert shlex.split(Executor().get_python_executable()) == [PYTHON]
