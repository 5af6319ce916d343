"""Compare a finished run with a reference manifest and with the verdicts that are expected."""

import json
import sys
from pathlib import Path

from ggexp.run.job import job
from ggexp.run.manifest import differences, explanations
from ggexp.run.storage import read_frame

with job(snakemake.log[0]):
    ours, reference = (
        json.loads(Path(path).read_text("utf-8"))
        for path in (snakemake.input.manifest, snakemake.params.reference)
    )
    claims = read_frame(snakemake.input.claims).query("verdict != expected")
    found = differences(ours, reference) + [
        f"claim {claim['id']}: {claim['verdict']}, expected {claim['expected']}"
        for claim in claims.to_dict("records")
    ]
    if found:
        notes = explanations(ours, reference)
        also = "\nand, as a possible reason,\n  " + "\n  ".join(notes) if notes else ""
        raise ValueError(
            f"not what {snakemake.params.reference} says:\n  " + "\n  ".join(found) + also
        )
    files, verdicts = len(ours["outputs"]), len(ours["claims"])
    print(f"verified: {files} files of results and {verdicts} verdicts agree", file=sys.stderr)
