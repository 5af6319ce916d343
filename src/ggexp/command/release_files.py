"""The files of a release: its tables, its statement, and the page that explains the statement."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ggexp.releases.statement import Statement
from ggexp.run.storage import replacing, to_csv
from ggexp.run.templates import render
from ggexp.words import parameters, up

#: Largest number of characters of a factor's levels on the page, and of listed factors or tables.
MAX_LEVELS_LENGTH, MAX_FACTORS = 120, 8


def write(tables: Sequence[pd.DataFrame], statement: Statement, files: Sequence[Path]) -> None:
    """Write the statement as JSON, the page that explains it, and then the tables as CSV.

    files: in this order, so that there is never a release without a statement.
    """
    sidecar, explanation, *outputs = files
    text = f"{statement.json_text()}\n"
    page = page_of(statement, [output.name for output in outputs], sidecar.name)
    try:
        for file, content in ((sidecar, text), (explanation, page)):
            with replacing(file) as temporary:
                temporary.write_text(content, "utf-8")
        for output, table in zip(outputs, tables, strict=True):
            with replacing(output) as temporary:
                to_csv(table, temporary)
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise


def page_of(statement: Statement, names: Sequence[str], statement_name: str) -> str:
    """Return the page that explains the statement of a release to the person who must approve it.

    names: of the released files. The page fits on one printed sheet.
    """
    spent = (statement.epsilon, statement.delta)
    if not statement.tables and statement.epsilon_of_a_count is not None:
        spent = (statement.epsilon_of_a_count, statement.delta_of_a_count)
    return render(
        Path(__file__).with_name("page.html.j2"),
        name=names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}",
        statement_file=statement_name,
        statement=statement,
        tables=statement.tables or [],
        max_factors=MAX_FACTORS,
        max_levels_length=MAX_LEVELS_LENGTH,
        parameters=parameters(*spent),
        up=up,
        sentences=statement.sentences(),
    )
