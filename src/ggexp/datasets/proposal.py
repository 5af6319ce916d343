"""What was found in a file, written as a commented configuration."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import floor, log10, sinh
from typing import Any

import yaml

from ggexp.datasets.kinds import Kind
from ggexp.datasets.rows import is_parquet
from ggexp.datasets.sniff import Sniffed

#: Cells from which on machines take more than some gigabytes.
LARGE_FOR_MACHINES = 20_000
EPSILON = "[0.1, 0.2, 0.5, 1, 2, 5]"
REPEATS = 100
#: The mechanisms that are compared on a table of one's own, and their guarantees. Counts are whole
#: numbers, for which noise of whole numbers is the least.
OWN = {
    "geometric": ("{calibration: pure-integer}", "ε-DP, whole numbers"),
    "optimal": (
        "{calibration: adp-optimal}",
        "(ε, δ)-aDP, the least noise of whole numbers",
    ),
    "discrete-gaussian": (
        "{order: 2, calibration: adp-exact-integer}",
        "(ε, δ)-aDP, whole numbers",
    ),
    "laplace": ("{order: 1, calibration: pure}", "ε-DP"),
    "truncated-laplace": (
        "{order: 1, calibration: adp-truncated}",
        "(ε, δ)-aDP, never beyond a bound",
    ),
    "best-order": (
        "{order: best, calibration: adp-exact}",
        "(ε, δ)-aDP, the order of least standard deviation",
    ),
}
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "spaces"}


@dataclass(frozen=True)
class Description:
    """What a file was found to hold.

    name: of the data set. settings: its own, as in a configuration. kinds: column -> what it is
    taken for. total: records without a missing value, or the sum of the counts. cells, filled: how
    many cells its histogram has, and how many are not empty. notes: what else is left out.
    doubts: what its user should look at first. target: the column that a machine is to predict.
    """

    name: str
    sniffed: Sniffed
    settings: dict[str, Any]
    kinds: dict[str, Kind]
    total: int
    cells: int
    filled: int
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    target: str | None = None

    @property
    def path(self) -> str:
        """The file."""
        path: str = self.settings.get("counts") or self.settings["file"]
        return path

    @property
    def is_counts(self) -> bool:
        """Whether the file holds counts, not records."""
        return "counts" in self.settings

    @property
    def delta(self) -> str:
        """A power of ten below a tenth of one record's share, as YAML reads it."""
        return f"1.0e{floor(log10(0.1 / max(self.total, 1))):+d}"

    @property
    def noise(self) -> float:
        """The most that geometric noise of ε = 1 adds up to, over n: E|K| a cell, ½ if empty."""
        cells = self.filled + self.is_counts * (self.cells - self.filled) / 2
        return cells / sinh(1) / max(self.total, 1)

    @property
    def left_out(self) -> list[str]:
        """The columns that nobody can guess, or that have no use, and why."""
        unused = [f"{text(n)}: {kind.note}" for n, kind in self.kinds.items() if not kind.is_used]
        return [*unused, *self.notes]


def write(found: Description) -> str:
    """Return the configuration, a line for each column, with comments."""
    return "\n".join([*_head(found), *_design(found), *_dataset(found), ""])


def text(value: str) -> str:
    """Return a text as it stands in YAML, on one line."""
    is_plain = re.fullmatch(r"[A-Za-z]([A-Za-z0-9_ .-]*[A-Za-z0-9_.-])?", value)
    return value if is_plain and yaml.safe_load(value) == value else quoted(value)


def quoted(value: str) -> str:
    """Return a text in quotes as it stands in YAML, on one line."""
    written: str = yaml.safe_dump(value, default_style='"', allow_unicode=True, width=10**9)
    return written.strip()


