"""Read and check a table of counts, and store it as a histogram."""

from ggexp.datasets.tables import make_table
from ggexp.run.job import job
from ggexp.run.storage import write_parquet

with job(snakemake.log[0]):
    cells, counts = make_table(snakemake.params.table, f"histograms.{snakemake.wildcards.dataset}")
    write_parquet({**cells, "count": counts}, snakemake.output.histogram)
