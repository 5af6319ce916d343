"""Write all releases of a data set to one file."""

from ggexp.releases.export import list_releases
from ggexp.releases.point import NoisyPoint
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_row_groups

with job(snakemake.log[0]):
    if not snakemake.params.listed:
        raise ValueError(
            f"no file of the releases of {snakemake.wildcards.dataset}: it has the key cells, by "
            "which each release has other cells, too many to list"
        )
    groups = list_releases(
        read_counts(snakemake.input.histogram),
        list(map(NoisyPoint.from_parameters, snakemake.params.points)),
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
    )
    write_row_groups(groups, snakemake.output.releases)
