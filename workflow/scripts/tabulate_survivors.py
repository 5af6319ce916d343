"""Take the numbers of a figure of what releases keep from the summaries of a data set."""

import pandas as pd

from ggexp.figures.tabulate_survivors import tabulate_survivors
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    summaries = pd.concat(map(read_csv, snakemake.input.summaries))
    baselines = pd.concat([pd.DataFrame(), *map(read_csv, snakemake.input.baseline)])
    table = tabulate_survivors(summaries, read_csv(snakemake.input.tally), baselines)
    write_csv(table, snakemake.output.table)
