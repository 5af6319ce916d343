"""The kinds of figures, found by name: a kind is two modules of this folder.

``tabulate_…`` has a function ``tabulate``, which returns the numbers, and ``draw_…`` a function
``draw``, which draws them and computes nothing. The parameters of ``tabulate`` are what it reads:
tables of a data set's results, and settings of the run (workflow/rules/figures.smk has all of
them). A parameter with a default is passed only if the run has it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, NamedTuple

from ggexp.experiment.messages import invalid
from ggexp.experiment.metrics import LISTED, METRICS, UNLISTED
from ggexp.releases.kinds import KINDS as RELEASES
from ggexp.releases.kinds import kind_of, name_of

TABULATE, DRAW = "tabulate", "draw"
#: Kinds whose name in a configuration is older than that of their modules.
MODULES = {"gains": "count_bias", "survivors": "retained_cells"}
_NAMES = {module: kind for kind, module in MODULES.items()}
#: All kinds, by name.
KINDS = sorted(
    _NAMES.get(name, name)
    for file in Path(__file__).parent.glob(f"{TABULATE}_*.py")
    for name in [file.stem.removeprefix(f"{TABULATE}_")]
)


class Numbered(NamedTuple):
    """A figure that needs no data set: its kind, and what it is about."""

    kind: str
    about: str


def module(step: str, kind: str) -> str:
    """Return the name of the module that makes a kind's numbers, or its drawing."""
    return f"{__package__}.{step}_{MODULES.get(kind, kind)}"


def reads(kind: str) -> dict[str, bool]:
    """Return what the numbers of a kind are made of, by name, and whether they need it."""
    parameters = signature(import_module(module(TABULATE, kind)).tabulate).parameters.values()
    return {parameter.name: parameter.default is Parameter.empty for parameter in parameters}


def numbered() -> dict[str, Numbered]:
    """Return the figures that need no data set: what modules name in ``FIGURES``, by number."""
    modules = {kind: import_module(module(TABULATE, kind)) for kind in KINDS}
    return {
        number: Numbered(kind, about)
        for kind, tabulating in modules.items()
        for number, about in getattr(tabulating, "FIGURES", {}).items()
    }


def lacking(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables that a data set of these settings does not have, and what each needs.

    settings: as `ggexp.experiment.configuration.check` returns them.
    """
    released = name_of(settings)
    listed = [name for name, kind in RELEASES.items() if kind.lists_cells]
    unlisted = [name for name in RELEASES if name not in listed]
    is_trained = bool(settings.get("classifier", {}).get("mechanisms"))
    trained = "classifier, with the column to predict"
    if "classifier" in settings:
        trained = "classifier.mechanisms, those on whose releases classifiers are trained"
    made = "synthetic, how records are made"
    needed = {
        "histogram": (released in listed, f"release.kind: {' or '.join(listed)}"),
        "retained": (released in unlisted, f"release.kind: {' or '.join(unlisted)}"),
        "tally": ("records" in settings, "records"),
        **dict.fromkeys(("accuracy", "baseline"), (is_trained, trained)),
        **dict.fromkeys(("synthetic", "gains"), ("synthetic" in settings, made)),
    }
    return {table: setting for table, (there, setting) in needed.items() if not there}


def of_data() -> list[str]:
    """Return the kinds of which a data set may have a figure."""
    return sorted({*KINDS} - {figure.kind for figure in numbered().values()})


def check(config: Mapping[str, Any]) -> None:
    """Raise ValueError for figures of an unknown kind, with a number of theory, or without data.

    config: what `ggexp.experiment.configuration.check` returned. A line for each mistake.
    """
    shown = config["metrics"]
    taken = {int(number) for number in numbered() if number.isdigit()} if config["theory"] else ()
    problems = [
        problem
        for dataset in config["datasets"]
        for problem in _problems(
            f"histograms.{dataset}", config["histograms"][dataset], shown, taken
        )
    ]
    if problems:
        raise invalid(*problems)


def _problems(
    key: str, settings: Mapping[str, Any], shown: Iterable[str], taken: Collection[int]
) -> Iterator[str]:
    """Yield a message for each figure that a data set cannot have.

    shown: metrics. taken: numbers of figures of theory.
    """
    absent, known = lacking(settings), of_data()
    releases = LISTED if kind_of(settings).lists_cells else UNLISTED
    for kind, number in settings.get("figures", {}).items():
        if kind not in known:
            yield f"unknown key in {key}.figures: {kind}; allowed: {', '.join(known)}"
        elif number is not None:
            if number in taken:
                yield f"{key}.figures.{kind}: {number} is a figure of theory; set theory: false"
            read = reads(kind)
            needed = dict.fromkeys(absent[table] for table in absent if read.get(table))
            yield from (f"{key}.figures.{kind}: needs {key}.{setting}" for setting in needed)
            for metric in shown if "metrics" in read else []:
                if not METRICS[metric].can_measure(releases):
                    yield (
                        f"{key}.figures.{kind}: shows {metric}, which cannot measure releases of "
                        f"{key}.release.kind: {name_of(settings)}; name other metrics"
                    )
