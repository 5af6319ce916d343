"""Read and check a table of counts, and store it as a histogram."""

import json

from ggexp.datasets.tables import make_table
from ggexp.run.job import job
from ggexp.run.storage import unchanged, write_parquet

with job(snakemake):
    origin = snakemake.params.origin
    with unchanged(snakemake.input.table, origin["sha256"]):
        table = make_table(snakemake.params.table, f"histograms.{snakemake.wildcards.dataset}")
    cells = table.labels.astype(object).assign(count=table.counts)
    columns = {name: {"levels": [*levels]} for name, levels in table.factors.items()}
    stored = {**origin, "columns": json.dumps(columns)}
    write_parquet(cells, snakemake.output.histogram, stored)
