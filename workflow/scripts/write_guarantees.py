"""Write all of the target `guarantees` on one page."""

from pathlib import Path

from ggexp.run.index import index_page, with_frames
from ggexp.run.job import job
from ggexp.run.storage import replacing

with job(snakemake.log[0]):
    page = index_page(
        Path(snakemake.input.template),
        sections=snakemake.params.sections,
        pictures=map(Path, snakemake.input.pictures),
        statements=with_frames(snakemake.params.statements, snakemake.input.claims),
        tables=with_frames(snakemake.params.tables, snakemake.input.tables),
        design=snakemake.params.design,
        results="../",
    )
    with replacing(snakemake.output.index) as temporary:
        temporary.write_text(page, "utf-8")
