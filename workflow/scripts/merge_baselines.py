"""Put the baselines of all data sets into one table."""

import pandas as pd

from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    write_csv(pd.concat(map(read_csv, snakemake.input.tables)), snakemake.output.table)
