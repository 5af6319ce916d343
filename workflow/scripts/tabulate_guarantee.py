"""Tabulate the numbers of a figure beyond the paper, by the module of its topic."""

from importlib import import_module

from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake.log[0]):
    topic = import_module(snakemake.params.module)
    data = {name: read_parquet(path) for name, path in snakemake.input.items()}
    table = topic.tabulate(snakemake.wildcards.number, snakemake.params.seed, **data)
    write_csv(table, snakemake.output.table)
