"""The start of a run of the project's workflow: `ggexp snakemake …` in place of `snakemake …`.

It refuses to start if another run is active, and starts if an earlier run was killed.
"""

import os
import re
import shutil
import stat
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from ggexp.run.interrupt import INTERRUPTED
from ggexp.run.lock import LOCK, hold
from ggexp.run.project import ROOT, check_library
from ggexp.run.written import check_written


def start(arguments: Sequence[str]) -> NoReturn:
    """Take the lock, run snakemake with this project's workflow and display, and end the process.

    If the lock cannot be taken, the process ends with a message. The locks that Snakemake left
    after a run was killed are removed: the holder of this lock knows that no other run is active.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="*", type=Path, default=[])
    parser.add_argument("--directory", "-d", type=Path, default=Path())
    options, _ = parser.parse_known_args(arguments)
    try:
        if Path("src/ggexp").is_dir():  # in a clone
            check_library(Path.cwd())
        for file in options.configfile:
            if not file.is_fifo():  # which can be read only once
                check_written(file)
        if not hold(options.directory / LOCK):
            print("This file system has no locks: make sure that no other run is active here.")
        elif (locks := options.directory / LOCK.with_name("locks")).exists():
            shutil.rmtree(locks)
    except (ValueError, OSError) as error:
        sys.exit(f"Error: {error}")
    from snakemake.cli import main  # takes a second

    # an option with several values, which another option must follow
    display = ["--logger", "ggexp"]  # src/snakemake_logger_plugin_ggexp
    sys.argv = ["snakemake", *display, "--snakefile", str(ROOT / "Snakefile"), *arguments]
    try:
        sys.exit(main())
    finally:
        if INTERRUPTED.is_set():
            sys.exit(130)  # snakemake itself ends with 1


def private_mask(folder: Path) -> int:
    """Return the umask for confidential files in a folder: only their owner may read them.

    If the folder, or the one in which it will be made, belongs to a group that may write to it,
    this group may read and write the files too. The parent folders are made, with the present
    umask.
    """
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    is_shared = existing.stat().st_mode & stat.S_IWGRP
    folder.parent.mkdir(parents=True, exist_ok=True)
    return 0o007 if is_shared else 0o077


def path_without_blanks() -> str:
    """Return a path of this Python without blanks, because Snakemake does not quote it.

    It is a link to the environment in the user's cache, which the jobs of a cluster use too.
    Raises ValueError if the path of the cache has a blank, OSError if the link cannot be made.
    """
    if not re.search(r"\s", sys.executable):
        return sys.executable
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "ggexp")
    link = cache / sha256(sys.prefix.encode()).hexdigest()[:12]
    if re.search(r"\s", str(link)):
        raise ValueError(
            f"the path of Python, {sys.executable}, has a blank, which Snakemake does not support, "
            f"and so has {link}, a link to it. Make the environment in a folder whose path has no "
            "blank, or set XDG_CACHE_HOME to such a folder."
        )
    cache.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(sys.prefix)
    return str(link / Path(sys.executable).relative_to(sys.prefix))
