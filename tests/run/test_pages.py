"""Pages for people: the templates, their values, and small copies of pictures."""

import base64
import re
from runpy import run_path

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from jinja2 import UndefinedError
from PIL import Image

from ggexp.run import pages
from ggexp.run.templates import render
from ggexp.words import VERDICTS, mechanisms_in_words

TEMPLATES, DOCS = ROOT / "workflow/report", ROOT / "docs/website"
tally_claims = run_path(str(DOCS / "gallery.py"))["tally_claims"]
CLAIMS = pd.DataFrame(
    {
        "id": ["a", "b"],
        "claim": ["x < y", "|x| > 1"],
        "source": ["section 4, Figures 1 and 9", "sections 2 and 1"],
        "stated_by": ["the paper", "this project"],
        "group": ["theorems", "this project"],
        "expected": ["confirmed", "partly"],
        "verdict": ["confirmed", "refuted"],
        "evidence": ["x", "at |x| = 0.5 & more"],
    }
)
COMPARED = pd.DataFrame(
    [
        ("a", "x < y", "(0.5, 0.1)", 3.0, 0.6, 0.8, "undecided"),
        ("a", "x < y", "(0.5, 0.01) with Pr = 0.2", 45.0, 1.0, np.nan, "agrees"),
        ("a", "x < y", "ε=2, δ=0.1", -2468.0, 1.0, np.nan, "disagrees"),
        ("a", "y < z", "ε=2", 1.0, 0.0, np.nan, "agrees"),
        ("b", "|x| > 1", "2 of 3 points", -0.5, 0.0, np.nan, "disagrees"),
    ],
    columns=["claim", "statement", "point", "difference", "se", "split_sd", "outcome"],
)
SHARES = pd.DataFrame(
    [
        ("a", "f", None, None, None, 18, 0.5, 0, 0, 0.5, 0, 0.5, 0.5),
        ("a", "g", None, None, None, 1440, 0.9999, 0, 0, 0.0001, 0.02, 0, 1),
        ("a", "g", "correction", "ggm-3-scale", "exact", 1440, 0, 1, 0, 0, 0, 0, 0),
        ("a", "g", "open", "prior", "1", 720, 1, 0, 0, 0, 0, 0, 1),
        ("b", "f", None, None, None, 9, 0, 0.9, 0.1, 0, np.nan, 0, 0),
    ],
    columns=[
        *("claim", "factorial", "kind", "choice", "alternative", "readings"),
        *("holds", "partly", "undecided", "fails", "se", "lowest", "highest"),
    ],
)
FIGURES = [
    {"number": number, "name": name, "title": f"{name}: a", "caption": f"Caption {number}."}
    | {"alternative": alternative}
    for number, name, alternative in (("01", "Figure 1", "Curves <"), ("s3", "Figure S3", "Points"))
]
DESIGN = {"datasets": ["own"], "epsilon": [0.5], "delta": [0.01], "repeats": 1234}
DESIGN |= {"is_paper": True, "is_preview": False}
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
#: A recommendation without a card, which is for the user's own tables.
ANSWER = {
    "dataset": "own",
    "subject": {"is_private": False, "is_rescaled": True},
    "note": "It is < private.",
    "answer": "Use x.",
    "warning": None,
    "card": None,
    "contents": CLAIMS[["source"]],
    "sentences": ["ε-DP: x < y."],
    "tables": {"l₁ errors": CLAIMS[["id"]]},
}


def statements(claims):
    text = {"title": "The paper's claims", "caption": "What it says.", "source": "claims.csv"}
    return text, claims, COMPARED


def table(frame, title):
    return {"source": f"{title}.csv", "title": title, "caption": "Few."}, frame


def make_index(**changes):
    values = {
        "statements": [statements(CLAIMS)],
        "tables": [table(CLAIMS[["id"]], "A"), table(pd.DataFrame({"n": range(99)}), "B")],
        **{name: [] for name in ("sections", "pictures", "answers", "own", "not_compared")},
        **{name: {} for name in ("readings", "stated")},
        "caveats": {"guarantees": [], "unprotected": [], "rescaled": []},
        "manifest": MANIFEST,
        "design": DESIGN,
        "results": "",
        "made_of": pages.origins(MANIFEST),
    }
    page = pages.index_page(TEMPLATES / "index.html.j2", **(values | changes))
    return " ".join(page.split())


def gallery(template, **names):
    names |= {
        "texts": {"a": {"says": "x", "step": "y"}, "b": {"step": None}},
        "claims": CLAIMS.to_dict("records"),
        "made_with": "500 repeats",
    }
    return render(DOCS / template, tallied=tally_claims(CLAIMS), **names)


