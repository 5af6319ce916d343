"""Write all releases of a data set to one file."""

from ggexp.experiment.grid import GridPoint
from ggexp.experiment.releases import list_releases
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_row_groups

with job(snakemake.log[0]):
    if snakemake.params.sparse:
        raise ValueError(
            f"no file of the releases of {snakemake.wildcards.dataset}: it has the key cells, by "
            "which each release has other cells, too many to list"
        )
    points = {GridPoint(**point["point"]): point for point in snakemake.params.points}
    groups = list_releases(
        read_counts(snakemake.input.histogram),
        {point: given["scale"] for point, given in points.items()},
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
        bounds={point: given["bound"] for point, given in points.items()},
    )
    write_row_groups(groups, snakemake.output.releases)
