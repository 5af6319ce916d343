"""Rewrite the gallery from a full run of the paper's configuration; refuse any other run."""

from pathlib import Path

from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.pages import readings, render, tally_claims
from ggexp.run.pictures import shrink
from ggexp.run.storage import replacing

WIDTH = 1000  # of a picture, in pixels

with job(snakemake):
    if not snakemake.params.is_paper:
        raise ValueError(
            "the gallery shows the paper's design: run `make gallery` without another --configfile "
            "and without --config"
        )
    folder = Path("docs/gallery")
    folder.mkdir(parents=True, exist_ok=True)
    for picture in map(Path, snakemake.input.pictures):
        with replacing(folder / picture.name) as temporary:
            temporary.write_bytes(shrink(picture, WIDTH, few_colours=True))
    claims = read_csv(snakemake.input.claims)
    for template in map(Path, snakemake.input.templates):
        page = render(
            template,
            figures=snakemake.params.figures,
            claims=claims.to_dict("records"),
            readings=readings(read_csv(snakemake.input.readings)),
            tallied=tally_claims(claims),
            made_with=snakemake.params.made_with,
        )
        with replacing(Path("docs", template.stem)) as temporary:  # without .j2
            temporary.write_text(page, "utf-8")
