"""Audit the guarantees of a run's mechanisms, by millions of releases of the program itself."""

from ggexp.experiment.audit_table import tabulate_audit
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    table = tabulate_audit(
        snakemake.params.points, seed=snakemake.params.seed, threads=snakemake.threads
    )
    write_csv(table, snakemake.output.table)
