"""What was found in a file, written as a commented configuration."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

import yaml

from ggexp.datasets.kinds import Kind
from ggexp.datasets.rows import type_of
from ggexp.datasets.sniff import Sniffed
from ggexp.datasets.text import in_words
from ggexp.workload import classification_megabytes, in_time, release_seconds, trained_repeats

EPSILONS = 0.1, 0.2, 0.5, 1, 2, 5
REPEATS = 100
#: The mechanisms that are compared on a table of one's own, and their guarantees. Counts are whole
#: numbers, for which noise of whole numbers is the least.
OWN = {
    "geometric": ("{calibration: pure-integer}", "ε-DP, whole-number noise"),
    "optimal": (
        "{calibration: adp-optimal}",
        "(ε, δ)-aDP, the least whole-number noise",
    ),
    "discrete-gaussian": (
        "{order: 2, calibration: adp-exact-integer}",
        "(ε, δ)-aDP, whole-number noise",
    ),
    "laplace": ("{order: 1, calibration: pure}", "ε-DP"),
    "truncated-laplace": (
        "{order: 1, calibration: adp-truncated}",
        "(ε, δ)-aDP, bounded noise",
    ),
    "best-order": (
        "{order: best, calibration: adp-exact}",
        "(ε, δ)-aDP, the order with the least standard deviation",
    ),
}
#: Of these the mechanisms whose noise cannot be drawn for cells that are not listed.
LISTED_ALONE = ("truncated-laplace",)
#: The kinds of releases of records that are proposed (`ggexp.releases.kinds`).
ALL, STABILITY = "all", "stability"
#: What the guarantee does not cover.
PUBLIC = (
    "# Columns, levels, bins and n (to which counts are rescaled) are assumed public. The",
    "# guarantee does not cover their choice, which was proposed from the data: replace them by",
    "# what was known before anybody saw the data.",
)
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "spaces"}


#: How records are released that are not all cells, and why.
NON_LISTED = (
    "too many cells to list all; empty ones are never released, and every mechanism spends a δ"
)


@dataclass(frozen=True)
class Description:
    """What a file was found to hold.

    name: of the data set. settings: its own, as in a configuration. kinds: column -> what it is
    taken for. total: records without a missing value, or the sum of the counts. released: n, those
    in the histogram. cells, filled: how many cells it has, and how many are not empty. error: the
    relative l1 error of a release at ε = 1. offered: columns that are left to choose. notes: what
    else is left out. warnings: what its user should look at first. target: the column to predict.
    release: the kind of releases of records.
    """

    name: str
    sniffed: Sniffed
    settings: dict[str, Any]
    kinds: dict[str, Kind]
    total: int
    released: int
    cells: int
    filled: int
    error: float = 0.0
    offered: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    target: str | None = None
    release: str = ALL

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
    def mechanisms(self) -> dict[str, tuple[str, str]]:
        """The mechanisms that are compared: of unlisted cells those that need no list of them."""
        if self.release == ALL:
            return OWN
        return {name: own for name, own in OWN.items() if name not in LISTED_ALONE}

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
        filled = f"{found.filled:,} of them non-empty"
        yield f"# {found.cells:,} cells, {filled}; the counts sum to {found.total:,}."
    else:
        yield from _histogram(found)
    yield f"# At ε = 1 expect an l₁ error of about {found.error:.1%} of n."
    yield from (f"# Check: {warning}." for warning in found.warnings)
    if left_out := found.left_out:
        yield "# Left out:"
        yield from (f"#   {message}" for message in left_out)
    yield from PUBLIC
    yield "# Save this as mine.yaml, and run: snakemake --cores all --configfile mine.yaml"
    yield ""


def _histogram(found: Description) -> Iterator[str]:
    """Yield how many records and cells there are."""
    if lost := found.sniffed.records - found.total:
        what = "record with a missing value is" if lost == 1 else "records with missing values are"
        yield f"# {lost:,} {what} left out, {found.total:,} are complete."
    if found.target:
        tested = found.total - found.released
        yield f"# {found.released:,} of them make the histogram, {tested:,} test a classifier."
    each = f"{found.released / found.cells:.2g}" if found.cells < found.released * 100 else "few"
    yield (
        f"# {found.released:,} records in {in_words(found.cells)} cells, {found.filled:,} of them "
        f"non-empty: {each} records per cell."
    )


def _written(found: Description) -> str:
    """Return how the file is written, in words."""
    if kind := type_of(found.path):
        return f"in {kind}" + ", the first sheet" * (kind == "Excel")
    form = found.sniffed.form
    header = "with a header" if found.sniffed.header else "without a header"
    guess = ", which is a guess" if form.encoding in ("cp1252", "latin-1") else ""
    separated = f"separated by {SEPARATORS[form.separator]}, quotes {form.quote}"
    return f"{header}, {separated}, in {form.encoding.upper()}{guess}"


def _design(found: Description) -> Iterator[str]:
    yield f"results_dir: results/{found.name}"
    yield "theory: false # without the paper's Figures 1 to 5, which use no data"
    yield f"epsilon: {list(EPSILONS)}"
    yield f"delta: [{found.delta}] # well below 1/n"
    yield f"repeats: {REPEATS} # releases at each ε and δ"
    if found.release != ALL:
        yield "metrics: [l1]"
    yield ""
    yield "mechanisms:"
    for name, (form, note) in found.mechanisms.items():
        yield f"  {name}: {form} # {note if found.release == ALL else '(ε, δ)-aDP'}"
    yield ""


def _dataset(found: Description) -> Iterator[str]:
    yield f"datasets: [{text(found.name)}]"
    yield "histograms:"
    yield f"  {text(found.name)}:"
    yield from _counts(found) if found.is_counts else _records(found)
    yield f"    mechanisms: [{', '.join(found.mechanisms)}]"
    first = "releases" if found.release == ALL else "survivors"
    accuracy = ", accuracy: 3" if found.target else ""
    yield f"    figures: {{{first}: 1, errors: 2{accuracy}}}"


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
    yield from (f"    {line}" for line in _said(found, "count", "wide", "decimal", "thousands"))
    if drop := found.settings.get("drop"):
        levels = ", ".join(f"{text(name)}: {_list(levels)}" for name, levels in drop.items())
        yield f"    drop: {{{levels}}} # totals of the other levels"
    yield f"    total: {found.total}"
    if "omitted" in found.settings:
        yield "    omitted: zero # combinations of levels without a row are empty cells"


def _records(found: Description) -> Iterator[str]:
    yield "    records:"
    said = _said(found, "file", "separator", "quote", "encoding", "decimal")
    yield from (f"      {line}" for line in said)
    yield f"      header: {'true' if found.settings['header'] else 'false'}"
    yield "      columns:"
    if found.offered:
        yield "        # lines that begin with # are left out; remove the # to use the column"
    has_header = found.settings["header"]
    for name, kind in found.kinds.items():
        note, form = f" # {kind.note}" if kind.note else "", _form(kind)
        if name not in found.offered:
            yield f"        {text(name)}: {form}{note}"
        elif has_header:
            yield f"        # {text(name)}: {form}{note}"
        else:  # all columns are named, in the file's order
            yield f"        {text(name)}: unused # or {form}{note}"
    if missing := found.settings["missing"]:
        yield f"      missing: {_list(missing)} # records with one of these are left out"
    if found.target:
        yield "      training: 2/3 # of the records make the histogram, the others are test records"
    if found.release == ALL:
        yield "    release: {kind: all} # all cells, including empty ones"
    else:
        yield f"    release: {{kind: {found.release}}} # {NON_LISTED}"
    if found.target:
        yield from _classifier(found, found.target)


def _classifier(found: Description, target: str) -> Iterator[str]:
    is_listed = found.release == ALL
    cells = found.cells if is_listed else found.filled
    counts, tested = found.released, found.total - found.released
    seconds = release_seconds(cells, counts, listed=is_listed)
    points = len(EPSILONS) * len(found.mechanisms)
    repeats = trained_repeats(seconds * points, REPEATS)
    few = f", repeats: {repeats}" if repeats < REPEATS else ""
    memory = classification_megabytes([cells, 0], min(cells, tested), counts) / 1000
    yield f"    classifier: {{target: {text(target)}{few}}} # the classes to predict"
    yield f"    # training takes about {in_time(seconds)} per release on one core,"
    yield f"    # {in_time(seconds * points * repeats)} in all, and {memory:.1f} GB per job"


def _form(kind: Kind) -> str:
    """Return a column as it stands in YAML."""
    if isinstance(kind.form, str):
        return kind.form
    if "levels" in kind.form:
        return f"{{levels: {_list(kind.levels)}}}"
    if "edges" in kind.form:
        return f"{{edges: [{', '.join(map(_number, kind.form['edges']))}]}}"
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
