"""Tabulate the accuracy that releases are compared with: original counts and majority class."""

import pandas as pd

from ggexp.experiment.accuracy import build_classifier, tabulate_baselines
from ggexp.job import job
from ggexp.storage import write_csv

with job(snakemake.log[0]):
    cells = pd.read_parquet(snakemake.input.histogram)
    test = pd.read_parquet(snakemake.input.test)
    target = snakemake.params.target
    classifier = build_classifier(cells, test, target, threads=snakemake.threads)
    table = tabulate_baselines(classifier, cells, test, target)
    table.insert(0, "dataset", snakemake.wildcards.dataset)
    write_csv(table, snakemake.output.baseline)
