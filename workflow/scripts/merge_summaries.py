"""Put the summaries of all data sets and metrics into one."""

from ggexp.experiment.summary import join_metrics
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    write_csv(join_metrics(map(read_csv, snakemake.input.tables)), snakemake.output.table)
