"""Write the manifest of a finished run, and a machine-readable description of its tables."""

from pathlib import Path

from ggexp.run.data_package import write_package
from ggexp.run.job import job
from ggexp.run.manifest import write_manifest
from ggexp.run.storage import write_json

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    results = Path(snakemake.output.manifest).parent
    outputs = map(Path, files.outputs)
    manifest = write_manifest(
        snakemake.config, results, params.points, params.fingerprints, params.data, outputs
    )
    write_json(manifest, snakemake.output.manifest)
    write_package(results, map(Path, files.tables), params.figures)
