"""Write all of a run on one page."""

import json
from pathlib import Path

from ggexp.experiment.metrics import METRICS
from ggexp.experiment.recommendation import left_out
from ggexp.run.answers import answers, not_compared
from ggexp.run.columns import read_csv
from ggexp.run.index import index_page, with_frames
from ggexp.run.job import job
from ggexp.run.pages import origins
from ggexp.run.storage import replacing

with job(snakemake.log[0]):
    manifest = json.loads(Path(snakemake.input.manifest).read_text("utf-8"))
    page = index_page(
        Path(snakemake.input.template),
        sections=snakemake.params.sections,
        pictures=map(Path, snakemake.input.pictures),
        statements=with_frames(snakemake.params.statements, snakemake.input.claims),
        tables=with_frames(snakemake.params.tables, snakemake.input.tables),
        answers=answers(
            read_csv(snakemake.input.recommendation),
            read_csv(snakemake.input.epsilon),
            {name: metric.label for name, metric in METRICS.items()},
        ),
        not_compared=not_compared(
            left_out(read_csv(snakemake.input.scales), snakemake.params.neighbours)
        ),
        manifest=manifest,
        made_of=origins(manifest),
        design=snakemake.params.design,
        results="",
    )
    with replacing(snakemake.output.index) as temporary:
        temporary.write_text(page, "utf-8")
