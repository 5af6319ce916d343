"""Bytecode: processes keep the modules that they have compiled, also in a container."""

import os
import sys


def keep_bytecode() -> None:
    """Let this process and its child processes store compiled modules.

    Many images of containers set the variable PYTHONDONTWRITEBYTECODE, which forbids it. Each job
    would then compile its imports anew, which takes as long as most of its work.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
