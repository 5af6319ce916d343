"""Snakemake's commands that start Python, for a checkout whose path has a space."""

import shlex
from typing import Any


def quote_path(script: Any, executor: Any) -> None:
    """Have Snakemake quote the path of Python, which it does not (9.27).

    script: its class of Python scripts. executor: its base class of executors on other machines.
    """
    execute, locate = script._execute_cmd, executor.get_python_executable

    def execute_quoted(self: Any, command: str, **names: Any) -> Any:
        return execute(self, command.replace("{py_exec} ", "{py_exec:q} "), **names)

    script._execute_cmd = execute_quoted
    executor.get_python_executable = lambda self: shlex.quote(locate(self))
