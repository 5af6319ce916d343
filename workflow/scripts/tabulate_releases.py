"""Tabulate the first release of every grid point of a data set, and the range over its repeats."""

from ggexp.experiment.grid import GridPoint
from ggexp.figures.tabulate_releases import bin_releases, tabulate_releases
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_csv

with job(snakemake.log[0]):
    points = {GridPoint(**point["point"]): point for point in snakemake.params.points}
    table = tabulate_releases(
        read_counts(snakemake.input.histogram),
        {point: given["scale"] for point, given in points.items()},
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
        bounds={point: given["bound"] for point, given in points.items()},
    )
    write_csv(bin_releases(table), snakemake.output.table)
