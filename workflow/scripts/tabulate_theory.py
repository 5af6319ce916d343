"""Tabulate the numbers of one of Figures 1 to 5."""

from ggexp.figures import tabulate_theory
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    table = tabulate_theory.tabulate(int(snakemake.wildcards.number), snakemake.params.seed)
    write_csv(table, snakemake.output.table)
