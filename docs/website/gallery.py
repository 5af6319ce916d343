"""Write docs/gallery.md, docs/claims.md and the pictures of docs/gallery/ from a finished run.

`make gallery` makes the figures and claims of the paper's design before it calls this program.
"""

from pathlib import Path

import pandas as pd

from ggexp.claims.check import read_claims
from ggexp.plan.plan import Plan
from ggexp.run.files import read_csv
from ggexp.run.pages import readings, shrink, tally_verdicts
from ggexp.run.storage import replacing
from ggexp.run.templates import render

DOCS = Path(__file__).parents[1]
TEMPLATES = (DOCS / "website/gallery.md.j2", DOCS / "website/claims.md.j2")
WIDTH = 1000  # of a picture, in pixels


def tally_claims(claims: pd.DataFrame) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """Return each group of claims with the number of claims and the tally of their verdicts."""
    return [
        (str(group), len(members), tally_verdicts(members["verdict"]))
        for group, members in claims.groupby("group", sort=False)
    ]


def main() -> None:
    """Write the pages and pictures."""
    plan = Plan.of({})
    figures = sorted(plan.figures.of("theory", "data"))
    for picture in map(Path, plan.figures.files(figures, "png")):
        with replacing(DOCS / "gallery" / picture.name) as temporary:
            temporary.write_bytes(shrink(picture, WIDTH))
    claims = read_csv(f"{plan.results}/claims.csv")
    texts = {claim.id: claim for claim in read_claims(plan.project / "reference/claims.yaml")}
    for template in TEMPLATES:
        page = render(
            template,
            figures=map(plan.figures.describe, figures),
            claims=claims.to_dict("records"),
            texts=texts,
            readings=readings(read_csv(plan.project / "reference/readings.csv")),
            tallied=tally_claims(claims),
            made_with=f"{plan.config.repeats} repeats at each grid point and the seed "
            f"{plan.config.seed}",
        )
        with replacing(DOCS / template.stem) as temporary:  # without .j2
            temporary.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
