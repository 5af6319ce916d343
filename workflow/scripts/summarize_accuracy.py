"""Summarize the accuracies of every grid point of a data set, measured in one job or several."""

from ggexp.experiment.summary import join_parts, summarize
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake.log[0]):
    files, jobs = snakemake.input.accuracy, snakemake.params.jobs
    points = (files[start : start + jobs] for start in range(0, len(files), jobs))
    frames = (join_parts(map(read_parquet, point), snakemake.params.repeats) for point in points)
    write_csv(summarize(frames), snakemake.output.summary)
