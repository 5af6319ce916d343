"""Tabulate the accuracy of two baselines: the original counts and the majority class."""

from ggexp.experiment.accuracy import build_classifier, tabulate_baselines
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_parquet, write_csv

with job(snakemake):
    cells = read_parquet(snakemake.input.histogram)
    data = cells, read_parquet(snakemake.input.test), snakemake.params.target
    classifier = build_classifier(
        *data,
        listed=snakemake.params.listed,
        threads=snakemake.threads,
        shared=map_arrays(snakemake.input.arrays),
    )
    table = tabulate_baselines(classifier, *data)
    table.insert(0, "dataset", snakemake.wildcards.dataset)
    write_csv(table, snakemake.output.baseline)
