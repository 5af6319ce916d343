"""A workaround that lets Snakemake start Python if the path of Python contains a space.

Snakemake 9.27 does not quote this path in its commands (docs/upstream.md).
"""

import shlex
import sys
from typing import Any


def quote_path(script: Any, executor: Any) -> None:
    """Make Snakemake quote the path of Python in its commands.

    script: Snakemake's class of Python scripts. executor: Snakemake's base class of executors.
    """
    execute, format_command = script._execute_cmd, executor.format_job_exec
    paths = sys.executable, shlex.quote(sys.executable)
    unquoted, quoted = (f"{path} -m snakemake" for path in paths)

    def execute_quoted(self: Any, command: str, **names: Any) -> Any:
        return execute(self, command.replace("{py_exec} ", "{py_exec:q} "), **names)

    def format_quoted(self: Any, job: Any) -> str:
        return format_command(self, job).replace(unquoted, quoted)

    script._execute_cmd, executor.format_job_exec = execute_quoted, format_quoted
