"""What the pages of a run show, and its index.

The index has all results of a run on one page, in a single self-contained file.
"""

import base64
import io
import re
import struct
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
from markupsafe import Markup, escape

from ggexp.run.files import read_csv
from ggexp.run.manifest import Manifest
from ggexp.run.templates import SectionText, TableText, render
from ggexp.words import VERDICTS, exactly, mechanisms_in_words, up

#: A row of a table of claims, with what the page adds to it.
ClaimRow = dict[Hashable, Any]
MAX_SHORT_TEXT = 70  # characters; cells with longer texts get their own column width
NEGLIGIBLE = 1e-12  # smaller standard deviations and standard errors are rounding errors
COLOURS = 256  # size of the palette, which is chosen so that it includes the colours of thin lines
WIDTH = 1400  # of a picture, in pixels: sharp on a screen
#: The groups of claims that stand first.
FIRST_GROUPS = ("results of section 4", "Figures 1 to 5", "theorems", "sizes and definitions")
#: The verdicts that stand first.
FIRST_VERDICTS = ("refuted", "partly")
#: Figures in the place of a claim, such as "section 4, Figures 7 and 9".
FIGURES = re.compile(r"Figures? \d+(?: and \d+)?")
#: Names of columns with the ε or δ of a grid point, and with a computed bound on ε or δ.
GIVEN, COMPUTED = re.compile("epsilon|delta|(scale parameter )?ε"), re.compile("replaced_.*")
#: Grid points in the table of comparisons: pairs (ε, δ), and both or one of them by name.
PAIR = r"^\(([^,()]+), ([^,()]+)\)(?: with .*)?$"
POINT = r"(?=.)(?:ε=([^, ]+))?(?:, )?(?:δ=(\S+)|every δ)?"
#: What a page without a manifest, that of the supplement, does not have.
OF_RUN: dict[str, object] = {"answers": None, "own": [], "readings": {}, "manifest": None}
MARKS = {"agrees": "✓", "undecided": "≈", "disagrees": "✗"}


