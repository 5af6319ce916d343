"""Tabulate the scale of the noise at every grid point."""

from ggexp.experiment.grid import GridPoint
from ggexp.experiment.scales import tabulate_scales
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    points = {GridPoint(**point["point"]): point for point in snakemake.params.points}
    scales = {point: given["scale"] for point, given in points.items()}
    bounds = {point: given["bound"] for point, given in points.items()}
    write_csv(tabulate_scales(scales, bounds), snakemake.output.scales)
