"""Take the numbers of a figure from a data set's summaries, by the module of its topic."""

from importlib import import_module

import pandas as pd

from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    topic = import_module(snakemake.params.module)
    tabulate = getattr(topic, f"tabulate_{snakemake.params.kind}")
    summary = pd.concat(map(read_csv, snakemake.input.summaries))
    write_csv(tabulate(summary, snakemake.params.metrics), snakemake.output.table)
