"""Summarize the repeats of every grid point of a data set, from the files of one or more jobs."""

from ggexp.experiment.summary import summarize
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake):
    tables = map(read_parquet, snakemake.input.repeats)
    write_csv(summarize(tables, snakemake.params.repeats), snakemake.output.summary)