def _head(found: Description) -> Iterator[str]:
    what = "counts" if found.is_counts else "records"
    lines = f"{found.sniffed.records:,} lines of {what}"
    yield f"# {quoted(found.path)[1:-1]}: {lines}, {_written(found)}."
    if found.is_counts:
        filled = f"{found.filled:,} of them not empty"
        yield f"# {found.cells:,} cells, {filled}; {found.total:,} counted."
    else:
        yield (
            f"# {found.total:,} records are complete. Their histogram has {found.cells:,} cells, "
            f"{found.filled:,} of them not empty;"
        )
        yield "# these alone are sanitized, which is not differentially private (docs/guide.md)."
    yield f"# At ε = 1 expect an l₁ error of up to about {found.noise:.1%} of them."
    yield from (f"# To be looked at: {doubt}." for doubt in found.doubts)
    if left_out := found.left_out:
        yield "# Left out, as nobody can guess what they are for:"
        yield from (f"#   {one}" for one in left_out)
    yield "# Levels and bounds are proposals from the data. For more than an experiment they must"
    yield "# be public knowledge: put there what was known before anybody looked."
    yield "# Save this as mine.yaml, then: snakemake --cores all --configfile mine.yaml"
    yield ""


def _written(found: Description) -> str:
    """Return how the file is written, in words."""
    if is_parquet(found.path):
        return "in Parquet"
    form = found.sniffed.form
    header = "with a header" if found.sniffed.header else "without a header"
    guess = ", which is a guess" if form.encoding in ("cp1252", "latin-1") else ""
    separated = f"separated by {SEPARATORS[form.separator]}, quotes {form.quote}"
    return f"{header}, {separated}, in {form.encoding.upper()}{guess}"


def _design(found: Description) -> Iterator[str]:
    yield f"results_dir: results/{found.name}"
    yield "theory: false # the paper's Figures 1 to 5, which are of no data"
    yield f"epsilon: {EPSILON}"
    yield f"delta: [{found.delta}] # well below 1/n, so that no single record is worth a failure"
    yield f"repeats: {REPEATS} # releases at each ε and δ"
    yield ""
    yield "mechanisms:"
    yield from (f"  {name}: {form} # {note}" for name, (form, note) in OWN.items())
    yield ""


def _dataset(found: Description) -> Iterator[str]:
    yield f"datasets: [{text(found.name)}]"
    yield "histograms:"
    yield f"  {text(found.name)}:"
    yield from _counts(found) if found.is_counts else _records(found)
    yield f"    mechanisms: [{', '.join(OWN)}]"
    accuracy = ", accuracy: 3" if found.target else ""
    yield f"    figures: {{releases: 1, errors: 2{accuracy}}}"


def _said(found: Description, *keys: str) -> Iterator[str]:
    """Yield the lines of keys with a text, as far as they are set."""
    for key in keys:
        if key in found.settings:
            yield f"{key}: {quoted(found.settings[key])}"


def _counts(found: Description) -> Iterator[str]:
    yield from (f"    {line}" for line in _said(found, "counts", "separator", "quote", "encoding"))
    yield "    factors:"
    for name, levels in found.settings["factors"].items():
        yield f"      {text(name)}: {_list(levels)}"
    yield from (f"    {line}" for line in _said(found, "count"))
    yield f"    total: {found.total}"
    if "omitted" in found.settings:
        yield "    omitted: zero # combinations of levels without a row are empty cells"


def _records(found: Description) -> Iterator[str]:
    yield "    records:"
    said = _said(found, "file", "separator", "quote", "encoding", "decimal")
    yield from (f"      {line}" for line in said)
    yield f"      header: {'true' if found.settings['header'] else 'false'}"
    yield "      columns:"
    for name, kind in found.kinds.items():
        note = f" # {kind.note}" if kind.note else ""
        yield f"        {text(name)}: {_form(kind)}{note}"
    if missing := found.settings["missing"]:
        yield f"      missing: {_list(missing)} # records with one of these are left out"
    if found.target:
        many = f"; {found.filled:,} cells take long" if found.filled > LARGE_FOR_MACHINES else ""
        yield "      training: 2/3 # of the records make the histogram, the others test"
        target = f"{{target: {text(found.target)}}}"
        yield f"    classifier: {target} # what a machine is to predict{many}"


def _form(kind: Kind) -> str:
    """Return a column as it stands in YAML."""
    if isinstance(kind.form, str):
        return kind.form
    if "levels" in kind.form:
        return f"{{levels: {_list(kind.levels)}}}"
    return f"{{{', '.join(f'{key}: {_number(value)}' for key, value in kind.form.items())}}}"


def _list(texts: list[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


def _number(value: int | float) -> str:
    """Return a number as YAML reads it, which takes 1e-05 for text."""
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}e{int(exponent):+d}"
