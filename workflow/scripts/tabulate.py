"""Compute a table from other tables and settings, with a function of the library."""

from pathlib import Path
from pkgutil import resolve_name

import pandas as pd

from ggexp.run.files import read_table
from ggexp.run.job import job
from ggexp.run.storage import write_table


def read_part(path):
    """Return the table in a file; a histogram among those of all data sets states its data set."""
    table = read_table(path)
    is_unnamed = snakemake.params.get("of_data_sets") and "dataset" not in table
    return table.assign(dataset=Path(path).stem) if is_unnamed else table


with job(snakemake):
    tabulate = resolve_name(snakemake.params.function)
    tables = {name: pd.concat(map(read_part, files)) for name, files in snakemake.input.items()}
    write_table(tabulate(**tables, **snakemake.params.get("settings", {})), snakemake.output[0])
