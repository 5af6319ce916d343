"""Pages for people: the templates, their values, and small copies of pictures."""

import base64
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jinja2 import UndefinedError
from PIL import Image

from ggexp.claims import check
from ggexp.run import index, pages
from ggexp.words import mechanisms_in_words

ROOT = Path(__file__).parents[2]
TEMPLATES, DOCS = ROOT / "workflow/report", ROOT / "docs/website"
CLAIMS = pd.DataFrame(
    {
        "id": ["a", "b"],
        "claim": ["x < y", "|x| > 1"],
        "source": ["section 1", "section 2"],
        "stated_by": ["the paper", "this project"],
        "group": ["theorems", "this project"],
        "expected": ["confirmed", "partly"],
        "verdict": ["confirmed", "refuted"],
        "evidence": ["x", "at |x| = 0.5 & more"],
    }
)
COMPARED = pd.DataFrame(
    [
        ("a", "x < y", "(0.5, 0.1)", 3.0, 1.0, "undecided"),
        ("a", "x < y", "(0.5, 0.01) with Pr = 0.2", 45.0, 1.0, "agrees"),
        ("a", "x < y", "ε=2, δ=0.1", -2468.0, 1.0, "disagrees"),
        ("a", "y < z", "ε=2", 1.0, 0.0, "agrees"),
        ("b", "|x| > 1", "2 of 3 points", -0.5, 0.0, "disagrees"),
    ],
    columns=["claim", "statement", "point", "difference", "se", "outcome"],
)
FIGURES = [
    {
        "number": "01",
        "name": "Figure 1",
        "title": "Figure 1: a",
        "caption": "Densities.",
        "alternative": "Curves <",
    },
    {
        "number": "s3",
        "name": "Figure S3",
        "title": "Figure S3: b",
        "caption": "Accuracy.",
        "alternative": "Points",
    },
]
DESIGN = {
    "datasets": ["own"],
    "epsilon": [0.5],
    "delta": [0.01],
    "repeats": 1234,
    "is_paper": True,
    "is_preview": False,
}
MANIFEST = {
    "configuration": "c" * 64,
    "seed": 7,
    "repeats": 1234,
    "commit": None,
    "machine": {"processor": "znver4", "blas": "openblas 1 <Haswell>"},
    "python": "3.13.0",
    "packages": {"numpy": "2.0", "pandas": "3.0"},
    "data": {"own.csv": "d" * 64},
    "code": {"a.py": "e" * 16},
}


def gallery(template, **names):
    names |= {"claims": CLAIMS.to_dict("records"), "made_with": "500 repeats"}
    names["tallied"] = pages.tally_claims(CLAIMS)
    return pages.render(DOCS / template, **names)


def draw(path, colours=((0, 114, 178),)):
    picture = np.full((1000, 2000, 3), 255, np.uint8)
    for position, colour in enumerate(colours):
        picture[100 * position + 100 : 100 * position + 108, :60] = colour
    Image.fromarray(picture).save(path)


def read_png(png, path):
    path.write_bytes(png)
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def test_small_pictures_keep_thin_lines_of_every_colour(tmp_path):
    colours = [(0, 114, 178), (0, 158, 115), (213, 94, 0), (204, 121, 167)]
    draw(tmp_path / "large.png", colours)
    shrunk = index.shrink(tmp_path / "large.png", 1000)
    small = read_png(shrunk, tmp_path / "small.png")
    assert small.shape == (500, 1000, 3)
    for position, colour in enumerate(colours):
        assert np.abs(small[50 * position + 52, 10] - colour).max() < 12


def test_small_pictures_keep_the_tints_of_pale_areas(tmp_path):
    tints = np.array([(229, 241, 248), (231, 245, 240), (250, 237, 230), (222, 222, 222)])
    inks = np.array([(0, 114, 178), (0, 158, 115), (213, 94, 0), (204, 121, 167)])
    rng = np.random.default_rng(1)
    picture = np.full((600, 900, 3), 255.0)
    for left, tint in zip(range(0, 800, 200), tints, strict=True):
        picture[:, left : left + 180] = tint
        # next to the tint, far more colours than the palette has, as at the edges of lines
        edges = inks[rng.integers(0, 4, (600, 20))]
        picture[:, left : left + 20] = tint + rng.random((600, 20, 1)) * (edges - tint)
    Image.fromarray(picture.astype(np.uint8)).save(tmp_path / "large.png")
    shrunk = index.shrink(tmp_path / "large.png", 900)
    small = read_png(shrunk, tmp_path / "small.png")
    assert (small[300, 90:800:200] == tints).all()


