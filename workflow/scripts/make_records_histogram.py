"""Make a histogram of individual records, and store the test records separately."""

import json
import logging

import pandas as pd

from ggexp.datasets.records import make_histogram
from ggexp.run.job import job
from ggexp.run.storage import unchanged, write_csv, write_parquet

with job(snakemake):
    origin = snakemake.params.origin
    with unchanged(snakemake.input.records, origin["sha256"]):
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
    stored = {**origin, "columns": json.dumps(histogram.columns)}
    write_parquet(histogram.table.cells, snakemake.output.histogram, stored)
    write_parquet(histogram.test.labels, snakemake.output.test)
