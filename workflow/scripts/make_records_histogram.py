"""Make a histogram of individual records, and set the test records apart."""

import logging
from pathlib import Path

import pandas as pd

from ggexp.datasets.fetch import verify
from ggexp.datasets.layout import Layout
from ggexp.datasets.records import check_tally, check_target, read_histogram
from ggexp.run.job import job
from ggexp.run.storage import write_csv, write_parquet

with job(snakemake.log[0]):
    dataset = snakemake.wildcards.dataset
    records = Path(snakemake.input.records)
    if snakemake.params.sha256:
        verify(records, snakemake.params.sha256)
    settings, key = snakemake.params.records, f"histograms.{dataset}.records"
    layout = Layout.from_config(settings, key)
    histogram = read_histogram(records, layout, dataset=dataset, seed=snakemake.params.seed)
    tally = pd.DataFrame(histogram.tally.items(), columns=["quantity", "count"])
    logging.info("%s counts to\n%s", records, tally.to_string(index=False))
    check_tally(records, histogram.tally, settings.get("expected", {}))
    if "target" in settings:  # known here, long before the machines begin
        check_target(records, histogram, settings["target"], key)
    write_csv(tally, snakemake.output.tally)
    write_parquet(histogram.cells, snakemake.output.histogram)
    write_parquet(histogram.test, snakemake.output.test)