def shrunk(picture, width, folder):
    Image.fromarray(picture.astype(np.uint8)).save(folder / "large.png")
    (folder / "small.png").write_bytes(pages.shrink(folder / "large.png", width))
    with Image.open(folder / "small.png") as image:
        return np.asarray(image.convert("RGB")).astype(int)


def test_small_pictures_keep_thin_lines_and_pale_tints(tmp_path):
    inks = np.array([(0, 114, 178), (0, 158, 115), (213, 94, 0), (204, 121, 167)])
    picture = np.full((1000, 2000, 3), 255)
    for position, ink in enumerate(inks):
        picture[100 * position + 100 : 100 * position + 108, :60] = ink
    small = shrunk(picture, 1000, tmp_path)
    assert small.shape == (500, 1000, 3)
    assert np.abs(small[[52, 102, 152, 202], 10] - inks).max() < 12
    assert shrunk(picture, 9999, tmp_path).shape == picture.shape  # it is not made larger

    tints = np.array([(229, 241, 248), (231, 245, 240), (250, 237, 230), (222, 222, 222)])
    rng = np.random.default_rng(1)
    picture = np.full((600, 900, 3), 255.0)
    for left, tint in zip(range(0, 800, 200), tints, strict=True):
        picture[:, left : left + 180] = tint
        # next to the tint, far more colours than the palette has, as at the edges of lines
        edges = inks[rng.integers(0, 4, (600, 20))]
        picture[:, left : left + 20] = tint + rng.random((600, 20, 1)) * (edges - tint)
    assert (shrunk(picture, 900, tmp_path)[300, 90:800:200] == tints).all()


def test_pages_of_the_gallery():
    page = gallery("gallery.md.j2", figures=FIGURES)
    assert "\n\n![Points](gallery/figure_s3.png)\n\nCaption s3.\n\n" in page
    assert "\n- [**refuted**](claims.md#b): |x| > 1" in page
    page = gallery("claims.md.j2", readings={})
    assert page.endswith("\n**refuted**: at |x| = 0.5 & more\n")
    with pytest.raises(UndefinedError, match="'readings' is undefined"):
        gallery("claims.md.j2")


def test_index_shows_figures_tables_claims_and_origin(tmp_path):
    pictures = [tmp_path / f"figure_{figure['number']}.png" for figure in FIGURES]
    for path in pictures:
        Image.fromarray(np.full((1000, 2000, 3), 255, np.uint8)).save(path)
    sections = [{"name": figure["name"], "figures": [figure]} for figure in FIGURES]
    numbers = CLAIMS.assign(number=[1234.0, np.nan], small=[0.0001234567, 2], hash=["a" * 16, "b"])
    stated = {"a": {"says": "As x < y."}, "b": {"says": "Never shown."}}
    shown = {"sections": sections, "pictures": pictures, "stated": stated}
    page = make_index(**shown, tables=[table(numbers, "A & B")])
    picture = '<img src="data:image/png;base64,([^"]+)" alt="([^"]+)" width="1400" height="700">'
    embedded = re.findall(picture, page)
    assert [alternative for _, alternative in embedded] == ["Curves &lt;", "Points"]
    assert base64.b64decode(embedded[0][0])[16:24] == bytes.fromhex("00000578000002bc")
    assert 'href="figures/figure_s3.csv"' in page
    (link,) = re.findall('<a href="#([^"]+)">1 <span class="verdict refuted">', page)
    listed = page.partition(f'<details id="{link}">')[2].partition("</ul>")[0]
    assert re.findall('<li id="claim-(.)">', listed) == ["b"]
    assert "<p>at |x| = 0.5 &amp; more</p>" in page
    assert re.findall("full run: ([a-z]+)", page) == ["partly"]
    changed = CLAIMS.assign(verdict=["refuted", "partly"])
    page_of_changes = make_index(**shown, statements=[statements(changed)])
    figures = page_of_changes.partition('<section aria-labelledby="claims')[0]
    assert re.findall("full run: ([a-z]+)", figures) == ["confirmed"]
    assert '(section 4, Figures <a href="#figure-01">1</a> and 9)' in page
    figure = page.partition('<figure id="figure-01"')[2].partition("</figure>")[0]
    assert "“As x &lt; y.” (section 4)" in figure
    assert '<a href="#claim-a">x &lt; y</a>' in figure
    assert "Never shown" not in page
    cells = [
        re.findall("<t[hd](?: [^>]*)?>([^<]*)<", grid.partition("</table>")[0])
        for grid in page.split('<table class="grid">')[1:]
    ]
    assert cells == [
        [*("ε \\ δ", "0.1", "0.01"), *("0.5", "≈ 3.0", "✓ 45"), *("2", "✗ 2,468", "")],
        [*("ε \\ δ", "every δ"), *("2", "✓")],
    ]
    assert "A &amp; B" in page
    assert '<td class="number">1,234</td><td class="number">0.0001235</td>' in page
    assert "openblas 1 &lt;Haswell&gt;" in page


