"""Draw one of Figures 1 to 5 from its numbers."""

from ggexp.figures import style, theory
from ggexp.job import job
from ggexp.storage import read_frame

with job(snakemake.log[0]):
    figure = theory.draw(snakemake.params.figure, read_frame(snakemake.input.table))
    style.save(figure, snakemake.output.png, snakemake.output.pdf)
