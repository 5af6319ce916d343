"""Audit what the mechanisms of a run promise, from a million releases by the program's own path."""

from ggexp.experiment.sanitize import sanitize_times
from ggexp.guarantees.audit_table import tabulate_audit
from ggexp.run.job import job
from ggexp.run.storage import write_csv

with job(snakemake.log[0]):
    table = tabulate_audit(
        [{**at["point"], "scale": at["scale"]} for at in snakemake.params.points],
        sanitize_times,
        seed=snakemake.params.seed,
        threads=snakemake.threads,
    )
    write_csv(table, snakemake.output.table)
