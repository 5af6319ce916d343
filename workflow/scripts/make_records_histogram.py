"""Make a histogram of individual records, and store the test records separately."""

import logging
from pathlib import Path

import pandas as pd

from ggexp.datasets.fetch import verify
from ggexp.datasets.records import make_histogram
from ggexp.run.job import job
from ggexp.run.storage import write_csv, write_parquet

with job(snakemake.log[0]):
    if snakemake.params.sha256:
        verify(Path(snakemake.input.records), snakemake.params.sha256)
    histogram = make_histogram(
        snakemake.params.records,
        dataset=snakemake.wildcards.dataset,
        seed=snakemake.params.seed,
        target=snakemake.params.target,
        lists_empty=snakemake.params.lists_empty,
    )
    tally = pd.DataFrame(histogram.tally.items(), columns=["quantity", "count"])
    logging.info("tally of %s:\n%s", snakemake.input.records, tally.to_string(index=False))
    write_csv(tally, snakemake.output.tally)
    write_parquet(histogram.cells, snakemake.output.histogram)
    write_parquet(histogram.test, snakemake.output.test)
