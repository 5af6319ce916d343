"""Write the manifest of a finished run."""

from pathlib import Path

from ggexp.run.job import job
from ggexp.run.manifest import write_manifest
from ggexp.run.storage import write_json

with job(snakemake):
    manifest = write_manifest(
        snakemake.config,
        Path(snakemake.output.manifest).parent,
        snakemake.params.points,
        snakemake.params.fingerprints,
        snakemake.params.data,
        map(Path, snakemake.input.outputs),
    )
    write_json(manifest, snakemake.output.manifest)
