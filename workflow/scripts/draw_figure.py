"""Draw a figure from its table, with the function of its kind."""

from pathlib import Path
from pkgutil import resolve_name

from ggexp.figures import style
from ggexp.run.files import read_csv
from ggexp.run.job import job
from ggexp.run.storage import writing

with job(snakemake):
    draw = resolve_name(snakemake.params.function)
    figure = draw(read_csv(snakemake.input.table), *snakemake.params.subject)
    for path in map(Path, snakemake.output):
        with writing(path) as temporary:
            style.save(figure, temporary)
        figure.set_layout_engine("none")  # the next file has the layout of the first
