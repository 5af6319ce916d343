"""Put the paper's claims to their tests in a run's results."""

from pathlib import Path

import pandas as pd

from ggexp.claims.evidence import Results
from ggexp.claims.records import tally_of_table
from ggexp.claims.registry import check_claims, read_claims
from ggexp.run.job import job
from ggexp.run.storage import read_frame, write_csv


def read(paths):
    """Return the tables of some paths."""
    return map(read_frame, paths)


with job(snakemake.log[0]):
    tallies = dict(zip(snakemake.params.tallied, read(snakemake.input.tallies), strict=True))
    for dataset, cells in zip(snakemake.params.counted, read(snakemake.input.tables), strict=True):
        tallies[dataset] = tally_of_table(cells)
    results = Results(
        summary=read_frame(snakemake.input.summary),
        scales=read_frame(snakemake.input.scales),
        baseline=pd.concat([pd.DataFrame(), *read(snakemake.input.baseline)]),
        tallies=tallies,
        figures=dict(zip(snakemake.params.examined, read(snakemake.input.figures), strict=True)),
        seed=snakemake.params.seed,
    )
    claims = read_claims(Path(snakemake.input.claims))
    write_csv(check_claims(claims, results), snakemake.output.table)
