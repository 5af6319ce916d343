"""Sanitize a histogram many times at one grid point, and measure each release."""

from ggexp.experiment.errors import measure_errors
from ggexp.experiment.grid import NoisyPoint
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_parquet

with job(snakemake.log[0]):
    results = measure_errors(
        read_counts(snakemake.input.histogram),
        NoisyPoint.from_parameters(snakemake.params.point),
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
        pseudo_count=snakemake.params.pseudo_count,
        direction=snakemake.params.direction,
    )
    write_parquet(results, snakemake.output.repeats)
