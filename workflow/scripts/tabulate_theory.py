"""Tabulate the numbers of one of Figures 1 to 5."""

from ggexp import theory
from ggexp.job import job
from ggexp.storage import write_csv

with job(snakemake.log[0]):
    table = theory.tabulate(snakemake.params.figure, snakemake.params.seed)
    write_csv(table, snakemake.output.table)
