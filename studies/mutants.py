"""Draw mutants of the library with a fixed seed, as a list for studies/faults.py.

    ../mutants/bin/python studies/mutants.py 105     # an environment with cosmic-ray 8.7.0

A mutant is one of the changes that cosmic-ray's operators can make at a drawn place of the code.
One that no test detects needs a test, unless it makes no difference (tests/data/mutants.yaml).
"""

import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import yaml
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parents[1]
ROOMS = ("mechanisms", "releases", "guarantees", "experiment", "svm")
#: Operators whose mutants raise an error at once, or change annotations only.
LEFT_OUT = re.compile("Bit|Shift|Invert|UAdd|Decorator|Variable|_Is|Exception")


def places(code: str) -> dict[object, list[tuple[str, int]]]:
    """Return for each place that can be changed the operators, and their occurrence there."""
    found = defaultdict(list)
    nodes = [*ast_nodes(get_ast(code))]
    for name in operator_names():
        if not LEFT_OUT.search(name):
            operator, occurrence = get_operator(name)(), 0
            for node in nodes:
                for place in operator.mutation_positions(node):
                    found[place].append((name, occurrence))
                    occurrence += 1
    return found


def difference(before: str, after: str) -> tuple[str, str]:
    """Return the lines that differ, with the lines before them that make their place unique."""
    old, new = before.split("\n"), after.split("\n")
    changed = [i for i, (line, other) in enumerate(zip(old, new, strict=True)) if line != other]
    first, end = changed[0], changed[-1] + 1
    while before.count("\n".join(old[first:end])) > 1:
        first -= 1
    return "\n".join(old[first:end]), "\n".join(new[first:end])


def draw(number: int) -> Iterator[dict[str, str]]:
    """Yield mutants of the rooms, with places of all files equally likely."""
    rng = random.Random(1)
    files = [file for room in ROOMS for file in sorted((ROOT / "src/ggexp" / room).glob("*.py"))]
    found = [(file, place, at) for file in files for place, at in places(file.read_text()).items()]
    rng.shuffle(found)
    while number:
        file, _, changes = found.pop()
        name, occurrence = rng.choice(changes)
        code = file.read_text("utf-8")
        mutated = mutate_code(code, get_operator(name)(), occurrence)
        with suppress(SyntaxError, ValueError):  # a star between parameters, a line removed
            compile(mutated, file, "exec")
            before, after = difference(code, mutated)
            path = str(file.relative_to(ROOT))
            yield {"name": name.split("/")[1], "file": path, "before": before, "after": after}
            number -= 1


if __name__ == "__main__":
    for index, mutant in enumerate(draw(int(sys.argv[1])), 1):
        entry = {"name": f"mutant {index}, {mutant.pop('name')}", **mutant}
        print(yaml.safe_dump([entry], allow_unicode=True, sort_keys=False, width=10_000), end="")
