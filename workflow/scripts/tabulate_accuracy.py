"""Take the numbers of a figure of prediction accuracy from a summary and its baseline."""

from ggexp.figures.tabulate_accuracy import tabulate_accuracy
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    table = tabulate_accuracy(read_csv(snakemake.input.summary), read_csv(snakemake.input.baseline))
    write_csv(table, snakemake.output.table)
