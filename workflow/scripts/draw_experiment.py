"""Draw a figure of the experiments from its numbers."""

from ggexp.figures import experiments, style
from ggexp.job import job
from ggexp.storage import read_frame

with job(snakemake.log[0]):
    draw = {
        "releases": experiments.draw_releases,
        "errors": experiments.draw_errors,
        "accuracy": experiments.draw_accuracy,
    }
    figure = draw[snakemake.params.kind](read_frame(snakemake.input.table))
    style.save(figure, snakemake.output.png, snakemake.output.pdf)
