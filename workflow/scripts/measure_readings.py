"""Measure the releases of a data set in several readings of the paper."""

from importlib import import_module

from ggexp.multiverse.choices import Factorial
from ggexp.releases.point import NoisyPoint
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_parquet

with job(snakemake):
    table = import_module(snakemake.params.module).measure_readings(
        Factorial(**snakemake.params.factorial),
        snakemake.wildcards.dataset,
        snakemake.params.outer,
        points=[NoisyPoint.from_parameters(point) for point in snakemake.params.points],
        seed=snakemake.params.seed,
        threads=snakemake.threads,
        **snakemake.params.settings,
        **{name: read_parquet(path) for name, path in snakemake.input.items()},
    )
    write_parquet(table, snakemake.output.part)
