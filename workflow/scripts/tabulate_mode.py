"""Tabulate how often each mechanism finds the largest cell of a histogram."""

from ggexp.figures.tabulate_mode import tabulate_mode
from ggexp.releases.point import NoisyPoint
from ggexp.run.job import job
from ggexp.run.storage import read_counts, write_csv

with job(snakemake.log[0]):
    table = tabulate_mode(
        read_counts(snakemake.input.histogram),
        list(map(NoisyPoint.from_parameters, snakemake.params.points)),
        seed=snakemake.params.seed,
        neighbours=snakemake.params.neighbours,
    )
    write_csv(table, snakemake.output.table)