def test_pictures_are_not_made_larger(tmp_path):
    draw(tmp_path / "large.png")
    same = read_png(index.shrink(tmp_path / "large.png", 9999), tmp_path / "same.png")
    assert same.shape == (1000, 2000, 3)


def test_gallery():
    page = gallery("gallery.md.j2", figures=FIGURES)
    assert re.match("# Gallery\n\n.*`make gallery`.* 500 repeats", page)
    assert "\n\n## Figure S3\n\n![Points](gallery/figure_s3.png)\n\nAccuracy.\n\n## The" in page
    assert "\n- Theorems, 1 claim: 1 confirmed.\n- This project, 1 claim: 1 refuted.\n" in page
    assert "\n- [**refuted**](claims.md#b): |x| > 1" in page


def test_claims_of_the_gallery():
    page = gallery("claims.md.j2", readings={})
    assert "\n\n## a\n\nx < y (section 1)\n\n**confirmed**: x\n\n## b\n\n" in page
    assert "(section 2; stated by this project)" in page
    assert page.endswith("\n**refuted**: at |x| = 0.5 & more\n")


def test_table_of_a_page(tmp_path):
    table = CLAIMS.assign(number=[1234.0, np.nan], small=[0.0001234567, 2], hash=["a" * 16, "b"])
    shown = {"source": "a.csv", "title": "A & B", "caption": "Few.", "frame": table}
    page = make_index(tmp_path, tables=[shown])
    assert '<h3 id="table-1">A &amp; B</h3>' in page
    assert '<th scope="col">claim</th>' in page
    assert '<th scope="col" class="number">small</th>' in page
    assert "<td>x &lt; y</td><td>section 1</td>" in page
    assert '<td><span class="verdict refuted">refuted</span></td>' in page
    assert '<td class="number">1,234</td><td class="number">0.0001235</td>' in page
    assert '<td></td><td class="number">2</td>' in page
    assert f'<td class="hash">{"a" * 16}</td>' in page


def test_a_missing_value_is_an_error():
    with pytest.raises(UndefinedError, match="'readings' is undefined"):
        gallery("claims.md.j2")


def statements(claims, title="The paper's claims", source="claims.csv"):
    frames = {"frame": claims, "compared": COMPARED}
    return {"title": title, "caption": "What it says.", "source": source, **frames}


def make_index(folder, **changes):
    for figure in FIGURES:
        draw(folder / f"figure_{figure['number']}.png")
    values = {
        "sections": [
            {"name": "Theory", "figures": FIGURES[:1]},
            {"name": "Beyond the paper", "figures": FIGURES[1:]},
        ],
        "pictures": [folder / f"figure_{figure['number']}.png" for figure in FIGURES],
        "statements": [statements(CLAIMS)],
        "tables": [
            {"source": "a.csv", "title": "A", "caption": "Few.", "frame": CLAIMS[["id"]]},
            {
                "source": "b.csv",
                "title": "B",
                "caption": "Many.",
                "frame": pd.DataFrame({"n": range(99)}),
            },
        ],
        "answers": [],
        "own": [],
        "not_compared": [],
        "readings": {},
        "says": {},
        "manifest": MANIFEST,
        "design": DESIGN,
        "results": "",
        "made_of": pages.origins(MANIFEST),
    }
    return index.index_page(TEMPLATES / "index.html.j2", **(values | changes))