def columns(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the name and the kind of each column; the kind is "number" or ""."""
    return [
        (str(name), "number" if pd.api.types.is_numeric_dtype(table[name]) else "")
        for name in table
    ]


def rows(table: pd.DataFrame) -> Iterator[list[tuple[str, str]]]:
    """Yield the rows of a table, each as a list with the text and the kind of every cell.

    Numbers have four significant digits, whole numbers and given parameters all digits; computed
    parameters are rounded up. A missing value is "". A kind is "number", "verdict", "long", "hash"
    or "".
    """
    named = table.astype(object)
    if "mechanism" in named:
        named["mechanism"] = named["mechanism"].map(mechanisms_in_words, na_action="ignore")
    for row in named.itertuples(index=False):
        yield [_cell(value, str(name)) for name, value in zip(named, row, strict=True)]


def _cell(value: Any, name: str) -> tuple[str, str]:
    if isinstance(value, str):
        if value in VERDICTS:
            return value, "verdict"
        if re.fullmatch("[0-9a-f]{16,}[+]?", value):
            return value, "hash"
        return value, "long" if len(value) > MAX_SHORT_TEXT else ""
    if pd.isna(value):
        return "", ""
    if float(value).is_integer():
        return f"{int(value):,}", "number"
    if COMPUTED.fullmatch(name):
        return up(value, 4), "number"
    return exactly(value) if GIVEN.fullmatch(name) else f"{value:.4g}", "number"


def tally_verdicts(verdicts: Iterable[str]) -> list[tuple[str, int]]:
    """Return the verdicts that occur and how often they do, in the order of `VERDICTS`."""
    listed = list(verdicts)
    ordered = [*VERDICTS, *sorted({*listed} - {*VERDICTS})]
    return [(verdict, listed.count(verdict)) for verdict in ordered if verdict in listed]


def verdict_on_sentence(verdicts: Collection[str]) -> str:
    """Return the verdict on a sentence, from the verdicts on all statements that test it."""
    for verdict in ("not tested", "not determinable"):
        if verdict in verdicts:
            return verdict
    if len({*verdicts}) == 1:
        return next(iter(verdicts))
    if {"confirmed", "by construction", "partly"} & {*verdicts}:
        return "partly"
    return "refuted" if "refuted" in verdicts else "undecided"


def tally_sentences(verdicts: Iterable[tuple[str, str]]) -> list[tuple[str, int]]:
    """Return the verdicts on sentences and how often they occur.

    verdicts: for each statement, its sentence and the verdict on it.
    """
    sentences: dict[str, list[str]] = {}
    for sentence, verdict in verdicts:
        sentences.setdefault(sentence, []).append(verdict)
    return tally_verdicts(map(verdict_on_sentence, sentences.values()))


def readings(shares: pd.DataFrame) -> dict[str, list[str]]:
    """Return for each claim the shares of open readings by outcome, in a sentence.

    A second sentence has the corrections and thresholds that change the share that holds.
    shares: the table of the target `multiverse`; a claim's largest group of choices counts.
    """
    written = shares[shares["choice"].isna()].sort_values("readings", kind="stable")
    conditions = shares[shares["kind"].isin(["correction", "threshold"])]
    return {
        row["claim"]: [*_sentences(row, conditions)]
        for row in written.drop_duplicates("claim", keep="last").to_dict("records")
    }


def _sentences(row: ClaimRow, conditions: pd.DataFrame) -> Iterator[str]:
    outcomes = {"holds": "holds in", "partly": "partly in", "fails": "fails in"}
    outcomes["undecided"] = "is undecided in"
    parts = [
        f"{words} {_percent(row[outcome])}"
        for outcome, words in outcomes.items()
        if row[outcome] or outcome == "holds"
    ]
    error = f" (± {_percent(row['se'])})" if row["se"] > 0 else ""
    yield f"Of {row['readings']:,} open readings of the paper, it {', '.join(parts)}{error}."
    is_own = (conditions[["claim", "factorial"]] == [row["claim"], row["factorial"]]).all(axis=1)
    parts = [
        f"{_percent(holds)} if {choice} is {alternative}"
        for choice, alternative, holds in conditions.loc[
            is_own & (conditions["holds"] != row["holds"]), ["choice", "alternative", "holds"]
        ].to_numpy()
    ]
    if parts or row["lowest"] != row["highest"]:
        ends = f"{_percent(row['lowest'])} to {_percent(row['highest'])}"
        parts.append(f"{ends} over all combinations of conditions")
        yield mechanisms_in_words(f"Under other conditions, it holds in {', '.join(parts)}.")


def _percent(share: float) -> str:
    """Return a share in percent; only a share of all or of none is 100 or 0 %."""
    if 0 < share < 0.005:
        return "under 1\u00a0%"
    return "over 99\u00a0%" if 0.995 <= share < 1 else f"{100 * share:.0f}\u00a0%"


def origins(manifest: Manifest) -> pd.DataFrame:
    """Return a table of the origin of a run's results, with the columns what and value."""
    rows = [
        ("configuration (sha256)", manifest["configuration"]),
        ("seed", str(manifest["seed"])),
        ("repeats", str(manifest["repeats"])),
        ("commit", manifest["commit"] or "not known"),
        *manifest["machine"].items(),
        ("Python", manifest["python"]),
        ("packages", ", ".join(map(" ".join, manifest["packages"].items()))),
        *((f"{name} (sha256)", value) for name, value in manifest["data"].items()),
        *((f"code of {name}", value) for name, value in manifest["code"].items()),
    ]
    return pd.DataFrame(rows, columns=["what", "value"])


class ClaimGroup(NamedTuple):
    """The claims of a group: all, and by verdict.

    sentences: the tally of the paper's sentences, if each claim has its step from a sentence.
    """

    name: str
    all: list[ClaimRow]
    sentences: list[tuple[str, int]]
    verdicts: dict[str, list[ClaimRow]]


def index_page(
    template: Path,
    *,
    sections: Iterable[SectionText],
    pictures: Iterable[Path],
    statements: Iterable[tuple[TableText, pd.DataFrame, pd.DataFrame]],
    tables: Iterable[tuple[TableText, pd.DataFrame]],
    stated: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    **names: Any,
) -> str:
    """Return the index in HTML.

    pictures: the file figure_….png of each figure. statements: tables of claims, each with the
    table of their comparisons. tables: others. stated: claim -> says, the sentence of the paper
    that it tests, and step, how the test follows from the sentence. names: further names of the
    template.
    """
    files = {picture.stem.removeprefix("figure_"): picture for picture in pictures}
    embedded = {number: shrink(picture, WIDTH) for number, picture in files.items()}
    described = [
        (text, _groups(claims, compared, stated, embedded)) for text, claims, compared in statements
    ]
    claims = [claim for _, groups in described for group in groups for claim in group.all]
    return render(
        template,
        sections=[
            {
                "id": f"section-{position}",
                "name": section["name"],
                "figures": [
                    {
                        **figure,
                        **_picture(embedded[figure["number"]]),
                        "finding": _title(files[figure["number"]]),
                        "sentences": _sentences_on(claims, figure["number"]),
                    }
                    for figure in section["figures"]
                ],
            }
            for position, section in enumerate(sections, 1)
        ],
        statements=[{**text, "groups": groups} for text, groups in described],
        tables=[{**text, "frame": frame} for text, frame in tables],
        size=sum(len(picture) for picture in embedded.values()) * 4 / 3,
        columns=columns,
        rows=rows,
        **OF_RUN | names,
    )


def _groups(
    claims: pd.DataFrame,
    compared: pd.DataFrame,
    stated: Mapping[str, Mapping[str, str]],
    figures: Collection[str],
) -> list[ClaimGroup]:
    """Return the groups of a table of claims. figures: the numbers of those on the page."""
    grids = _grids(compared)
    groups: dict[str, list[ClaimRow]] = {}
    for claim in claims.to_dict("records"):
        named = " ".join(FIGURES.findall(claim["source"]))
        claim |= {
            "figures": [f"{int(number):02d}" for number in re.findall(r"\d+", named)],
            "place": _linked(claim["source"], figures),
            **{key: stated.get(claim["id"], {}).get(key) for key in ("says", "step")},
            "grids": grids.get(claim["id"], {}),
        }
        groups.setdefault(claim["group"], []).append(claim)
    return [
        ClaimGroup(
            name,
            groups[name],
            tally_sentences((c["says"], c["verdict"]) for c in groups[name])
            if all(claim["step"] for claim in groups[name])
            else [],
            {
                verdict: members
                for verdict in dict.fromkeys([*FIRST_VERDICTS, *VERDICTS])
                if (members := [claim for claim in groups[name] if claim["verdict"] == verdict])
            },
        )
        for name in sorted(groups, key=[*FIRST_GROUPS, *groups].index)
    ]


def _linked(place: str, figures: Collection[str]) -> Markup:
    """Return the place of a claim, in which the figures of the page are links."""

    def link(number: re.Match[str]) -> str:
        id = f"{int(number[0]):02d}"
        return f'<a href="#figure-{id}">{number[0]}</a>' if id in figures else number[0]

    return Markup(FIGURES.sub(lambda named: re.sub(r"\d+", link, named[0]), str(escape(place))))


def _sentences_on(claims: Iterable[ClaimRow], number: str) -> dict[str, list[ClaimRow]]:
    """Return the paper's sentences on a figure, each with the claims that test it."""
    sentences: dict[str, list[ClaimRow]] = {}
    for claim in claims:
        if claim["says"] and number in claim["figures"]:
            sentences.setdefault(claim["says"], []).append(claim)
    return sentences


def _grids(compared: pd.DataFrame) -> dict[str, dict[str, pd.DataFrame]]:
    """Return claim -> statement -> its comparisons as a table of ε and δ, "" where there is none.

    A cell has a mark and the margin in standard errors. Claims with comparisons that are not at
    grid points are left out.
    """
    points = compared["point"].fillna("").str.replace(PAIR, r"ε=\1, δ=\2", regex=True)
    units = (compared["se"] ** 2 + compared["split_sd"].fillna(0) ** 2) ** 0.5
    margins = (compared["difference"] / units.where(units > 0)).abs()
    texts = [
        "" if pd.isna(margin) else f" {margin:,.{0 if margin >= 10 else 1}f}" for margin in margins
    ]
    cells = compared[["claim", "statement"]].assign(
        **points.str.extract(f"^{POINT}$").fillna("").set_axis(["epsilon", "delta"], axis=1),
        text=compared["outcome"].map(MARKS) + texts,
    )
    is_at_points = points.str.fullmatch(POINT).groupby(compared["claim"]).transform("all")
    grids: dict[str, dict[str, pd.DataFrame]] = {}
    for keys, group in cells[is_at_points].groupby(["claim", "statement"], sort=False):
        claim, statement = map(str, keys)
        grids.setdefault(claim, {})[statement] = group.pivot_table(
            "text", index="epsilon", columns="delta", aggfunc="first", sort=False, fill_value=""
        )
    return grids


def shown_frame(path: str | Path) -> pd.DataFrame:
    """Return the table in a CSV file; negligible standard deviations and errors become 0."""
    frame = read_csv(path)
    for name in {"sd", "se"} & {*frame}:
        frame[name] = frame[name].mask(frame[name] < NEGLIGIBLE, 0)
    return frame


def _picture(png: bytes) -> dict[str, str | int]:
    """Return a picture as a data URL, and its size, so that browsers can reserve its space."""
    width, height = struct.unpack(">II", png[16:24])  # from the header of the PNG
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return {"picture": address, "width": width, "height": height}


def _title(picture: Path) -> str:
    """Return the title in a PNG file, which states a finding, or an empty text."""
    from PIL import Image

    with Image.open(picture) as image:
        return str(image.info.get("Title", ""))


def shrink(picture: Path, width: int) -> bytes:
    """Return a copy of a PNG file, as PNG, at most ``width`` pixels wide.

    The copy has only `COLOURS` colours, which reduces its size to a third. Pale tints may change
    slightly.
    """
    from PIL import Image

    with Image.open(picture) as image:
        copy = image.convert("RGB")
    if copy.width > width:
        size = (width, round(copy.height * width / copy.width))
        copy = copy.resize(size, Image.Resampling.LANCZOS)
    copy = copy.quantize(COLOURS, method=Image.Quantize.MEDIANCUT)
    buffer = io.BytesIO()
    copy.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
