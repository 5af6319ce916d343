"""Read and check a table of counts, and store its cells and counts."""

from ggexp.datasets.tables import read_table
from ggexp.run.job import job
from ggexp.run.storage import write_parquet

with job(snakemake.log[0]):
    cells, counts = read_table(
        snakemake.input.table, snakemake.params.factors, snakemake.params.total
    )
    write_parquet({**cells, "count": counts}, snakemake.output.histogram)
