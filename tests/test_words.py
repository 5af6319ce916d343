"""Code and pages do not use words for which the field has plainer ones."""

import re

from conftest import ROOT

SUFFIXES = {".py", ".pyi", ".smk", ".yaml", ".md", ".rst", ".j2", ".ipynb", ""}
FILES = [
    *(
        file
        for folder in ("src", "workflow", "docs", "config")
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in SUFFIXES and file.is_file()
    ),
    ROOT / "README.md",
]
#: A guarantee after "noise of" or "is of": ε-DP, (ε, δ)-approximate DP, (1, 0.05), ρ-zCDP, pDP.
GUARANTEE = (
    r"(?:(?:exact(?:ly)?|pure|another|the|a|some|its|weaker|same) )*"
    r"(?:\([εδρ\d][^)]*,[^)]*\)"
    r"|(?:[ε\d.][\w.²/₁₂]*-|ρ-)?\*?(?:approximate|probabilistic|concentrated|[apz]?C?DP\b)|guarantee)"
)
PHRASES = {
    rf"\b(?:is|are) of (?={GUARANTEE})": "satisfies, satisfy",
    rf"\bnoise of (?={GUARANTEE})": "noise for",
    r"\bhangs? on\b": "depends on",
    r"\bloss[ _]sums\b": "privacy loss distribution",
    r"\bbeyond chance\b|\bchance decides\b": "statistically significant",
    r"\bspelled out\b|\blikeness\b": "resolved, inheritance",
    r"misfits|cautions": "errors, warnings",
    r"guesser": "adversary",
    r"(?<!\")\bsurvivors\b(?!\")": "retained cells",  # but the old key, in quotes
    r'(?<!support vector )\bmachines\b(?!"?: "?classifier\.mechanisms)': "classifiers, SVMs",
}


def problems(name, text):
    text = re.sub(r'"image/png": "[^"]*"', "", text)
    text = re.sub(r"\s*\n[ \t]*(?:(?:#:?|>|-)[ \t]+)?", " ", text)  # joins the lines
    for phrase, replacement in PHRASES.items():
        for match in re.finditer(phrase, text, re.IGNORECASE):
            context = text[max(0, match.start() - 30) : match.end() + 30]
            yield f"{name}: …{context}… (rather: {replacement})"


def test_no_file_has_words_that_the_field_does_not_use():
    lines = [
        line
        for file in FILES
        for line in problems(file.relative_to(ROOT).as_posix(), file.read_text("utf-8"))
    ]
    assert lines == []
    wrong = "The release is of ε-DP. noise of\n# (1, 0.05). The machines\nlearn. It hangs on it."
    right = "noise of scale 2, support vector\nmachines, machine-readable, perhaps on the margin"
    assert len([*problems("docs/page.md", f"{wrong} {right}")]) == 4
