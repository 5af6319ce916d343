"""Sanitize a histogram many times at one grid point, and measure each release."""

from ggexp.experiment.grid import GridPoint
from ggexp.experiment.repeats import score_repeats
from ggexp.job import job
from ggexp.storage import read_counts, write_parquet

with job(snakemake.log[0]):
    results = score_repeats(
        read_counts(snakemake.input.histogram),
        GridPoint(**snakemake.params.point["point"]),
        snakemake.params.point["scale"],
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
        pseudo_count=snakemake.params.pseudo_count,
        direction=snakemake.params.direction,
    )
    write_parquet(results, snakemake.output.repeats)
