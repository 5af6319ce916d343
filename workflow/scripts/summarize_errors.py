"""Summarize the errors of every grid point of a data set."""

from ggexp.experiment.summary import summarize
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake.log[0]):
    write_csv(summarize(map(read_parquet, snakemake.input.repeats)), snakemake.output.summary)
