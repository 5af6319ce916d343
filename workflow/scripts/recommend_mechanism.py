"""Recommend a mechanism for each data set, and tabulate the ε needed for given errors."""

from ggexp.experiment.recommendation import (
    advantages,
    majorities_of,
    needed_epsilon,
    needed_without_data,
    recommend,
)
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_csv

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    all_counts = dict(zip(params.datasets, map(read_counts, files.histograms), strict=True))
    totals = {dataset: int(counts.sum()) for dataset, counts in all_counts.items()}
    recommended = recommend(
        read_csv(files.summary),
        read_csv(files.scales),
        totals,
        params.neighbours,
        params.approximate,
        params.metrics,
        unprotected=params.unprotected,
        majorities=majorities_of(map(read_csv, files.baseline)),
    )
    needed = needed_epsilon(recommended)
    cells = {name: len(all_counts[name]) for name in params.complete}
    changed = {"replaced": params.replaced, "rescaled": params.rescaled}
    needed = needed.join(needed_without_data(needed, totals, cells, **changed))
    for table, path in (
        (recommended, snakemake.output.recommendation),
        (needed, snakemake.output.epsilon),
    ):
        table["advantage"] = advantages(table, params.unprotected)
        write_csv(table, path)
