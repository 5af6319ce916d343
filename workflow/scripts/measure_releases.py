"""Release a histogram many times at each grid point, and measure the errors of each release."""

from ggexp.experiment.metrics import measure_releases
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.job import job
from ggexp.run.storage import read_counts, read_tally, write_parquet

with job(snakemake):
    counts = read_counts(snakemake.input.histogram)
    tally = snakemake.input.get("tally")
    results = measure_releases(
        counts,
        from_parameters(snakemake.params.kind, read_tally(tally)["bins"] if tally else counts.size),
        list(map(NoisyPoint.from_parameters, snakemake.params.points)),
        seed=snakemake.params.seed,
        repeats=range(*snakemake.params.repeats),
        pseudo_count=snakemake.params.pseudo_count,
    )
    write_parquet(results, snakemake.output.repeats)
