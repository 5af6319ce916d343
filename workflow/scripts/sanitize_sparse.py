"""Release a histogram of many cells many times at one grid point, and measure each release."""

from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.sparse import Kind
from ggexp.experiment.sparse_errors import measure_sparse
from ggexp.run.job import job
from ggexp.run.storage import read_counts, read_tally, write_parquet

with job(snakemake.log[0]):
    results = measure_sparse(
        read_counts(snakemake.input.histogram),
        Kind(bins=read_tally(snakemake.input.tally)["bins"], **snakemake.params.kind),
        NoisyPoint.from_parameters(snakemake.params.point),
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
    )
    write_parquet(results, snakemake.output.repeats)
