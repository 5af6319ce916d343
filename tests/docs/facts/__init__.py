"""Facts that the pages state, by name: numbers from the library and from committed results.

Each function computes one or several facts. A function `guesses` that returns a number is the fact
``guesses`` of the pages; if it returns {"at-1": …, "at-2": …}, the facts are ``guesses.at-1`` and
``guesses.at-2``. A fact is a number, several numbers, or the rows of a table. Numbers have the unit
that is printed; text is included only if it is data. Conclusions that a page draws from the numbers
are asserted. The parameters of a function are fixtures.
"""

from collections.abc import Callable

FACTS: dict[str, Callable] = {}


def fact(compute: Callable) -> Callable:
    """Register a function by its name, with hyphens instead of underscores."""
    name = compute.__name__.replace("_", "-")
    assert name not in FACTS, name
    FACTS[name] = compute
    return compute
