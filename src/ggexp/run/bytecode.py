"""Bytecode: processes keep the modules that they have compiled, also in a container."""

import os
import sys


def keep_bytecode() -> None:
    """Let this process and its child processes store compiled modules, which many images forbid.

    Each job would otherwise compile its imports anew, which takes as long as most of its work.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
