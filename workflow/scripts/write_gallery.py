"""Rewrite the gallery from a full run of the paper's configuration, and of no other."""

from pathlib import Path

from ggexp.run.gallery import claims_page, gallery_page, shrink
from ggexp.run.job import job
from ggexp.run.storage import read_frame, replacing

with job(snakemake.log[0]):
    if not snakemake.params.is_paper:
        raise ValueError(
            "the gallery shows the paper's design: run it with config/config.yaml alone, "
            "without another --configfile and without --config"
        )
    claims = read_frame(snakemake.input.claims)
    folder = Path("docs/gallery")
    folder.mkdir(parents=True, exist_ok=True)
    for picture in map(Path, snakemake.input.pictures):
        shrink(picture, folder / picture.name)
    made_with = snakemake.params.made_with
    pages = {
        "docs/gallery.md": gallery_page(snakemake.params.captions, claims, made_with),
        "docs/claims.md": claims_page(claims, made_with),
    }
    for path, text in pages.items():
        with replacing(path) as temporary:
            temporary.write_text(text, "utf-8")
