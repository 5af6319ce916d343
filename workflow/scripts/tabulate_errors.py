"""Take the numbers of a figure of l1 distance and KL divergence from a summary."""

from ggexp.figures.tabulate_errors import tabulate_errors
from ggexp.run.job import job
from ggexp.run.storage import read_frame, write_csv

with job(snakemake.log[0]):
    write_csv(tabulate_errors(read_frame(snakemake.input.summary)), snakemake.output.table)
