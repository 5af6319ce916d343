"""Registry of the claim tests by name; the decorator `claim_test` adds a test."""

from collections.abc import Callable
from typing import TypeVar

from ggexp.claims.evidence import Comparisons

T = TypeVar("T", bound=Callable[..., Comparisons])

#: Name of a test, as in reference/*.yaml -> its function.
TESTS: dict[str, Callable[..., Comparisons]] = {}


def claim_test(test: T) -> T:
    """Register a test under its name.

    A test takes the parameters of a claim by keyword, and the results of a run if it has a
    parameter ``results``. It yields the comparisons that the claim makes, none if the results lack
    its subject.
    """
    registered = TESTS.setdefault(test.__name__, test)
    if registered.__module__ != test.__module__:
        raise ValueError(f"two claim tests have the name {test.__name__!r}")
    return test
