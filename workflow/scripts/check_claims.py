"""Put the paper's claims to their tests in a run's results."""

from pathlib import Path

import pandas as pd

from ggexp.claims.check import check_claims, read_claims
from ggexp.claims.evidence import Results
from ggexp.claims.records import tally_of_table
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv

with job(snakemake.log[0]):
    records = zip(snakemake.params.tallied, snakemake.input.tallies, strict=True)
    tables = zip(snakemake.params.counted, snakemake.input.tables, strict=True)
    figures = zip(snakemake.params.examined, snakemake.input.figures, strict=True)
    results = Results(
        summary=read_csv(snakemake.input.summary),
        scales=read_csv(snakemake.input.scales),
        baseline=pd.concat([pd.DataFrame(), *map(read_csv, snakemake.input.baseline)]),
        tallies={dataset: read_csv(path) for dataset, path in records}
        | {dataset: tally_of_table(read_parquet(path)) for dataset, path in tables},
        figures={number: read_csv(path) for number, path in figures},
        seed=snakemake.params.seed,
    )
    claims = read_claims(Path(snakemake.input.claims))
    write_csv(check_claims(claims, results), snakemake.output.table)
