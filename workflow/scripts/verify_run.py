"""Compare a finished run with a reference manifest and with the expected verdicts."""

import json
import logging
from pathlib import Path

from ggexp.run.files import read_csv
from ggexp.run.job import job
from ggexp.run.manifest import differences, explanations, read_files

with job(snakemake):
    run, reference = (
        json.loads(Path(path).read_text("utf-8"))
        for path in (snakemake.input.manifest, snakemake.params.reference)
    )
    folder = Path(snakemake.input.manifest).parent
    outputs = map(Path, snakemake.input.outputs)
    run |= read_files(snakemake.config, folder, snakemake.params.data, outputs)
    claims = read_csv(snakemake.input.claims)
    problems = differences(run, reference) + [
        f"claim {claim['id']}: {claim['verdict']}, expected {claim['expected']}"
        for claim in claims.query("verdict != expected").to_dict("records")
    ]
    if problems:
        made_with = explanations(run, reference) or ["the same computer, versions and code"]
        raise ValueError(
            f"differences from {snakemake.params.reference}: {len(problems)}.\n"
            "How this run was made:\n  " + "\n  ".join(made_with) + "\n"
            "Results that differ:\n  " + "\n  ".join(problems)
        )
    files = len(run["outputs"])
    logging.info("verified: %d files of results and %d verdicts agree", files, len(claims))
