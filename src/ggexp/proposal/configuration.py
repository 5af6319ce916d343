"""Write the description of a file as a commented configuration."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

import yaml

from ggexp.datasets.form import type_of
from ggexp.datasets.sniff import Sniffed
from ggexp.datasets.text import in_words
from ggexp.experiment.proposed import PROPOSED_MECHANISMS
from ggexp.proposal.kinds import Kind
from ggexp.workload import classification_megabytes, duration_text, release_seconds, trained_repeats

EPSILONS = 0.1, 0.2, 0.5, 1, 2, 5
REPEATS = 100
#: The guarantee of each proposed mechanism, and what distinguishes its noise.
MECHANISM_NOTES = {
    "geometric": "ε-DP, whole-number noise",
    "optimal": "(ε, δ)-aDP, the smallest whole-number noise",
    "discrete-gaussian": "(ε, δ)-aDP, whole-number noise",
    "laplace": "ε-DP",
    "truncated-laplace": "(ε, δ)-aDP, bounded noise",
    "best-order": "(ε, δ)-aDP, the order with the smallest standard deviation",
}
#: The proposed mechanisms whose noise cannot be drawn for cells that are not listed.
LISTED_CELLS_ONLY = ("truncated-laplace",)
#: The proposed kinds of releases of records (`ggexp.releases.kinds`).
ALL, STABILITY = "all", "stability"
#: The comment on what the guarantee does not cover.
PUBLIC_NOTE = (
    "# Columns, levels and bins are assumed public. The guarantee does not cover their choice,",
    "# which was proposed from the data: replace them by what was known before anybody saw the",
    "# data. n is not published. If everybody knows n, write total: public: counts are then",
    "# rescaled to sum to n, and the guarantee is for one replaced record.",
)
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars", " ": "spaces"}


#: The comment on a release of records that does not list all cells.
STABILITY_NOTE = (
    "too many cells to list all; empty ones are never released, and every mechanism spends a δ"
)


@dataclass(frozen=True)
class Description:
    """The description of a file.

    name: the name of the data set.
    settings: the data set's settings, as in a configuration.
    kinds: column -> its kind.
    total: the number of records without a missing value, or the sum of the counts.
    released: n, the number of records in the histogram.
    cells, filled: the numbers of all cells and of non-empty cells.
    error: the relative l1 error of a release at ε = 1.
    offered: columns that the user may add.
    notes: messages about omissions other than unused columns.
    warnings: messages about points that the user should check first.
    target: the column to predict.
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
        """The path of the file."""
        path: str = self.settings.get("counts") or self.settings["file"]
        return path

    @property
    def is_counts(self) -> bool:
        """Whether the file holds counts instead of records."""
        return "counts" in self.settings

    @property
    def delta(self) -> str:
        """The largest power of ten that is at most 0.1 / `total`, as YAML reads it."""
        return f"1.0e{floor(log10(0.1 / max(self.total, 1))):+d}"

    @property
    def mechanisms(self) -> list[str]:
        """The compared mechanisms; if cells are unlisted, only those that need no list of cells."""
        excluded = () if self.release == ALL else LISTED_CELLS_ONLY
        return [name for name in PROPOSED_MECHANISMS if name not in excluded]

    @property
    def left_out(self) -> list[str]:
        """The columns that are not used, with the reason, and other omissions."""
        unused = [f"{text(n)}: {kind.note}" for n, kind in self.kinds.items() if not kind.is_used]
        return [*unused, *self.notes]


def write(file: Description) -> str:
    """Return the commented configuration, in which each column of the file has one line."""
    return "\n".join([*_opening_comments(file), *_design(file), *_dataset(file), ""])


def text(value: str) -> str:
    """Return a text as YAML on one line, quoted if necessary."""
    is_plain = re.fullmatch(r"[A-Za-z]([A-Za-z0-9_ .-]*[A-Za-z0-9_.-])?", value)
    return value if is_plain and yaml.safe_load(value) == value else quoted(value)


def quoted(value: str) -> str:
    """Return a quoted text as YAML on one line."""
    written: str = yaml.safe_dump(value, default_style='"', allow_unicode=True, width=10**9)
    return written.strip()


def _opening_comments(file: Description) -> Iterator[str]:
    content = "counts" if file.is_counts else "records"
    records = file.sniffed.records
    lines = f"{records:,} {'line' if records == 1 else 'lines'} of {content}"
    yield f"# {quoted(file.path)[1:-1]}: {lines}, {_file_form(file)}."
    if file.is_counts:
        filled = f"{file.filled:,} of them non-empty"
        yield f"# {file.cells:,} cells, {filled}; the counts sum to {file.total:,}."
    else:
        yield from _record_comments(file)
    yield f"# At ε = 1 expect an l₁ error of about {file.error:.1%} of n."
    yield from (f"# Check: {warning}." for warning in file.warnings)
    if left_out := file.left_out:
        yield "# Left out:"
        yield from (f"#   {message}" for message in left_out)
    yield from PUBLIC_NOTE
    yield "# Save this as mine.yaml, and run: ggexp snakemake --cores all --configfile mine.yaml"
    yield ""


def _record_comments(file: Description) -> Iterator[str]:
    """Yield comments with the numbers of records and cells."""
    if incomplete := file.sniffed.records - file.total:
        subject = (
            "record with a missing value is"
            if incomplete == 1
            else "records with missing values are"
        )
        yield f"# {incomplete:,} {subject} left out, {file.total:,} are complete."
    if file.target:
        tested = file.total - file.released
        yield f"# {file.released:,} of them make the histogram, {tested:,} test a classifier."
    mean = file.released / file.cells
    per_cell = f"{mean:,.0f}" if mean >= 10 else f"{mean:.2g}" if mean > 0.01 else "few"
    yield (
        f"# {file.released:,} records in {in_words(file.cells)} cells, {file.filled:,} of them "
        f"non-empty: {per_cell} records per cell."
    )


