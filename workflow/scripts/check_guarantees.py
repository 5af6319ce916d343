"""Put the claims beyond the paper to their tests, in the tables of the figures and the audit."""

from pathlib import Path

import pandas as pd

from ggexp.claims.check import check_claims, read_claims
from ggexp.claims.evidence import Results
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    tables = map(read_csv, snakemake.input.figures)
    results = Results(
        summary=pd.DataFrame(),
        scales=pd.DataFrame(),
        figures=dict(zip(snakemake.params.tables, tables, strict=True)),
        seed=snakemake.params.seed,
    )
    claims = read_claims(Path(snakemake.input.claims))
    write_csv(check_claims(claims, results), snakemake.output.table)
