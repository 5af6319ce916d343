"""The kinds of figures: each is a pair of modules of one package, found by their names.

``tabulate_…`` has a function ``tabulate``, which returns the numbers. ``draw_…`` has a function
``draw``, which draws them without further computation. The parameters of ``tabulate`` name its
inputs: tables of a data set's results, and settings of the run (ggexp.plan.figures lists
all of them). A parameter with a default is passed only if the run has this input. The package is
`ggexp.figures`, unless another one is named.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, NamedTuple

from ggexp.experiment.configuration import figures_of
from ggexp.experiment.messages import invalid
from ggexp.experiment.metrics import LISTED, METRICS, UNLISTED
from ggexp.releases.kinds import KINDS as RELEASES
from ggexp.releases.kinds import kind_of, name_of

TABULATE, DRAW = "tabulate", "draw"
#: Kinds that have an older name in configurations than in the file names of their modules.
MODULES = {"gains": "count_bias", "survivors": "retained_cells"}
_KIND_OF_MODULE = {module: kind for kind, module in MODULES.items()}
#: The package whose kinds configurations may name.
PACKAGE = "ggexp.figures"


class Numbered(NamedTuple):
    """A figure that needs no data set: its kind, its subject, and the package of the kind."""

    kind: str
    about: str
    package: str


def kinds_of(package: str) -> list[str]:
    """Return the names of all kinds of a package."""
    (folder,) = import_module(package).__path__
    stems = [file.stem for file in Path(folder).glob(f"{TABULATE}_*.py")]
    names = [stem.removeprefix(f"{TABULATE}_") for stem in stems]
    return sorted(_KIND_OF_MODULE.get(name, name) for name in names)


KINDS = kinds_of(PACKAGE)


def module(step: str, kind: str, package: str = PACKAGE) -> str:
    """Return the full name of a kind's module for a step, `TABULATE` or `DRAW`."""
    return f"{package}.{step}_{MODULES.get(kind, kind)}"


def reads(kind: str, package: str = PACKAGE) -> dict[str, bool]:
    """Return the inputs of a kind's function `tabulate`: name -> whether it is required."""
    tabulate = import_module(module(TABULATE, kind, package)).tabulate
    parameters = signature(tabulate).parameters.values()
    return {parameter.name: parameter.default is Parameter.empty for parameter in parameters}


def numbered(package: str = PACKAGE) -> dict[str, Numbered]:
    """Return the figures that need no data set, by number, from ``FIGURES`` in the modules."""
    modules = {kind: import_module(module(TABULATE, kind, package)) for kind in kinds_of(package)}
    return {
        number: Numbered(kind, about, package)
        for kind, tabulate_module in modules.items()
        for number, about in getattr(tabulate_module, "FIGURES", {}).items()
    }


def missing_tables(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables that a data set with these settings lacks, and the setting each needs.

    settings: as `ggexp.experiment.configuration.check` returns them.
    """
    release_kind = name_of(settings)
    listed = [name for name, kind in RELEASES.items() if kind.lists_cells]
    unlisted = [name for name in RELEASES if name not in listed]
    is_trained = bool(settings.get("classifier", {}).get("mechanisms"))
    training = "classifier, with the column to predict"
    if "classifier" in settings:
        training = "classifier.mechanisms, the mechanisms on whose releases classifiers are trained"
    synthesis = "synthetic, the methods to make records"
    requirements = {
        "histogram": (release_kind in listed, f"release.kind: {' or '.join(listed)}"),
        "retained": (release_kind in unlisted, f"release.kind: {' or '.join(unlisted)}"),
        "tally": ("records" in settings, "records"),
        **dict.fromkeys(("accuracy", "baseline"), (is_trained, training)),
        **dict.fromkeys(("synthetic", "gains"), ("synthetic" in settings, synthesis)),
    }
    return {table: setting for table, (is_met, setting) in requirements.items() if not is_met}


def dataset_kinds() -> list[str]:
    """Return the kinds of figures that a data set may have."""
    return sorted({*KINDS} - {figure.kind for figure in numbered().values()})


def check(config: Mapping[str, Any]) -> None:
    """Raise ValueError if a figure's kind is unknown, its number is taken, or its data are missing.

    config: as `ggexp.experiment.configuration.check` returns it. The message has a line for each
    mistake.
    """
    metrics = config["metrics"]
    reserved = (
        {int(number) for number in numbered() if number.isdigit()} if config["theory"] else ()
    )
    settings = {f"histograms.{name}": config["histograms"][name] for name in config["datasets"]}
    problems = [
        problem
        for key, histogram in settings.items()
        for problem in _problems(key, histogram, metrics, reserved)
    ]
    if problems := problems or [*_same_numbers(settings)]:
        raise invalid(*problems)


def _same_numbers(settings: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a message for each figure that has the number of an earlier one.

    settings: key of a data set in the configuration -> its settings.
    """
    numbers: dict[int, str] = {}
    for key, histogram in settings.items():
        for kind, number in figures_of(histogram).items():
            figure = f"{key}.figures.{kind}"
            if (earlier := numbers.setdefault(number, figure)) != figure:
                yield f"{figure}: {number} is also the number of {earlier}"


def _problems(
    key: str, settings: Mapping[str, Any], metrics: Iterable[str], reserved: Collection[int]
) -> Iterator[str]:
    """Yield a message for each figure that a data set cannot have.

    metrics: the metrics that figures show. reserved: the numbers of the theory figures.
    """
    missing, allowed = missing_tables(settings), dataset_kinds()
    releases = LISTED if kind_of(settings).lists_cells else UNLISTED
    for kind, number in settings.get("figures", {}).items():
        if kind not in allowed:
            yield f"unknown key in {key}.figures: {kind}; allowed: {', '.join(allowed)}"
        elif number is not None:
            if number in reserved:
                yield f"{key}.figures.{kind}: {number} is a figure of theory; set theory: false"
            inputs = reads(kind)
            needed = dict.fromkeys(missing[table] for table in missing if inputs.get(table))
            yield from (f"{key}.figures.{kind}: needs {key}.{setting}" for setting in needed)
            for metric in metrics if "metrics" in inputs else []:
                if not METRICS[metric].can_measure(releases):
                    yield (
                        f"{key}.figures.{kind}: shows {metric}, which cannot measure releases of "
                        f"{key}.release.kind: {name_of(settings)}; name other metrics"
                    )
