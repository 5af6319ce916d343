"""Read and check a table of counts, and store it as a histogram."""

from ggexp.datasets.tables import make_table
from ggexp.run.job import job
from ggexp.run.storage import unchanged, write_parquet

with job(snakemake):
    sha256 = snakemake.params.sha256
    with unchanged(snakemake.input.table, sha256):
        table = make_table(snakemake.params.table, f"histograms.{snakemake.wildcards.dataset}")
    cells = table.labels.astype(object).assign(count=table.counts)
    source = {"file": snakemake.input.table, "sha256": sha256}
    write_parquet(cells, snakemake.output.histogram, source)
