"""The tests of claims by name; each is registered by a decorator."""

from collections.abc import Callable
from typing import TypeVar

from ggexp.claims.evidence import Comparison

T = TypeVar("T", bound=Callable[..., list[Comparison]])

#: Name of a test, as in reference/*.yaml -> the test.
TESTS: dict[str, Callable[..., list[Comparison]]] = {}


def claim_test(test: T) -> T:
    """Register a test under its name.

    It returns the comparisons of a claim from the claim's parameters, by name, and from the results
    of a run if it has a parameter ``results``.
    """
    known = TESTS.setdefault(test.__name__, test)
    if known.__module__ != test.__module__:
        raise ValueError(f"two tests of claims are called {test.__name__!r}")
    return test
