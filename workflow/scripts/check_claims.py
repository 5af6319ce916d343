"""Test claims on the results of a run."""

from importlib import import_module
from pathlib import Path

import pandas as pd

from ggexp.claims.check import GROUPS, check_claims, read_claims
from ggexp.claims.evidence import Results
from ggexp.claims.experiment import tally_of_table
from ggexp.claims.sd_errors import with_sd_errors
from ggexp.run.files import read_table
from ggexp.run.job import job
from ggexp.run.storage import write_csv


def concatenate(paths):
    """Return the tables of some files as one table, which is empty if there are no files."""
    return pd.concat(map(read_table, paths)) if paths else pd.DataFrame()


def inputs(kind):
    """Return name -> files, for the inputs that are named for a kind and this name."""
    named = snakemake.input.items()
    return {name.removeprefix(kind): files for name, files in named if name.startswith(kind)}


with job(snakemake):
    tables = {
        name: concatenate(snakemake.input.get(name))
        for name in ("summary", "scales", "baseline", "equal", "losses")
    }
    repeats = map(read_table, snakemake.input.get("repeats", []))
    if len(tables["summary"]):
        tables["summary"] = with_sd_errors(tables["summary"], repeats)
    results = Results(
        **tables,
        tallies={
            name: tally_of_table(concatenate(files)) for name, files in inputs("tally_").items()
        },
        figures={
            int(name) if name.isdigit() else name: concatenate(files)
            for name, files in inputs("figure_").items()
        },
        seed=snakemake.params.seed,
    )
    for package in snakemake.params.tests:  # those of other texts than the paper
        import_module(package)
    claims = read_claims(Path(snakemake.input.claims))
    # in the paper's design, claims are listed even if no claim of their group is tested
    listed = GROUPS if snakemake.params.is_paper else ()
    verdicts, comparisons = check_claims(claims, results, snakemake.params.about, listed)
    write_csv(verdicts, snakemake.output.table)
    write_csv(comparisons, snakemake.output.comparisons)
