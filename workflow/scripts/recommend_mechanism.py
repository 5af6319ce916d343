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
    files = dict(zip(snakemake.params.datasets, snakemake.input.histograms, strict=True))
    counts = {dataset: int(read_counts(file).sum()) for dataset, file in files.items()}
    recommended = recommend(
        read_csv(snakemake.input.summary),
        read_csv(snakemake.input.scales),
        counts,
        snakemake.params.neighbours,
        snakemake.params.approximate,
        snakemake.params.metrics,
        unprotected=snakemake.params.unprotected,
        majorities=majorities_of(map(read_csv, snakemake.input.baseline)),
    )
    needed = needed_epsilon(recommended)
    cells = {name: len(read_counts(files[name])) for name in snakemake.params.complete}
    needed = needed.join(
        needed_without_data(
            needed,
            counts,
            cells,
            replaced=snakemake.params.replaced,
            rescaled=snakemake.params.rescaled,
        )
    )
    for table, path in (
        (recommended, snakemake.output.recommendation),
        (needed, snakemake.output.epsilon),
    ):
        table["advantage"] = advantages(table, snakemake.params.unprotected)
        write_csv(table, path)
