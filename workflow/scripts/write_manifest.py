"""Write the manifest of a finished run."""

import json
from pathlib import Path

from ggexp.run.job import job
from ggexp.run.manifest import write_manifest
from ggexp.run.storage import writing

with job(snakemake):
    manifest = write_manifest(
        snakemake.config,
        snakemake.params.fingerprints,
        snakemake.params.data,
        map(Path, snakemake.input.outputs),
    )
    with writing(snakemake.output.manifest) as temporary:
        temporary.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", "utf-8")
