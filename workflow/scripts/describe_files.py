"""Write a machine-readable description of a run's tables."""

from pathlib import Path

from ggexp.run.archive import write_package
from ggexp.run.job import job

with job(snakemake):
    results = Path(snakemake.output.package).parent
    write_package(results, map(Path, snakemake.input.tables), snakemake.params.figures)