def _file_form(file: Description) -> str:
    """Return a description of how the file is written."""
    if kind := type_of(file.path):
        sheet = file.settings.get("sheet")
        return f"in {kind}" + (f", the sheet {sheet!r}" if sheet else "")
    form = file.sniffed.form
    header = "with a header" if file.sniffed.header else "without a header"
    guess = ", which is a guess" if form.encoding in ("cp1252", "latin-1") else ""
    separated = f"separated by {SEPARATORS[form.separator]}, quotes {form.quote}"
    return f"{header}, {separated}, in {form.encoding.upper()}{guess}"


def _design(file: Description) -> Iterator[str]:
    yield f"results_dir: results/{file.name}"
    yield "theory: false # without the paper's Figures 1 to 5, which use no data"
    yield f"epsilon: {list(EPSILONS)}"
    yield f"delta: [{file.delta}] # well below 1/n"
    yield f"repeats: {REPEATS} # releases at each ε and δ"
    if file.release != ALL:
        yield "metrics: [l1]"
    yield ""
    yield "mechanisms:"
    for name in file.mechanisms:
        form = ", ".join(f"{key}: {value}" for key, value in PROPOSED_MECHANISMS[name].items())
        note = MECHANISM_NOTES[name] if file.release == ALL else "(ε, δ)-aDP"
        yield f"  {name}: {{{form}}} # {note}"
    yield ""


def _dataset(file: Description) -> Iterator[str]:
    yield f"datasets: [{text(file.name)}]"
    yield "histograms:"
    yield f"  {text(file.name)}:"
    yield from _counts(file) if file.is_counts else _records(file)
    yield f"    mechanisms: [{', '.join(file.mechanisms)}]"
    releases_figure = "releases" if file.release == ALL else "survivors"
    accuracy = ", accuracy: 3" if file.target else ""
    yield f"    figures: {{{releases_figure}: 1, errors: 2{accuracy}}}"


def _text_settings(file: Description, *keys: str) -> Iterator[str]:
    """Yield a YAML line for each of these keys that is set; their values are texts."""
    for key in keys:
        if key in file.settings:
            yield f"{key}: {quoted(file.settings[key])}"


def _counts(file: Description) -> Iterator[str]:
    yield from (
        f"    {line}"
        for line in _text_settings(file, "counts", "sheet", "separator", "quote", "encoding")
    )
    yield "    factors:"
    for name, levels in file.settings["factors"].items():
        yield f"      {text(name)}: {_list(levels)}"
    yield from (
        f"    {line}" for line in _text_settings(file, "count", "wide", "decimal", "thousands")
    )
    if drop := file.settings.get("drop"):
        levels = ", ".join(f"{text(name)}: {_list(levels)}" for name, levels in drop.items())
        yield f"    drop: {{{levels}}} # totals of the other levels"
    yield f"    total: {file.total}"
    if "omitted" in file.settings:
        yield "    omitted: zero # combinations of levels without a row are empty cells"
    yield "    release: {total: private}"


def _records(file: Description) -> Iterator[str]:
    yield "    records:"
    lines = _text_settings(
        file, "file", "sheet", "separator", "quote", "encoding", "decimal", "thousands"
    )
    yield from (f"      {line}" for line in lines)
    yield f"      header: {'true' if file.settings['header'] else 'false'}"
    yield "      columns:"
    if file.offered:
        yield "        # lines that begin with # are left out; remove the # to use the column"
    has_header = file.settings["header"]
    for name, kind in file.kinds.items():
        note, form = f" # {kind.note}" if kind.note else "", _form(kind)
        if name not in file.offered:
            yield f"        {text(name)}: {form}{note}"
        elif has_header:
            yield f"        # {text(name)}: {form}{note}"
        else:  # all columns must be listed, in the file's order
            yield f"        {text(name)}: unused # or {form}{note}"
    if missing := file.settings["missing"]:
        yield f"      missing: {_list(missing)} # records with one of these are left out"
    if file.target:
        yield "      training: 2/3 # of the records make the histogram, the others are test records"
    if file.release == ALL:
        yield "    release: {kind: all, total: private} # all cells, including empty ones"
    else:
        yield f"    release: {{kind: {file.release}, total: private}} # {STABILITY_NOTE}"
    if file.target:
        yield from _classifier(file, file.target)


def _classifier(file: Description, target: str) -> Iterator[str]:
    is_listed = file.release == ALL
    cells = file.cells if is_listed else file.filled
    counts, tested = file.released, file.total - file.released
    seconds = release_seconds(cells, counts, listed=is_listed)
    points = len(EPSILONS) * len(file.mechanisms)
    repeats = trained_repeats(seconds * points, REPEATS)
    repeats_setting = f", repeats: {repeats}" if repeats < REPEATS else ""
    memory = classification_megabytes([cells, 0], min(cells, tested), counts) / 1000
    yield f"    classifier: {{target: {text(target)}{repeats_setting}}} # the classes to predict"
    yield f"    # training takes about {duration_text(seconds)} per release on one core,"
    yield f"    # {duration_text(seconds * points * repeats)} in all, and {memory:.1f} GB per job"


def _form(kind: Kind) -> str:
    """Return the form of a column as YAML."""
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
    """Return a number as YAML reads it; YAML would read 1e-05 as text."""
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}e{int(exponent):+d}"
