"""The tests of claims by name: each registers itself, by a decorator."""

from collections.abc import Callable
from typing import TypeVar

from ggexp.claims.evidence import Comparison

T = TypeVar("T", bound=Callable[..., list[Comparison]])

#: The tests by the names that claims in reference/ have for them.
TESTS: dict[str, Callable[..., list[Comparison]]] = {}


def claim_test(test: T) -> T:
    """Register a test under its name.

    It returns the comparisons that a claim makes: from the claim's parameters, by their names, and
    from what a run found, if it has a parameter ``results``.
    """
    known = TESTS.setdefault(test.__name__, test)
    if known.__module__ != test.__module__:
        raise ValueError(f"two tests of claims are called {test.__name__!r}")
    return test
