"""Rank the mechanisms of a data set by the errors of its summaries."""

from ggexp.figures.tabulate_ranks import tabulate_ranks
from ggexp.run.job import job
from ggexp.run.storage import read_frame, write_csv

with job(snakemake.log[0]):
    write_csv(tabulate_ranks(map(read_frame, snakemake.input.summaries)), snakemake.output.table)
