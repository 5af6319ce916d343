"""Take the numbers of a figure of l1 distance and KL divergence from a summary."""

import pandas as pd

from ggexp.job import job
from ggexp.storage import write_csv

with job(snakemake.log[0]):
    summary = pd.read_csv(snakemake.input.summary)
    write_csv(summary[summary["metric"].isin(["l1", "kl"])], snakemake.output.table)
