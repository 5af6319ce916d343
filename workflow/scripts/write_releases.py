"""Write all releases of a data set to one file."""

from ggexp.releases.export import list_releases
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_row_groups

with job(snakemake):
    counts = read_counts(snakemake.input.histogram)
    kind = from_parameters(snakemake.params.kind, counts.size)
    if not kind.lists_cells:
        raise ValueError(
            f"the releases of {snakemake.wildcards.dataset} cannot be written, because with its "
            "release.kind each release has different cells, too many to list"
        )
    groups = list_releases(
        counts,
        kind,
        list(map(NoisyPoint.from_parameters, snakemake.params.points)),
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
    )
    write_row_groups(groups, snakemake.output.releases)
