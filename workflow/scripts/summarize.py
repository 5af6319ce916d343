"""Summarize the repeats of every grid point of a data set, measured in one job or several."""

from ggexp.experiment.summary import summarize
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake.log[0]):
    parts = map(read_parquet, snakemake.input.repeats)
    write_csv(summarize(parts, snakemake.params.get("repeats")), snakemake.output.summary)
