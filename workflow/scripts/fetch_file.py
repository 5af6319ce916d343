"""Fetch a file from the first of its sources that has it, and verify it."""

from pathlib import Path

from ggexp.datasets.fetch import fetch
from ggexp.run.job import job
from ggexp.run.project import ROOT

with job(snakemake):
    # The script, not the rule, reads the sources, so that a new source does not rerun the job.
    file = snakemake.config["download"]["files"][snakemake.wildcards.file]
    fetch(Path(snakemake.output.file), file, ROOT)
