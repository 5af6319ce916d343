"""Facts that the pages state, by name: numbers from the library and from committed results.

Each is a function, and its name with hyphens marks a number or a table (``marks.py``). It returns a
number, several, or the rows of a table: numbers in the unit that is printed, and words if they are
data. Its parameters are fixtures.
"""

from collections.abc import Callable

FACTS: dict[str, Callable] = {}


def fact(compute: Callable) -> Callable:
    """Register a fact by its function's name."""
    name = compute.__name__.replace("_", "-")
    assert name not in FACTS, name
    FACTS[name] = compute
    return compute
