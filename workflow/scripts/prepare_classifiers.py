"""Compute the arrays that the SVMs of a data set share. Jobs map them into memory."""

from ggexp.experiment.accuracy import build_classifier
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_arrays

with job(snakemake):
    classifier = build_classifier(
        read_parquet(snakemake.input.histogram),
        read_parquet(snakemake.input.test),
        snakemake.params.target,
        threads=snakemake.threads,
    )
    write_arrays(classifier.shared, snakemake.output.arrays)
