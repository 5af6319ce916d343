"""Train a machine on the cells of each of some releases of a grid point, and test it."""

from ggexp.datasets.domain import Domain
from ggexp.datasets.layout import Layout
from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.sparse import Kind
from ggexp.experiment.sparse_accuracy import measure_sparse_accuracy
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_parquet

with job(snakemake.log[0]):
    cells = read_parquet(snakemake.input.histogram)
    test = read_parquet(snakemake.input.test)
    records = snakemake.params.records
    layout = Layout.from_config(records, f"histograms.{snakemake.wildcards.dataset}.records")
    domain = Domain.of(layout, cells, test)
    results = measure_sparse_accuracy(
        cells,
        test,
        records["target"],
        domain,
        Kind(bins=domain.size, **snakemake.params.kind),
        NoisyPoint.from_parameters(snakemake.params.point),
        seed=snakemake.params.seed,
        repeats=range(*snakemake.params.repeats),
    )
    write_parquet(results, snakemake.output.accuracy)
