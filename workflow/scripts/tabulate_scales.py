"""Tabulate the scale of the noise at every grid point."""

from ggexp.experiment.grid import GridPoint
from ggexp.experiment.scales import tabulate_scales
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    scales = {GridPoint(**point["point"]): point["scale"] for point in snakemake.params.points}
    write_csv(tabulate_scales(scales), snakemake.output.scales)
