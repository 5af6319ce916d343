"""Put the claims about synthetic records and private modes to their tests."""

from pathlib import Path

import pandas as pd

from ggexp.claims.check import check_claims, read_claims
from ggexp.claims.evidence import Results
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv


def joined(read, paths):
    """Return the tables that are read from some paths as one, an empty one of none."""
    return pd.concat([pd.DataFrame(), *map(read, paths)])


with job(snakemake.log[0]):
    results = Results(
        summary=joined(read_csv, snakemake.input.releases),
        scales=pd.DataFrame(),
        baseline=joined(read_csv, snakemake.input.baseline),
        figures={
            "records": joined(read_csv, snakemake.input.records),
            "gains": joined(read_parquet, snakemake.input.gains),
            "modes": joined(read_csv, snakemake.input.modes),
        },
    )
    claims = read_claims(Path(snakemake.input.claims))
    write_csv(check_claims(claims, results), snakemake.output.table)
