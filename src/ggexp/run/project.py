"""The project's own files and git, and the start of a run of its workflow.

Only one run at a time starts in a folder. Snakemake's own lock remains if a run is killed; `ggexp
snakemake …` does the same as `snakemake …`, but it refuses to start if another run is active, and
it starts if an earlier run was killed.
"""

import errno
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import yaml

from ggexp.run.interrupt import INTERRUPTED

_PACKAGE = Path(__file__).parents[1]
_BUNDLED = _PACKAGE / "project"
#: The folder with Snakefile, workflow/, profiles/, config/, data/ and reference/: in a clone its
#: root, and otherwise the copy of these files that the wheel contains.
ROOT = (_BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parents[1]).resolve()
LOCK = Path(".snakemake", "running")
#: Levels of nested parts of a configuration. At about a thousand, Snakemake fails.
MAX_LEVELS = 100
#: Whole numbers that YAML reads in base 8 or, with a colon, in base 60.
_OTHER_BASE = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")


def designs() -> list[str]:
    """Return the names of the designs other than the paper's: the configurations in config/."""
    return sorted({path.stem for path in ROOT.glob("config/*.yaml")} - {"config"})


def name_of(path: Path) -> str:
    """Return the path of a file within the project or the working directory, if it is there.

    Results contain this name, so that their bytes do not depend on where the project is installed.
    """
    whole = path.resolve()
    for folder in (ROOT, Path.cwd()):
        if whole.is_relative_to(folder):
            return whole.relative_to(folder).as_posix()
    return path.as_posix()


def check_library(project: Path) -> None:
    """Raise ValueError if a project in a folder runs with the library of another project."""
    if project.is_dir() and not project.samefile(ROOT):
        raise ValueError(
            f"this is the workflow of {project}, but Python imports the library of {ROOT}. Run it "
            f"in its own environment: `make` installs it into {project / '.venv'}. A link to "
            "another environment does not serve."
        )


