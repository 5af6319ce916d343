"""Train a support vector machine on each of some releases of a grid point, and test it."""

from ggexp.experiment.accuracy import build_classifier, measure_accuracy
from ggexp.experiment.grid import NoisyPoint
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_parquet, write_parquet

with job(snakemake.log[0]):
    cells = read_parquet(snakemake.input.histogram)
    classifier = build_classifier(
        cells,
        read_parquet(snakemake.input.test),
        snakemake.params.target,
        threads=snakemake.threads,
        shared=map_arrays(snakemake.input.arrays),
    )
    results = measure_accuracy(
        classifier,
        cells,
        NoisyPoint.from_parameters(snakemake.params.point),
        seed=snakemake.params.seed,
        repeats=range(*snakemake.params.repeats),
    )
    write_parquet(results, snakemake.output.accuracy)
