"""Facts that the pages state, by name: numbers from the library and from committed results.

Each function is a fact, or several: `def guesses` that returns a number is named ``guesses`` in the
pages, and if it returns {"at-1": …, "at-2": …}, ``guesses.at-1`` and ``guesses.at-2``. A fact is a
number, several, or the rows of a table: numbers in the unit that is printed, and words if they are
data. What a page concludes from them is asserted. The parameters are fixtures.
"""

from collections.abc import Callable

FACTS: dict[str, Callable] = {}


def fact(compute: Callable) -> Callable:
    """Register a function by its name, with hyphens."""
    name = compute.__name__.replace("_", "-")
    assert name not in FACTS, name
    FACTS[name] = compute
    return compute
