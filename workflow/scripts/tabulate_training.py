"""Take the numbers of a figure of machines on synthetic records from summaries and a baseline."""

from ggexp.figures.tabulate_synthetic import tabulate_training
from ggexp.run.job import job
from ggexp.run.storage import read_frame, write_csv

with job(snakemake.log[0]):
    inputs = (snakemake.input.summary, snakemake.input.releases, snakemake.input.baseline)
    write_csv(tabulate_training(*map(read_frame, inputs)), snakemake.output.table)
