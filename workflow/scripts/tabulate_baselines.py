"""Tabulate the accuracy of two baselines: the original counts and the majority class."""

from ggexp.experiment.accuracy import LibrarySVM, build_classifier, tabulate_baselines
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_parquet, write_csv

with job(snakemake):
    cells = read_parquet(snakemake.input.histogram)
    data = cells, read_parquet(snakemake.input.test), snakemake.params.target
    if snakemake.params.listed:
        shared = map_arrays(snakemake.input.arrays)
        classifier = build_classifier(*data, threads=snakemake.threads, shared=shared)
    else:
        classifier = LibrarySVM(*data)
    table = tabulate_baselines(classifier, *data)
    table.insert(0, "dataset", snakemake.wildcards.dataset)
    write_csv(table, snakemake.output.baseline)
