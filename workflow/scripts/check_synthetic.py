"""Put the claims about synthetic records and private modes to their tests."""

from pathlib import Path

import pandas as pd

from ggexp.claims.evidence import Results
from ggexp.claims.registry import check_claims, read_claims
from ggexp.run.job import job
from ggexp.run.storage import read_frame, write_csv


def joined(paths):
    """Return the tables of some paths as one, an empty one of none."""
    return pd.concat([pd.DataFrame(), *map(read_frame, paths)])


with job(snakemake.log[0]):
    results = Results(
        summary=joined(snakemake.input.releases),
        scales=pd.DataFrame(),
        baseline=joined(snakemake.input.baseline),
        figures={name: joined(snakemake.input[name]) for name in ("records", "gains", "modes")},
    )
    claims = read_claims(Path(snakemake.input.claims))
    write_csv(check_claims(claims, results), snakemake.output.table)
