"""Release a histogram of many cells many times at one grid point, and measure each release."""

from ggexp.experiment.grid import GridPoint
from ggexp.experiment.sparse import Kind
from ggexp.experiment.sparse_errors import measure_sparse
from ggexp.run.job import job
from ggexp.run.storage import read_counts, read_frame, write_parquet

with job(snakemake.log[0]):
    tally = read_frame(snakemake.input.tally).set_index("quantity")["count"]
    results = measure_sparse(
        read_counts(snakemake.input.histogram),
        Kind(bins=int(tally["bins"]), **snakemake.params.kind),
        GridPoint(**snakemake.params.point["point"]),
        snakemake.params.point["scale"],
        seed=snakemake.params.seed,
        repeats=snakemake.params.repeats,
    )
    write_parquet(results, snakemake.output.repeats)
