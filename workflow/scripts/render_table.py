"""Make a page of the report from a table, or from the manifest."""

import json
from pathlib import Path

from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.pages import origins, render
from ggexp.run.storage import replacing

with job(snakemake.log[0]):
    source = Path(snakemake.input.table)
    if source.suffix == ".json":
        table = origins(json.loads(source.read_text("utf-8")))
    else:
        table = read_csv(source)
    page = render(Path(snakemake.input.template), title=snakemake.params.title, frame=table)
    with replacing(snakemake.output.page) as temporary:
        temporary.write_text(page, "utf-8")
