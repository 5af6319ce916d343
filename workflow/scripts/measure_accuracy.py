"""Train and test a support vector machine on each of several releases of a grid point."""

import pandas as pd

from ggexp.experiment.accuracy import LibrarySVM, build_classifier, measure_accuracy
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_parquet, read_tally, write_parquet

with job(snakemake):
    cells, test = map(read_parquet, (snakemake.input.histogram, snakemake.input.test))
    counts, bins = cells["count"].to_numpy(), read_tally(snakemake.input.tally)["bins"]
    noisy, seed = NoisyPoint.from_parameters(snakemake.params.point), snakemake.params.seed
    kinds = [from_parameters(parameters, bins) for parameters in snakemake.params.kinds]
    data = cells, test, snakemake.params.target
    if kinds[0].lists_cells:
        shared = map_arrays(snakemake.input.arrays)
        classifier = build_classifier(*data, threads=snakemake.threads, shared=shared)
    else:
        classifier = LibrarySVM(*data)
    tables = []
    for kind, parameters in zip(kinds, snakemake.params.kinds, strict=True):
        to_training_data = kind.training(
            cells, test, snakemake.params.records, snakemake.wildcards.dataset
        )
        table = measure_accuracy(
            classifier,
            lambda repeat, kind=kind, to_training_data=to_training_data: to_training_data(
                kind.release(counts, noisy, seed=seed, repeat=repeat)
            ),
            noisy.point,
            range(*snakemake.params.repeats),
        )
        if method := parameters.get("method"):
            table = pd.DataFrame(table)
            table.insert(table.columns.get_loc("repeat"), "method", method)
        tables.append(table)
    results = pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]
    write_parquet(results, snakemake.output.accuracy)
