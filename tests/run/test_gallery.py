"""The gallery's pictures and page, and the report's pages."""

import numpy as np
import pandas as pd
from PIL import Image

from ggexp.claims import registry
from ggexp.run import gallery, pages

CLAIMS = pd.DataFrame(
    {
        "id": ["a", "b", "c"],
        "claim": ["x < y", "|x| > 1", "x is 5"],
        "source": ["section 1", "section 2", "section 3"],
        "verdict": ["confirmed", "refuted", "by construction"],
        "evidence": ["x", "at |x| = 0.5", "ours 5, printed 5"],
    }
)


def test_small_pictures_keep_thin_lines_of_every_colour(tmp_path):
    picture = np.full((1000, 2000, 3), 255, np.uint8)
    colours = {100: (0, 114, 178), 300: (0, 158, 115), 500: (213, 94, 0), 700: (204, 121, 167)}
    for row, colour in colours.items():
        picture[row : row + 8, :60] = colour
    Image.fromarray(picture).save(tmp_path / "large.png")
    gallery.shrink(tmp_path / "large.png", tmp_path / "small.png")
    with Image.open(tmp_path / "small.png") as small:
        assert small.size == (gallery.WIDTH, gallery.WIDTH // 2)
        for row, colour in colours.items():
            found = small.convert("RGB").getpixel((10, row // 2 + 2))
            assert np.abs(np.subtract(found, colour)).max() < 12


def test_page_of_the_gallery():
    page = gallery.gallery_page({"01": "Densities.", "12": "Accuracy."}, CLAIMS, "500 repeats")
    assert "![Figure 12](gallery/figure_12.png)\n\nAccuracy.\n" in page
    assert "- [**refuted**](claims.md#b): |x| > 1\n" in page
    assert "\n3 claims: 1 confirmed, 1 by construction, 1 refuted.\n" in page
    evidence = gallery.claims_page(CLAIMS, "500 repeats")
    assert "## b\n\n|x| > 1 (section 2)\n\n**refuted**: at |x| = 0.5\n" in evidence


def test_page_of_the_report():
    table = CLAIMS.assign(number=[1234.0, np.nan, 0], small=[0.0001234567, 2, 3])
    page = pages.table_page("A & B", table)
    assert "<title>A &amp; B</title>" in page
    assert '<td>x &lt; y</td><td>section 1</td><td class="confirmed">confirmed</td>' in page
    assert '<td class="by-construction">by construction</td>' in page
    assert "td.by-construction {" in page
    assert '<td class="number">1,234</td><td class="number">0.0001235</td>' in page
    assert '<td></td><td class="number">2</td>' in page
    assert "http" not in page  # it loads nothing


def test_pages_know_every_verdict():
    assert pages.VERDICTS == registry.VERDICTS
