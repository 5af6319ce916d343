"""Take the numbers of a figure of l1 distance and KL divergence from a summary."""

from ggexp.job import job
from ggexp.storage import read_frame, write_csv

with job(snakemake.log[0]):
    summary = read_frame(snakemake.input.summary)
    write_csv(summary[summary["metric"].isin(["l1", "kl"])], snakemake.output.table)
