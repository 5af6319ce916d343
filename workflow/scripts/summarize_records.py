"""Summarize the errors, and the accuracies, of the synthetic records of a data set."""

from ggexp.experiment.summary import KEYS, join_metrics, summarize
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake.log[0]):
    keys = [*KEYS, "method"]
    frames = (
        frame
        for path in snakemake.input.repeats
        for _, frame in read_parquet(path).groupby("method", sort=False)
    )
    write_csv(join_metrics([summarize(frames, keys)], keys), snakemake.output.summary)
