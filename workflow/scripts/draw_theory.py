"""Draw one of Figures 1 to 5 from its numbers."""

import pandas as pd

from ggexp.figures import style, theory
from ggexp.job import job

with job(snakemake.log[0]):
    figure = theory.draw(snakemake.params.figure, pd.read_csv(snakemake.input.table))
    style.save(figure, snakemake.output.png, snakemake.output.pdf)
