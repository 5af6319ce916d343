"""Join the parts of a factorial's measured table."""

import pandas as pd

from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake):
    parts = map(read_parquet, snakemake.input.parts)
    write_csv(pd.concat(parts, ignore_index=True), snakemake.output.table)
