"""Write the index of the target `guarantees`."""

from pathlib import Path

from ggexp.run.index import index_page, with_frames
from ggexp.run.job import job
from ggexp.run.storage import write_text

with job(snakemake):
    statements = with_frames(
        snakemake.params.statements, frame=snakemake.input.claims, compared=snakemake.input.compared
    )
    tables = with_frames(snakemake.params.tables, frame=snakemake.input.tables)
    page = index_page(
        Path(snakemake.input.template),
        sections=snakemake.params.sections,
        pictures=map(Path, snakemake.input.pictures),
        statements=statements,
        tables=tables,
        readings={},
        says={},
        answers=None,
        own=[],
        manifest=None,
        design=snakemake.params.design,
        results="../",
    )
    write_text(page, snakemake.output.index)
