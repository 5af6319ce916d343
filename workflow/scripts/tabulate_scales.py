"""Tabulate the scale of the noise at every grid point."""

from ggexp.experiment.summary import tabulate_scales
from ggexp.releases.point import NoisyPoint
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake):
    points = map(NoisyPoint.from_parameters, snakemake.params.points)
    write_csv(tabulate_scales(points), snakemake.output.scales)
