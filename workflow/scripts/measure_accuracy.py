"""Train and test a support vector machine on each of several releases of each grid point."""

from itertools import product

import pandas as pd

from ggexp.datasets.table import Table
from ggexp.experiment.accuracy import classifier_of, measure_accuracy
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.job import job
from ggexp.run.source import read_columns
from ggexp.run.storage import map_arrays, read_parquet, read_tally, write_parquet

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    cells, test = read_parquet(files.histogram), read_parquet(files.test)
    counts, bins = cells["count"].to_numpy(), read_tally(files.tally)["bins"]
    kinds = [from_parameters(parameters, bins) for parameters in params.kinds]
    data = cells, test, params.target
    shared, listed = map_arrays(files.arrays), kinds[0].lists_cells
    classifier = classifier_of(*data, listed=listed, threads=snakemake.threads, shared=shared)
    stored = Table.stored(cells, read_columns(files.histogram))
    tables = []
    for noisy, (kind, parameters) in product(
        map(NoisyPoint.from_parameters, params.points), zip(kinds, params.kinds, strict=True)
    ):
        columns = measure_accuracy(
            classifier,
            lambda repeat, noisy=noisy, kind=kind: kind.training(
                stored, kind.release(counts, noisy, seed=params.seed, repeat=repeat)
            ),
            noisy.point,
            range(*params.repeats),
        )
        table = pd.DataFrame(columns)
        if method := parameters.get("method"):
            table.insert(table.columns.get_loc("repeat"), "method", method)
        tables.append(table)
    write_parquet(pd.concat(tables, ignore_index=True), snakemake.output.accuracy)