def commit() -> str | None:
    """Return the commit of the project, followed by "+" if files differ from it.

    None if the project's folder is not the top folder of a repository, because a repository in a
    parent folder belongs to another project.
    """
    try:
        if _git("rev-parse", "--show-prefix").strip():
            return None
        described = _git("describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return None
    return described.decode().strip()


def committed() -> str:
    """Return the commit of the project; raise ValueError if its files differ from it."""
    current = commit()
    if current is None:
        raise ValueError(
            "this folder is not a git repository, but an archive contains the code of a commit. "
            "Run `make archive` in a clone, or pack this folder as it is."
        )
    changed = _git("status", "--porcelain").decode().splitlines()
    if changed:
        raise ValueError(
            "an archive contains the code of a commit, but these files differ from the commit or "
            "are not in it; commit or remove them:\n  " + "\n  ".join(changed)
        )
    return current


def export(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder, with their modes and the time of the commit."""
    subprocess.run(["tar", "-x", "-C", folder], input=_git("archive", commit), check=True)


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout


def start(arguments: Sequence[str]) -> NoReturn:
    """Take the lock, run snakemake with this project's workflow, and end the process.

    If the lock cannot be taken, the process ends with a message. The locks that Snakemake left
    after a run was killed are removed: the holder of this lock knows that no other run is active.
    """
    options = _options(arguments)
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

    sys.argv = ["snakemake", "--snakefile", str(ROOT / "Snakefile"), *arguments]
    try:
        sys.exit(main())
    finally:
        if INTERRUPTED.is_set():
            sys.exit(130)  # snakemake itself ends with 1


def private_mask(folder: Path) -> int:
    """Return the umask for confidential files in a folder: only their owner may read them.

    A group that may write to the folder, or to the one in which it will be made, may read and write
    the files too. The folders above it are made, with the present umask.
    """
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    is_shared = existing.stat().st_mode & stat.S_IWGRP
    folder.parent.mkdir(parents=True, exist_ok=True)
    return 0o007 if is_shared else 0o077


def hold(path: Path) -> bool:
    """Take the lock until this process ends; return False if the file system has no locks.

    This is a POSIX lock: it belongs to the process, survives exec, can be taken again by the same
    process, and is not inherited by the jobs that the process starts.
    Raises BlockingIOError with the name of the process that holds the lock.
    """
    import fcntl  # only on Linux and macOS

    path.parent.mkdir(parents=True, exist_ok=True)
    # The file is never closed, because closing any descriptor of it would release the lock.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    os.set_inheritable(descriptor, True)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            return False
        holder = os.read(descriptor, 200).decode("utf-8", "replace").strip()
        raise BlockingIOError(
            f"another run is active in {path.absolute().parents[1]} ({holder}). Wait until it "
            "ends, or stop it."
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    return True


def path_without_blanks() -> str:
    """Return a path of this Python without blanks, because Snakemake does not quote it.

    It is a link to the folder of the environment, in the user's cache. The link remains there,
    because the jobs of a cluster use it too.
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


def _options(arguments: Sequence[str]) -> Namespace:
    """Return the configuration files and the folder of the run that snakemake's arguments name."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="*", type=Path, default=[])
    parser.add_argument("--directory", "-d", type=Path, default=Path())
    return parser.parse_known_args(arguments)[0]


def check_written(path: Path) -> None:
    """Raise ValueError for mistakes in a configuration.

    It must be text in UTF-8, and YAML or JSON. Mistakes that YAML reads without an error are keys
    that stand twice, numbers in base 8 or 60, whole numbers of more digits than Python reads, and
    parts that are nested too deeply or contain themselves, which Snakemake cannot read.
    """
    try:
        text = path.read_text("utf-8")
        root = yaml.compose(text, yaml.CSafeLoader)
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        raise ValueError(f"{path}, line {line}: not text in UTF-8; save it as UTF-8") from error
    except yaml.YAMLError as error:
        with suppress(ValueError, RecursionError):
            json.loads(text)  # may be indented with tabs
            return
        reason = str(error).replace('"<unicode string>", ', "").replace("\n", "\n  ")
        raise ValueError(f"{path} cannot be read as YAML:\n  {reason}") from error
    if not isinstance(root, yaml.MappingNode):
        return  # Snakemake says so
    if problems := [*_problems("", root, (), set())]:
        raise ValueError(f"{path} is not valid:\n  " + "\n  ".join(problems))


def _problems(key: str, node: yaml.Node, within: tuple[int, ...], seen: set[int]) -> Iterator[str]:
    """Yield a message for each mistake in a part of a file, which is within other parts."""
    if id(node) in within or len(within) == MAX_LEVELS:
        first, line = key.partition(".")[0], node.start_mark.line + 1
        too_deep = f"is nested more than {MAX_LEVELS} levels deep"
        reason = "contains itself by an alias (*)" if id(node) in within else too_deep
        yield f"{first}: the part that begins in line {line} {reason}"
        return
    if id(node) in seen:  # an alias repeats a part
        return
    seen.add(id(node))
    within = (*within, id(node))
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for name, value in node.value:
            part = f"{key}.{name.value}".lstrip(".")
            line = name.start_mark.line + 1
            if name.value != "<<" and name.value in lines:
                yield f"{part}: stands twice, in lines {lines[name.value]} and {line}; keep one"
            lines[name.value] = line
            yield from _problems(part, value, within, seen)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            yield from _problems(f"{key}[{position}]", value, within, seen)
    elif node.tag.endswith(":int") and len(node.value) > sys.int_info.default_max_str_digits:
        yield f"{key}: a number of {len(node.value):,} digits is too large"
    elif node.tag.endswith((":int", ":float")) and _OTHER_BASE.fullmatch(node.value):
        read = yaml.safe_load(node.value)
        yield (
            f"{key}: YAML reads {node.value} as {read}; write {read}, or the number that you mean "
            f'without leading zeros and colons, or "{node.value}" if it is text'
        )
