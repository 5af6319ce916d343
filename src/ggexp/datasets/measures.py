"""Names of numbers that are no counts of records, such as percentages, and names with counts."""

import re
from collections.abc import Iterator

from ggexp.datasets.table import Table
from ggexp.datasets.totals import Finding

#: Names of columns of numbers that are no counts.
_MEASURE = re.compile(
    r"[%‰]|(?<![a-z])(pct|perc|percent(age)?s?|rates?|ratio|proportions?|mean|average|avg|median|"
    r"weighted|expected|residuals?|change|diff(erence)?|cum|cumulative|moe|margin of error|"
    r"std|standard error)(?![a-z])",
    re.I,
)
#: The same for levels, some of which are words of a scale, such as average.
_MEASURE_LEVEL = re.compile(
    r"[%‰]|(row |col(umn)? |valid )?(pct|percent|rate\b|mean\b|median\b).*", re.I
)
_STATED = re.compile(r"(?<![a-z])[nN]\s*[=:]\s*\d")


def is_measure(name: str) -> bool:
    """Return whether a column has the name of numbers that are no counts, such as percentages."""
    return _MEASURE.search(name.replace("_", " ")) is not None


def find_measures(table: Table) -> Iterator[Finding]:
    """Yield names of no counts among the levels, and that of the column of counts."""
    levels = [level for known in table.factors.values() for level in known]
    named = [*filter(_MEASURE_LEVEL.fullmatch, levels)]
    measures = [table.name] if is_measure(table.name) else named
    for measure in measures:
        yield Finding(
            f"{measure!r} is the name of numbers that are no counts of records: leave it out "
            "(--ignore, or --totals for a level), or rename it if they are counts"
        )


def find_stated_counts(table: Table) -> Iterator[Finding]:
    """Yield names that state a number of records, such as "f (n = 31)", and would be published."""
    for stated in filter(_STATED.search, table.texts):
        yield Finding(f"{stated!r} seems to contain a count, which would be published: rename it")
