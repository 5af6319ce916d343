"""Put the tables of all data sets into one."""

import pandas as pd

from ggexp.job import job
from ggexp.storage import read_frame, write_csv

with job(snakemake.log[0]):
    write_csv(pd.concat(map(read_frame, snakemake.input.tables)), snakemake.output.table)
