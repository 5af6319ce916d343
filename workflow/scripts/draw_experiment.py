"""Draw a figure of the experiments from its numbers."""

from pathlib import Path

from ggexp.figures import style
from ggexp.figures.draw_accuracy import draw_accuracy
from ggexp.figures.draw_errors import draw_errors
from ggexp.figures.draw_mode import draw_mode
from ggexp.figures.draw_ranks import draw_ranks
from ggexp.figures.draw_releases import draw_releases
from ggexp.figures.draw_survivors import draw_survivors
from ggexp.figures.draw_synthetic import draw_gains, draw_marginals, draw_training
from ggexp.run.job import job
from ggexp.run.storage import read_frame, replacing

with job(snakemake.log[0]):
    draw = {
        "releases": draw_releases,
        "errors": draw_errors,
        "accuracy": draw_accuracy,
        "marginals": draw_marginals,
        "gains": draw_gains,
        "training": draw_training,
        "mode": draw_mode,
        "ranks": draw_ranks,
        "survivors": draw_survivors,
    }
    table = read_frame(snakemake.input.table)
    figure = draw[snakemake.params.kind](table, snakemake.params.dataset)
    for path in map(Path, snakemake.output):
        with replacing(path) as temporary:
            style.save(figure, temporary)