def test_index_contains_its_pictures(tmp_path):
    page = make_index(tmp_path)
    pictures = re.findall('<img src="data:image/png;base64,([^"]+)" alt="([^"]+)"', page)
    assert [alternative for _, alternative in pictures] == ["Curves &lt;", "Points"]
    for png, _ in pictures:
        shape = read_png(base64.b64decode(png), tmp_path / "embedded.png").shape
        assert shape == (index.WIDTH // 2, index.WIDTH, 3)
    assert page.count(f'width="{index.WIDTH}" height="{index.WIDTH // 2}"') == 2
    assert '<h2 id="section-2">Beyond the paper</h2>' in page
    assert 'href="figures/figure_s3.csv"' in page


def test_index_names_mechanisms_that_are_not_compared(tmp_path):
    assert "<p>gaussian: δ = 0.1 &lt; 0.138</p>" in make_index(
        tmp_path, not_compared=["gaussian: δ = 0.1 < 0.138"]
    )


def test_index_shows_verdicts_and_evidence(tmp_path):
    page = " ".join(make_index(tmp_path).split())
    # each tally is a link to the claims that it counts
    link, identity = re.search('<a href="#([^"]+)">(1) <span class="verdict refuted">', page).group(
        1, 2
    )
    listed = page.partition(f'<ul class="claims" id="{link}">')[2].partition("</ul>")[0]
    assert re.findall('<li id="claim-(.)">', listed) == ["b"]
    assert int(identity) == 1
    assert "<p>at |x| = 0.5 &amp; more</p>" in page
    # only for the claim whose verdict differs from that of a full run
    assert page.count("full run: ") == 1
    assert "full run: partly." in page


def test_evidence_at_grid_points_is_a_table(tmp_path):
    tables = make_index(tmp_path).split('<table class="grid">')[1:]
    cells = [
        re.findall("<t[hd](?: [^>]*)?>([^<]*)<", table.partition("</table>")[0]) for table in tables
    ]
    assert cells == [
        [*("ε \\ δ", "0.1", "0.01"), *("0.5", "≈ 3.0", "✓ 45"), *("2", "✗ 2,468", "")],
        [*("ε \\ δ", "every δ"), *("2", "✓")],
    ]


def test_sentences_of_the_paper_and_their_claims_are_linked(tmp_path):
    claims = CLAIMS.assign(source=["section 4, Figures 1 and 9", "sections 2 and 1"])
    says = {"a": "As x < y.", "b": "Never shown."}
    page = " ".join(make_index(tmp_path, statements=[statements(claims)], says=says).split())
    assert '(section 4, Figures <a href="#figure-01">1</a> and 9)' in page
    assert "(sections 2 and 1; " in page
    figure = page.partition('<figure id="figure-01"')[2].partition("</figure>")[0]
    assert "“As x &lt; y.” (section 4)" in figure
    assert '<a href="#claim-a">x &lt; y</a>' in figure
    assert "Never shown" not in page


SHARES = pd.DataFrame(
    {
        "claim": ["a", "a", "b"],
        "readings": [18, 1440, 9],
        "holds": [0.5, 0.9999, 0],
        "partly": [0, 0, 1],
        "fails": [0.5, 0.0001, 0],
        "holds_only_if": [np.nan, np.nan, np.nan],
        "fails_only_if": [np.nan, "rounding is none; prior is 1 or 1/2", np.nan],
    }
)


def test_claims_have_the_share_of_readings_in_which_they_hold(tmp_path):
    texts = pages.readings(SHARES)
    assert texts == {
        "a": "holds in over 99 % of 1,440 readings of the paper; "
        "fails in under 1 %, only if rounding is none and prior is 1 or 1/2",
        "b": "holds in 0 % of 9 readings of the paper; holds partly in 100 %",
    }
    for page in (make_index(tmp_path, readings=texts), gallery("claims.md.j2", readings=texts)):
        shown = page.replace("\u00a0", " ")
        assert [shown.count(text) for text in texts.values()] == [1, 1]


def test_index_shows_computer_and_software(tmp_path):
    page = make_index(tmp_path)
    assert "<dt>Computer</dt><dd>znver4; openblas 1 &lt;Haswell&gt;</dd>" in page
    assert "<td>processor</td><td>znver4</td>" in page
    assert "<td>packages</td><td>numpy 2.0, pandas 3.0</td>" in page


def test_index_folds_long_tables(tmp_path):
    page = make_index(tmp_path)
    assert "<summary>99 rows<" in page
    assert "<summary>2 rows<" not in page


def test_index_has_the_answer_after_the_figures_of_the_paper_or_first(tmp_path):
    answer = {
        "dataset": "own",
        "is_private": False,
        "note": "It is < private.",
        "answer": "Use x.",
        "contents": CLAIMS[["source"]],
        "sentences": ["ε-DP: x < y."],
        "needed": CLAIMS[["verdict"]],
        "is_rescaled": True,
        "card": None,
        "caution": None,
        "errors": pd.DataFrame({"n": range(30)}),
        "others": None,
    }
    page = make_index(tmp_path, answers=[answer])
    order = [
        '<ul class="tallies">',
        '<h2 id="section-2">',
        '<h2 id="answer">',
        '<h2 id="claims-1">',
    ]
    assert [page.index(part) for part in order] == sorted(page.index(part) for part in order)
    assert '<h3 id="answer-1">own</h3>' in page
    assert "<li>ε-DP: x &lt; y.</li>" in page
    assert "<summary>30 rows<" in page
    note, use = (f'<p class="{kind}">' for kind in ("note not-private", "answer"))
    assert page.index('<h2 id="answer">') < page.index(note) < page.index(use)
    assert page.count("It is &lt; private.") == page.count("Use x.") == 1
    # if the run is not the paper's, the answers are at the top of the page, with data sets' names
    page = make_index(tmp_path, answers=[answer, answer], design=DESIGN | {"is_paper": False})
    assert page.index(note) < page.index(use) < page.index("</header>")
    assert page.index('<h2 id="answer">') < page.index('<h2 id="section-1">')
    assert page.count("own: Use x.") == 2
    assert "own: It is" in page
    assert "Confidential" not in page


def test_index_of_an_own_table_shows_the_card_before_the_measured_answer(tmp_path):
    answer = {
        "dataset": "own",
        "is_private": True,
        "is_rescaled": False,
        "note": None,
        "answer": "Use x.",
        "caution": "Seen.",
        "card": {
            "epsilon": "ε = 1 is enough.",
            "meaning": ["Within ±4."],
            "introduction": "Copy:",
            "command": "ggexp sanitize 'a b.csv' --epsilon 1",
        },
        **dict.fromkeys(("contents", "needed", "errors", "others")),
        "sentences": [],
    }
    design = DESIGN | {"is_paper": False}
    page = make_index(tmp_path, answers=[answer], own=["own"], design=design)
    parts = ["Confidential", "<h1>Choosing noise for ", "ε = 1 is", "±4", "<pre", "Use x. Seen."]
    assert [page.index(part) for part in parts] == sorted(page.index(part) for part in parts)
    assert "<code>ggexp sanitize &#39;a b.csv&#39; --epsilon 1</code>" in page


def test_index_of_an_own_table_names_its_data_set(tmp_path):
    none = [statements(CLAIMS[:0])]
    own = make_index(tmp_path, design=DESIGN | {"is_paper": False}, statements=none)
    page = " ".join(own.split())
    assert re.search(r"<h1>.* own</h1>", page)
    assert "reproduced" not in page
    assert "of the paper" not in page
    assert re.search(r"<h1>[^<]*Gaussian mechanism[^<]*</h1>", make_index(tmp_path))
    preview = make_index(tmp_path, design=DESIGN | {"is_preview": True, "repeats": 5})
    assert "<title>Preview: 5 repeats</title>" in preview


def test_index_without_claims(tmp_path):
    page = make_index(tmp_path, statements=[statements(CLAIMS[:0])])
    assert "claims" not in page.partition("<body>")[2]
    assert "of the paper this run" not in page


def test_index_of_claims_that_are_not_the_papers(tmp_path):
    additional = statements(
        CLAIMS.assign(id=["c", "d"]), "Claims beyond it", "guarantees/claims.csv"
    )
    page = make_index(tmp_path, statements=[statements(CLAIMS), additional])
    assert '<li><a href="#claims-2">Claims beyond it</a></li>' in page
    assert '<h2 id="claims-2">Claims beyond it</h2>' in page
    assert 'href="guarantees/claims.csv"' in page
    assert page.count('<li id="claim-') == 4


def test_verdicts_are_tallied_in_a_fixed_order():
    verdicts = ["refuted", "odd", "misprint", "by construction", "confirmed", "refuted"]
    assert pages.tally_verdicts(verdicts) == [
        ("confirmed", 1),
        ("by construction", 1),
        ("refuted", 2),
        ("misprint", 1),
        ("odd", 1),
    ]


def test_claims_are_tallied_by_their_group():
    claims = pd.concat([CLAIMS, CLAIMS.assign(group="theorems")])
    assert pages.tally_claims(claims) == [
        ("theorems", 3, [("confirmed", 2), ("refuted", 1)]),
        ("this project", 1, [("refuted", 1)]),
    ]


def test_verdicts_of_pages_are_those_of_the_claims():
    assert pages.VERDICTS == check.VERDICTS


def test_every_verdict_has_a_colour():
    style = (TEMPLATES / "index.css").read_text("utf-8")
    for verdict in pages.VERDICTS:
        assert f".{verdict.replace(' ', '-')} {{" in style


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("l1 of gaussian-pdp < ggm-1.5.", "l1 of Gaussian-pDP < GGM-1.5."),
        ("truncated-laplace, laplace", "truncated-Laplace, Laplace"),
        ("releases/laplace/1.csv, laplace.csv, pdp", "releases/laplace/1.csv, laplace.csv, pdp"),
    ],
)
def test_mechanisms_have_the_names_that_people_read(text: str, expected: str):
    assert mechanisms_in_words(text) == expected
