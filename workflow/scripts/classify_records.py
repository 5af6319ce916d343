"""Train a support vector machine on the synthetic records of each repeat of a grid point."""

from ggexp.experiment.accuracy import build_classifier
from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.synthetic_accuracy import measure_synthetic_accuracy
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
    results = measure_synthetic_accuracy(
        classifier,
        cells,
        NoisyPoint.from_parameters(snakemake.params.point),
        snakemake.params.methods,
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
    )
    write_parquet(results, snakemake.output.accuracy)
