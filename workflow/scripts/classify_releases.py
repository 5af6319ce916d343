"""Train a support vector machine on each of some releases of a grid point, and test it."""

from ggexp.experiment.accuracy import build_classifier, score_releases
from ggexp.experiment.grid import GridPoint
from ggexp.job import job
from ggexp.storage import read_frame, write_parquet

with job(snakemake.log[0]):
    cells = read_frame(snakemake.input.histogram)
    classifier = build_classifier(
        cells,
        read_frame(snakemake.input.test),
        snakemake.params.target,
        threads=snakemake.threads,
    )
    results = score_releases(
        classifier,
        cells,
        GridPoint(**snakemake.params.point["point"]),
        snakemake.params.point["scale"],
        seed=snakemake.params.seed,
        repeats=range(*snakemake.params.repeats),
    )
    write_parquet(results, snakemake.output.accuracy)
