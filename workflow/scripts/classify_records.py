"""Train a support vector machine on the synthetic records of each repeat of a grid point."""

import pandas as pd

from ggexp.experiment.accuracy import build_classifier, measure_accuracy
from ggexp.releases.point import NoisyPoint
from ggexp.releases.records import record_counts
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_parquet, write_parquet

with job(snakemake.log[0]):
    cells = read_parquet(snakemake.input.histogram)
    noisy = NoisyPoint.from_parameters(snakemake.params.point)
    classifier = build_classifier(
        cells,
        read_parquet(snakemake.input.test),
        snakemake.params.target,
        threads=snakemake.threads,
        shared=map_arrays(snakemake.input.arrays),
    )
    counts, seed = cells["count"].to_numpy(), snakemake.params.seed
    tables = []
    for method in snakemake.params.methods:
        # the records of a cell are equal, so their number is its weight
        accuracy = measure_accuracy(
            classifier,
            lambda repeat, method=method: record_counts(
                counts, noisy, method, seed=seed, repeat=repeat
            ),
            noisy.point,
            range(snakemake.params.repeats),
        )
        table = pd.DataFrame(accuracy)
        table.insert(table.columns.get_loc("repeat"), "method", method)
        tables.append(table)
    write_parquet(pd.concat(tables, ignore_index=True), snakemake.output.accuracy)
