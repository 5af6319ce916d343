"""Take the numbers of a figure of prediction accuracy from a summary and its baseline."""

from ggexp.figures.tabulate_accuracy import tabulate_accuracy
from ggexp.run.job import job
from ggexp.run.storage import read_frame, write_csv

with job(snakemake.log[0]):
    table = tabulate_accuracy(
        read_frame(snakemake.input.summary), read_frame(snakemake.input.baseline)
    )
    write_csv(table, snakemake.output.table)
