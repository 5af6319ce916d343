"""Tabulate the accuracy of two baselines: the original counts and the majority class."""

from ggexp.experiment.accuracy import classifier_of
from ggexp.experiment.baselines import tabulate_baselines
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_parquet, write_csv

with job(snakemake):
    cells = read_parquet(snakemake.input.histogram)
    data = cells, read_parquet(snakemake.input.test), snakemake.params.target
    shared, listed = map_arrays(snakemake.input.arrays), snakemake.params.listed
    classifier = classifier_of(*data, listed=listed, threads=snakemake.threads, shared=shared)
    table = tabulate_baselines(classifier, *data)
    table.insert(0, "dataset", snakemake.wildcards.dataset)
    write_csv(table, snakemake.output.baseline)
