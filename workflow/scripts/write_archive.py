"""Write a finished run, its code and their description into one zip file."""

import sys

from ggexp.run.archive import write_archive
from ggexp.run.job import job

with job(snakemake):
    archive = write_archive(
        snakemake.config,
        snakemake.params.fingerprints,
        snakemake.params.results,
        snakemake.params.data,
        snakemake.params.figures,
        wheels=snakemake.rule == "archive_with_wheels",
    )
    print(f"archived: {archive}, {archive.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
