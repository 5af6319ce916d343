"""Merge several tables into one, ordered by grid point."""

from ggexp.experiment.summary import join_tables
from ggexp.run.columns import read_table
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake):
    write_csv(join_tables(map(read_table, snakemake.input.tables)), snakemake.output.table)
