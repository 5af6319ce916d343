"""Draw one of Figures 1 to 5 from its numbers."""

from pathlib import Path

from ggexp.figures import draw_theory, style
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import replacing

with job(snakemake.log[0]):
    figure = draw_theory.draw(int(snakemake.wildcards.number), read_csv(snakemake.input.table))
    for path in map(Path, snakemake.output):
        with replacing(path) as temporary:
            style.save(figure, temporary)
