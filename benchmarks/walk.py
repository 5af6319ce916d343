"""How often `ggexp describe` and `ggexp sanitize` enter each room, for a survey of three tables.

    python benchmarks/walk.py

The survey is a file of records; it is described, and its three tables of two columns are published.
A room is a folder of src/ggexp; the single modules, which all rooms use, belong to none. A room is
**entered** if one of its functions, methods or properties begins, if the innermost running function
of a room is in another room, and if no third room was entered since the last time. Therefore a
return does not count, nor does a second call from the same place, but a callback does. Functions
that run while a module is imported do not count. Exits with 1 if a room is entered too often.
"""

import gc
import sys
from collections import Counter
from contextlib import chdir
from functools import cache
from inspect import CO_GENERATOR
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from click.testing import CliRunner

import ggexp
from ggexp.command.main import ggexp as command

LIMIT = 2
ANSWERS = {"age": ("young", "old"), "sex": ("f", "m"), "town": ("north", "south", "west")}
SANITIZE = "sanitize survey.csv --factors age,sex,town --tables two-way --levels-from-file"
COMMANDS = {
    "describe": "describe survey.csv",
    "sanitize": f"{SANITIZE} --epsilon 1",
    "sanitize --consistent": f"{SANITIZE} --epsilon 1 --consistent --output consistent.csv",
}


@cache
def room_of_file(name: str) -> str:
    """Return the room of a file, or the empty text."""
    file = Path(name)
    if file.suffix != ".py" or not file.is_relative_to(LIBRARY := Path(ggexp.__file__).parent):
        return ""
    return file.relative_to(LIBRARY).parts[0].removesuffix(file.name)


def room_of(frame: FrameType) -> str:
    """Return the room of a function, or the empty text."""
    return room_of_file(frame.f_code.co_filename)


def walk(arguments: str) -> list[tuple[str, str]]:
    """Return the rooms that a command enters, in order, and the calling and the called function."""
    entries = [("", "")]
    generators = set()  # resuming a generator is a return

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not (room := room_of(frame)) or frame in generators:
            return
        if frame.f_code.co_flags & CO_GENERATOR:
            generators.add(frame)
        callers = [frame]
        while callers[-1].f_back:
            callers.append(callers[-1].f_back)
        if any(caller.f_code.co_filename.startswith("<frozen importlib") for caller in callers):
            return
        caller = next(filter(room_of, callers[1:]), frame)
        if room not in (entries[-1][0], room_of(caller) if caller is not frame else ""):
            names = f"{caller.f_code.co_qualname} ({room_of(caller)}): {frame.f_code.co_qualname}"
            entries.append((room, names))

    gc.collect()  # generators of earlier commands would end during this one
    sys.setprofile(note)
    result = CliRunner().invoke(command, arguments.split())
    sys.setprofile(None)
    if result.exit_code:
        raise RuntimeError(result.output)
    return entries[1:]


def walks() -> dict[str, list[tuple[str, str]]]:
    """Return the walk of each command, in an empty folder with the survey."""
    a, b, c = ANSWERS.values()
    lines = [f"{a[i % 2]},{b[i // 2 % 2]},{c[i // 4 % 3]}\n" for i in range(200)]
    with TemporaryDirectory() as folder, chdir(folder):
        Path("survey.csv").write_text(f"{','.join(ANSWERS)}\n{''.join(lines)}", "utf-8")
        return {name: walk(arguments) for name, arguments in COMMANDS.items()}


def main() -> int:
    """Print the entries of each command, and a table of their numbers; return 1 above the limit."""
    found = walks()
    for name, entries in found.items():
        print(f"{name}\n" + "\n".join(f"  {room:12} {names}" for room, names in entries) + "\n")
    counts = [Counter(room for room, _ in entries) for entries in found.values()]
    print(f"| room | {' | '.join(found)} |\n|---{'|---' * len(counts)}|")
    for room in sorted({*counts[0], *counts[1], *counts[2]}):
        print(f"| {room} | {' | '.join(str(each[room]) for each in counts)} |")
    return int(max(max(each.values()) for each in counts) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
