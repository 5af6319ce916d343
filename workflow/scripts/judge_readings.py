"""Test the claims about results in each reading of the paper, and tabulate the shares."""

from pathlib import Path

from ggexp.claims.check import read_claims
from ggexp.experiment.keys import ChoiceSettings
from ggexp.multiverse import universes
from ggexp.multiverse.choices import Factorial
from ggexp.run.files import read_csv
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake):
    choices = {name: ChoiceSettings(**choice) for name, choice in snakemake.params.choices.items()}
    factorials = [Factorial(**factorial) for factorial in snakemake.params.factorials.values()]
    tables = map(read_csv, snakemake.input.measured)
    measured = [*zip(factorials, tables, strict=True)]
    claims = read_claims(Path(snakemake.input.claims))
    readings = universes.judge_all(claims, measured, choices)
    write_csv(readings, snakemake.output.multiverse)
    write_csv(universes.shares(readings, claims, choices), snakemake.output.shares)
    write_csv(universes.losses_of_ours(measured), snakemake.output.losses)
