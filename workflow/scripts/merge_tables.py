"""Put tables of one kind into one."""

import pandas as pd

from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake.log[0]):
    write_csv(pd.concat(map(read_parquet, snakemake.input.tables)), snakemake.output.table)
