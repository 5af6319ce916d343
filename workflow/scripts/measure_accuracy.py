"""Train and test a support vector machine on each of several releases of each grid point."""

from ggexp.datasets.table import Table
from ggexp.experiment.accuracy import classifier_of, measure_accuracies
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_columns, read_parquet, read_tally, write_parquet

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    cells, bins = read_parquet(files.histogram), read_tally(files.tally)["bins"]
    kinds = [from_parameters(parameters, bins) for parameters in params.kinds]
    classifier = classifier_of(
        cells,
        read_parquet(files.test),
        params.target,
        listed=kinds[0].lists_cells,
        threads=snakemake.threads,
        shared=map_arrays(files.arrays),
    )
    accuracies = measure_accuracies(
        classifier,
        Table.stored(cells, read_columns(files.histogram)),
        [*map(NoisyPoint.from_parameters, params.points)],
        kinds,
        seed=params.seed,
        repeats=range(*params.repeats),
    )
    write_parquet(accuracies, snakemake.output.accuracy)
