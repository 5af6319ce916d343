"""Tabulate the first release of every grid point of a data set, and the range over its repeats."""

from ggexp.figures.tabulate_releases import bin_releases, tabulate_releases
from ggexp.releases.point import NoisyPoint
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_csv

with job(snakemake.log[0]):
    table = tabulate_releases(
        read_counts(snakemake.input.histogram),
        list(map(NoisyPoint.from_parameters, snakemake.params.points)),
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
    )
    write_csv(bin_releases(table), snakemake.output.table)
