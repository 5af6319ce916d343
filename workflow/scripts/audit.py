"""Audit the guarantees of a run's mechanisms on millions of their releases."""

from ggexp.companions.audit_table import Point, tabulate_audit
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake):
    table = tabulate_audit(
        [Point(*map(point.get, Point._fields)) for point in snakemake.params.points],
        seed=snakemake.params.seed,
        threads=snakemake.threads,
        neighbours=snakemake.params.neighbours,
    )
    write_csv(table, snakemake.output.table)
