"""Take the numbers of a figure of machines on synthetic records from summaries and a baseline."""

from ggexp.figures.tabulate_synthetic import tabulate_training
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    inputs = (snakemake.input.summary, snakemake.input.releases, snakemake.input.baseline)
    write_csv(tabulate_training(*map(read_csv, inputs)), snakemake.output.table)
