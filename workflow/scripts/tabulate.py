"""Compute a table from other tables and settings, with a function of the library."""

from pkgutil import resolve_name

import pandas as pd

from ggexp.run.files import read_table
from ggexp.run.job import job
from ggexp.run.storage import write_table

with job(snakemake):
    tabulate = resolve_name(snakemake.params.function)
    tables = {name: pd.concat(map(read_table, files)) for name, files in snakemake.input.items()}
    write_table(tabulate(**tables, **snakemake.params.get("settings", {})), snakemake.output[0])
