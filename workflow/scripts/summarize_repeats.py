"""Summarize the repeats of every grid point of a data set."""

from ggexp.experiment.summary import join_accuracy, summarize
from ggexp.job import job
from ggexp.storage import read_frame, write_csv

with job(snakemake.log[0]):
    repeats = map(read_frame, snakemake.input.repeats)
    if snakemake.input.accuracy:
        repeats = join_accuracy(
            repeats,
            map(read_frame, snakemake.input.accuracy),
            len(snakemake.input.accuracy) // len(snakemake.input.repeats),
        )
    write_csv(summarize(repeats), snakemake.output.summary)
