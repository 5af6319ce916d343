"""Tabulate the accuracy that releases of many cells are compared with."""

from ggexp.experiment.sparse_accuracy import tabulate_sparse_baselines
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake.log[0]):
    cells = read_parquet(snakemake.input.histogram)
    test = read_parquet(snakemake.input.test)
    table = tabulate_sparse_baselines(cells, test, snakemake.params.target)
    table.insert(0, "dataset", snakemake.wildcards.dataset)
    write_csv(table, snakemake.output.baseline)
