"""Train a support vector machine on each of some releases of a grid point, and test it."""

from ggexp.experiment.accuracy import build_classifier, measure_accuracy
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.job import job
from ggexp.run.storage import map_arrays, read_parquet, read_tally, write_parquet

with job(snakemake.log[0]):
    cells, test = map(read_parquet, (snakemake.input.histogram, snakemake.input.test))
    counts = cells["count"].to_numpy()
    records, noisy = snakemake.params.records, NoisyPoint.from_parameters(snakemake.params.point)
    kind = from_parameters(snakemake.params.kind, read_tally(snakemake.input.tally)["bins"])
    training = kind.training(cells, test, records, snakemake.wildcards.dataset)
    classifier = build_classifier(
        cells,
        test,
        snakemake.params.target,
        listed=kind.lists_cells,
        threads=snakemake.threads,
        shared=map_arrays(snakemake.input.arrays),
    )
    results = measure_accuracy(
        classifier,
        lambda repeat: training(
            kind.release(counts, noisy, seed=snakemake.params.seed, repeat=repeat)
        ),
        noisy.point,
        range(*snakemake.params.repeats),
    )
    write_parquet(results, snakemake.output.accuracy)