def test_claims_have_the_shares_of_readings():
    texts = pages.readings(SHARES)
    expected = [
        "Of 1,440 open readings of the paper, it holds in over 99 %, fails in under 1 % (± 2 %). "
        "Under other conditions, it holds in 0 % if GGM-3-scale is exact, 0 % to 100 % over all "
        "combinations of conditions.",
        "Of 9 open readings of the paper, it holds in 0 %, partly in 90 %, is undecided in 10 %.",
    ]
    index = make_index(readings=texts)
    for page in (index, gallery("claims.md.j2", readings=texts)):
        shown = page.replace("\u00a0", " ")
        assert [shown.count(text) for text in expected] == [1, 1]


@pytest.mark.parametrize("is_paper", [True, False])
def test_caveats_follow_the_run(is_paper):
    design, names = DESIGN | {"is_paper": is_paper}, {"unprotected": ["x<"], "rescaled": ["y<"]}
    values = {"design": design, "answers": [ANSWER]}
    for guarantees in ([], ["(ε, δ)-aDP"], ["ε-DP", "(ε, δ)-aDP"]):
        page = make_index(caveats=names | {"guarantees": guarantees}, **values)
        assert page.count("x&lt;") == page.count("y&lt;") == 1
        assert ("ε-DP; (ε, δ)-aDP" in page) == ("2ε-DP" in page) == (len(guarantees) == 2)
    assert "y&lt;" not in make_index(**values)


def test_an_own_table_has_its_card_and_no_claims():
    card = {"epsilon": "ε = 1 is enough.", "meaning": ["Within ±4."], "introduction": "Copy:"}
    card["command"] = "ggexp sanitize 'a b.csv' --epsilon 1"
    subject = {"is_private": True, "is_rescaled": True}
    answer = ANSWER | {"subject": subject, "note": None, "warning": "Seen.", "card": card}
    values = {"answers": [answer], "own": ["own"], "design": DESIGN | {"is_paper": False}}
    page = make_index(statements=[statements(CLAIMS[:0])], **values)
    assert "<code>ggexp sanitize &#39;a b.csv&#39; --epsilon 1</code>" in page
    assert "claims" not in page.partition("<body>")[2]
    assert "claims" in make_index().partition("<body>")[2]


def test_no_parameter_is_rounded_below_its_value():
    values = {"epsilon": 0.12345, "δ of other": 1.23456e-5, "replaced_epsilon": 1.00001, "ε": 0.5}
    values |= {"delta": 1.2345e-5, "replaced_delta": 0.0123412, "l1": 1.00001, "scale": 2.0}
    ((*texts,),) = pages.rows(pd.DataFrame([values]))
    shown = dict(zip(values, (text for text, _ in texts), strict=True))
    assert shown == {
        **{"epsilon": "0.12345", "δ of other": "1.235e-05", "replaced_epsilon": "1.001"},
        **{"ε": "0.5", "delta": "1.2345e-05", "replaced_delta": "0.01235"},
        **{"l1": "1", "scale": "2"},
    }


def test_verdicts_are_tallied_in_a_fixed_order_and_have_colours():
    style = (TEMPLATES / "index.css").read_text("utf-8")
    for verdict in VERDICTS:
        assert f".{verdict.replace(' ', '-')} {{" in style
    verdicts = ["refuted", "odd", "misprint", "by construction", "confirmed", "refuted"]
    tally = [("confirmed", 1), ("by construction", 1), ("refuted", 2), ("misprint", 1), ("odd", 1)]
    assert pages.tally_verdicts(verdicts) == tally
    claims = pd.concat([CLAIMS, CLAIMS.assign(group="theorems")])
    assert tally_claims(claims) == [
        ("theorems", 3, [("confirmed", 2), ("refuted", 1)]),
        ("this project", 1, [("refuted", 1)]),
    ]


def test_mechanisms_have_the_names_that_people_read():
    for text, expected in (
        ("l1 of gaussian-pdp < ggm-1.5.", "l1 of Gaussian-pDP < GGM-1.5."),
        ("truncated-laplace, laplace", "truncated-Laplace, Laplace"),
        ("releases/laplace/1.csv, laplace.csv, pdp", "releases/laplace/1.csv, laplace.csv, pdp"),
    ):
        assert mechanisms_in_words(text) == expected


def test_a_sentence_has_a_verdict_if_all_its_statements_have():
    for verdicts, expected in (
        (["confirmed", "confirmed"], "confirmed"),
        (["refuted", "confirmed"], "partly"),
        (["refuted", "undecided"], "refuted"),
        (["confirmed", "not tested"], "not tested"),
        (["not determinable"], "not determinable"),
    ):
        assert pages.tally_sentences(("x", verdict) for verdict in verdicts) == [(expected, 1)]
