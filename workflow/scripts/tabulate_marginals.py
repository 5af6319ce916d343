"""Take the numbers of a figure of marginals from a summary of synthetic records."""

from ggexp.figures.tabulate_synthetic import tabulate_marginals
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    write_csv(tabulate_marginals(read_csv(snakemake.input.summary)), snakemake.output.table)
