"""Write all of a run on one page."""

import json
from pathlib import Path

from ggexp.experiment.metrics import METRICS
from ggexp.experiment.recommendation import left_out
from ggexp.run.answers import answers, not_compared
from ggexp.run.columns import read_csv
from ggexp.run.index import index_page
from ggexp.run.job import job
from ggexp.run.storage import replacing

with job(snakemake.log[0]):
    pictures = map(Path, snakemake.input.pictures)

    def read(tables, files):
        """Return the tables, each with its frame."""
        described = zip(tables, files, strict=True)
        return [{**table, "frame": read_csv(file)} for table, file in described]

    page = index_page(
        Path(snakemake.input.template),
        sections=snakemake.params.sections,
        pictures={picture.stem.removeprefix("figure_"): picture for picture in pictures},
        statements=read(snakemake.params.statements, snakemake.input.claims),
        tables=read(snakemake.params.tables, snakemake.input.tables),
        answers=answers(
            read_csv(snakemake.input.recommendation),
            read_csv(snakemake.input.epsilon),
            {name: metric.label for name, metric in METRICS.items()},
        ),
        not_compared=not_compared(
            left_out(read_csv(snakemake.input.scales), snakemake.params.neighbours)
        ),
        manifest=json.loads(Path(snakemake.input.manifest).read_text("utf-8")),
        design=snakemake.params.design,
    )
    with replacing(snakemake.output.index) as temporary:
        temporary.write_text(page, "utf-8")
