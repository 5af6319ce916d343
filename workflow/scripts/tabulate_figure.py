"""Tabulate the data that a figure shows, with the function of its kind."""

from importlib import import_module

import pandas as pd

from ggexp.run.columns import read_table
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake):
    module, _, function = snakemake.params.function.rpartition(".")
    tabulate = getattr(import_module(module), function)
    tables = {name: pd.concat(map(read_table, files)) for name, files in snakemake.input.items()}
    write_csv(tabulate(**tables, **snakemake.params.settings), snakemake.output.table)
