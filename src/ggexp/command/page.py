"""The page that explains a release to the person who must approve its publication."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from math import exp
from pathlib import Path
from typing import Any

from ggexp.command.release import parameters
from ggexp.run.pages import render

#: Largest number of characters of a factor's levels on the page, and of listed factors.
MAX_LEVELS_LENGTH, MAX_FACTORS = 120, 8


def page_of(statement: dict[str, Any], name: str) -> str:
    """Return the page, in HTML, that explains the statement of a release.

    name: the name of the released file.
    The page has no scripts and refers to no other files, and fits on one printed sheet.
    """
    epsilon, delta = statement["epsilon"], statement["delta"] or 0.0
    return render(
        Path(__file__).with_name("page.html.j2"),
        name=name,
        statement=f"{name.removesuffix('.csv')}.json",
        shown_levels=_shown(statement["levels"]),
        odds=_up(exp(epsilon)) if epsilon < 100 else f"e^{epsilon:g}",
        guess=(1 + delta * exp(-epsilon)) / (1 + exp(-epsilon)),
        parameters=parameters,
        up=_up,
        **statement,
    )


def _shown(levels: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the levels of the first factors as text, which is cut off if it is too long."""
    shown = {}
    for factor, names in [*levels.items()][:MAX_FACTORS]:
        text = ", ".join(names)
        if len(text) > MAX_LEVELS_LENGTH:
            text = f"{len(names):,} levels: {text[:MAX_LEVELS_LENGTH].rpartition(',')[0]}, …"
        shown[factor] = text
    return shown


def _up(number: float, digits: int = 3) -> str:
    """Return a number >= 0, rounded up to a number of significant digits."""
    exact = Decimal(number)
    if not exact:
        return "0"
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - digits), ROUND_CEILING)
    return f"{float(rounded):,.15g}"
