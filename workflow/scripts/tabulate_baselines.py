"""Tabulate the accuracy that releases are compared with: original counts and majority class."""

from ggexp.experiment.accuracy import build_classifier, tabulate_baselines
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_parquet, write_csv

with job(snakemake.log[0]):
    cells = read_parquet(snakemake.input.histogram)
    test = read_parquet(snakemake.input.test)
    target = snakemake.params.target
    shared = map_arrays(snakemake.input.arrays)
    classifier = build_classifier(cells, test, target, threads=snakemake.threads, shared=shared)
    table = tabulate_baselines(classifier, cells, test, target)
    table.insert(0, "dataset", snakemake.wildcards.dataset)
    write_csv(table, snakemake.output.baseline)
