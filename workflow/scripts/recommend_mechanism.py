"""Say which mechanism keeps each data set most useful, and how large ε must be."""

from pandas import isna, notna

from ggexp.experiment.recommendation import needed_epsilon, recommend
from ggexp.guarantees import relaxed
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_csv

with job(snakemake.log[0]):
    counts = {
        dataset: int(read_counts(file).sum())
        for dataset, file in zip(snakemake.params.datasets, snakemake.input.histograms, strict=True)
    }
    recommended = recommend(
        read_csv(snakemake.input.summary),
        read_csv(snakemake.input.scales),
        counts,
        snakemake.params.neighbours,
        snakemake.params.approximate,
        snakemake.params.metrics,
    )
    needed = needed_epsilon(recommended)
    for table, path in (
        (recommended, snakemake.output.recommendation),
        (needed, snakemake.output.epsilon),
    ):
        table["advantage"] = [
            relaxed.mean(epsilon=epsilon, delta=0 if isna(delta) else delta, prior=None)
            if notna(epsilon)
            else None
            for epsilon, delta in zip(table["epsilon"], table["delta"], strict=True)
        ]
        write_csv(table, path)
