"""Fetch a file that is not in the repository, and verify it."""

import os
from pathlib import Path

from ggexp.datasets.fetch import fetch
from ggexp.run.job import job

with job(snakemake.log[0]):
    # The script, not the rule, reads the addresses, so that a new address does not rerun the job.
    download = snakemake.config["download"]
    file = download["files"][snakemake.wildcards.file]
    fetch(
        Path(snakemake.output.file),
        size=file["bytes"],
        sha256=file["sha256"],
        addresses=file["addresses"],
        mirror=os.environ.get("GGEXP_MIRROR") or download["mirror"],
    )
