"""Take the numbers of a figure of prediction accuracy from a summary and its baseline."""

import pandas as pd

from ggexp.job import job
from ggexp.storage import read_frame, write_csv

with job(snakemake.log[0]):
    summary = read_frame(snakemake.input.summary)
    baseline = read_frame(snakemake.input.baseline).query("model == 'original'")
    line = baseline.rename(columns={"model": "mechanism", "accuracy": "mean"})
    accuracy = summary[summary["metric"] == "accuracy"].drop(columns="metric")
    write_csv(pd.concat([accuracy, line]), snakemake.output.table)
