"""Checks of a configuration, in messages for whoever wrote it."""

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from ggexp.experiment import release_settings
from ggexp.experiment.messages import explain, invalid
from ggexp.experiment.metrics import METRICS, SHOWN
from ggexp.experiment.resolve import read_scalars, spelled_out
from ggexp.mechanisms import calibration
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.kinds import kind_of

#: Mistakes that are told at once, and the characters of each.
TOLD, LENGTH = 20, 500
#: Jobs of a run. Snakemake plans this many within a minute, and a cluster's queue holds them.
JOBS = 20_000
#: Mechanisms of a data set that has figures: so many are told apart (ggexp.figures.style).
MECHANISMS_OF_A_FIGURE = 12
#: The files of the paper's data sets, which anybody may have.
PUBLIC = {"data/mildew.csv", "data/czech.csv", "data/downloads/adult.data"}

#: A schema's own integers have 5.0 among them, which neither range() nor a file's name takes.
Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def check(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration in which each data set has all of its settings.

    None is ``like`` another one, and the general ``kl`` and ``classifier`` are part of each, as far
    as it has none of its own. Text that stands for a number is that number there.
    config: the configuration as a mapping.
    schema: a JSON schema (draft 2020-12).
    Raises ValueError if the configuration breaks the schema, names what it does not define, or
    asks for too much. The message has a line for each mistake: the key, the value, what is allowed.
    """
    validator = Validator(schema)
    config = read_scalars(spelled_out(config), validator)
    errors = validator.iter_errors(config)
    problems = [explain(error) for error in sorted(errors, key=lambda e: list(map(str, e.path)))]
    # where the schema holds, what follows can rely on it
    if problems := problems or [*_not_finite("", config)] or [*_unknown_names(config)]:
        told = [p if len(p) <= LENGTH else f"{p[:LENGTH]} …" for p in problems[:TOLD]]
        if len(problems) > TOLD:
            told.append(f"and {len(problems) - TOLD:,} more")
        raise invalid(*told)
    config["histograms"] = {
        name: _completed(settings, config) for name, settings in config["histograms"].items()
    }
    _check_jobs(config)
    return config


def _completed(settings: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a data set's settings with what the general ``kl`` and ``classifier`` say of it."""
    completed = {**settings, "kl": config["kl"] | settings.get("kl", {})}
    if "classifier" in settings:
        general = {"mechanisms": settings["mechanisms"], **config["classifier"]}
        classifier = completed["classifier"] = general | settings["classifier"]
        repeats = config["repeats"]
        classifier["repeats"] = min(classifier["repeats"] or repeats, repeats)
    return completed


def metrics_of(config: Mapping[str, Any]) -> list[str]:
    """Return the metrics that figures show."""
    return [*config.get("metrics", SHOWN)]


def figures_of(histogram: Mapping[str, Any]) -> dict[str, int]:
    """Return kind -> number of the figures that a data set's settings ask for."""
    figures = histogram.get("figures", {}).items()
    return {kind: number for kind, number in figures if number is not None}


def check_files(config: Mapping[str, Any], folder: Path) -> None:
    """Raise ValueError for each file of data that is not there and that no rule fetches.

    config: what `check` returned. folder: where relative paths begin.
    """
    fetched = {f"data/downloads/{name}" for name in config["download"]["files"]}
    problems = []
    for dataset in config["datasets"]:
        made = config["histograms"][dataset]
        key, path = f"histograms.{dataset}.counts", made.get("counts")
        if "records" in made:
            key, path = f"histograms.{dataset}.records.file", made["records"]["file"]
        if path not in fetched and not (folder / path).is_file():
            problems.append(
                f"{key}: no file {path!r} in {folder}; a relative path begins in the folder in "
                "which snakemake is started"
            )
    if problems:
        raise ValueError("files of data are missing:\n  " + "\n  ".join(problems))


def check_results_dir(config: Mapping[str, Any], folder: Path, project: Path) -> None:
    """Raise ValueError where results would lie among the project's own files.

    They hold the original counts, and git ignores the folder ``results`` of the project alone.
    config: what `check` returned. folder: where relative paths begin. project: of the Snakefile.
    """
    home, place = project.resolve(), (folder / config["results_dir"]).resolve()
    among = place.is_relative_to(home) and not place.is_relative_to(home / "results")
    if among or home.is_relative_to(place):
        raise ValueError(
            "results_dir: must be results, a folder in it such as results/mine, or a folder "
            f"outside of the project, which is {home}, got {config['results_dir']!r}"
        )


def own_tables(config: Mapping[str, Any]) -> list[str]:
    """Return the data sets of a run that are none of the paper's, of what `check` returned."""
    made = {name: config["histograms"][name] for name in config["datasets"]}
    return [
        name
        for name, settings in made.items()
        if (settings.get("counts") or settings["records"]["file"]) not in PUBLIC
    ]


def cautions(config: Mapping[str, Any]) -> list[str]:
    """Return what a run must not be taken for: sentences for whoever starts it, perhaps none.

    config: what `check` returned.
    """
    made = {name: config["histograms"][name] for name in config["datasets"]}
    with_records = [
        name
        for name, settings in made.items()
        if "records" in settings and kind_of(settings).lists_cells
    ]
    told = []
    if own := own_tables(config):
        told.append(
            f"a run is an experiment, not a release ({', '.join(own)}): from the numbers of a "
            "figure, n and the seed, the original counts can be computed. If they are "
            "confidential, so are the results. See docs/guide.md"
        )
    if with_records:
        told.append(
            f"only the non-empty cells of records are sanitized ({', '.join(with_records)}), which "
            "is not differentially private. See docs/guide.md"
        )
    return told


def _not_finite(key: str, value: Any) -> Iterator[str]:
    """Yield a message for each NaN and infinity, which a schema's bounds do not all catch."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _not_finite(f"{key}.{name}".lstrip("."), part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _not_finite(f"{key}[{i}]", part)
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{key}: must be a finite number, got {value!r}"


def _unknown_names(config: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each data set, mechanism, rule or metric that is used but not defined."""
    yield from _alike("mechanisms", config["mechanisms"])
    yield from _alike("histograms", config["histograms"])
    for name, mechanism in config["mechanisms"].items():
        try:
            Mechanism(**{"order": None, **mechanism})
        except ValueError as error:
            yield f"mechanisms.{name}: {error}"
    yield from (
        f"metrics: unknown metric {name!r}, known are: {', '.join(METRICS)}"
        for name in metrics_of(config)
        if name not in METRICS
    )
    figures: dict[int, str] = {}
    for dataset in config["datasets"]:
        if dataset not in config["histograms"]:
            known = ", ".join(config["histograms"])
            yield f"datasets: unknown data set {dataset!r}, defined in histograms are: {known}"
            continue
        histogram = config["histograms"][dataset]
        for mechanism in histogram["mechanisms"]:
            if mechanism not in config["mechanisms"]:
                known = ", ".join(config["mechanisms"])
                yield (
                    f"histograms.{dataset}.mechanisms: unknown mechanism {mechanism!r}, defined in "
                    f"mechanisms are: {known}"
                )
            elif config["neighbours"] == "replace-one":
                # two cells move by one: at other orders no single sensitivity says what that costs
                if (order := config["mechanisms"][mechanism].get("order")) not in (1, 2):
                    yield (
                        f"histograms.{dataset}.mechanisms: {mechanism!r} is of order {order!r}; "
                        "with neighbours: replace-one only the orders 1 and 2 have a scale"
                    )
        yield from _clashing_files(dataset, config)
        yield from _not_drawable(dataset, histogram)
        yield from release_settings.problems(dataset, config)
        for kind, number in figures_of(histogram).items():
            key = f"histograms.{dataset}.figures.{kind}"
            if number in figures:
                yield f"{key}: {number} is also the number of {figures[number]}"
            figures[number] = key


def _alike(key: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a message for each name that differs from an earlier one in case alone."""
    seen: dict[str, str] = {}
    for name in names:
        if (other := seen.setdefault(name.casefold(), name)) != name:
            yield (
                f"{key}.{name}: differs from {other!r} in upper and lower case alone; some systems "
                "take their files for the same, so choose another name"
            )


def _clashing_files(dataset: str, config: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message where a data set's histogram is stored as another's test records are."""
    for other in config["datasets"]:
        is_records = "records" in config["histograms"].get(other, {})
        if is_records and f"{other}_test".casefold() == dataset.casefold():
            yield (
                f"datasets: {dataset!r} is what the test records of {other!r} are stored as; "
                "choose another name"
            )


def _not_drawable(dataset: str, settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each figure that a data set of these settings cannot have."""
    figures, mechanisms = figures_of(settings), settings["mechanisms"]
    key = f"histograms.{dataset}"
    if figures and len(mechanisms) > MECHANISMS_OF_A_FIGURE:
        yield (
            f"{key}.mechanisms: a figure can tell {MECHANISMS_OF_A_FIGURE} apart, got "
            f"{len(mechanisms)}; share them out between this data set and others that are like it, "
            "or use one like it that has no figures"
        )


def _check_jobs(config: Mapping[str, Any]) -> None:
    """Raise ValueError where a design has more than `JOBS` jobs, and say what to change.

    config: one in which each data set has all of its settings.
    """
    uses_delta = {
        name: calibration.rule(mechanism["calibration"]).uses_delta
        for name, mechanism in config["mechanisms"].items()
    }
    lines, jobs = [], 0
    for dataset in config["datasets"]:
        settings = config["histograms"][dataset]
        points = {
            name: len(config["epsilon"])
            * (len(config["delta"]) if uses_delta[name] or kind_of(settings).uses_delta else 1)
            for name in settings["mechanisms"]
        }
        classifier = settings.get("classifier", {"mechanisms": [], "repeats": 0})
        of_machines = sum(points[name] for name in classifier["mechanisms"])
        parts = -(-classifier["repeats"] // config["execution"]["repeats_per_job"])
        trained = parts * of_machines
        total = sum(points.values())
        jobs += total + trained
        line = f"{dataset}: {total:,} grid points, {trained:,} of machines"
        if "synthetic" in settings:  # a job to make records, and one to train on them
            of_records = total + of_machines
            jobs += of_records
            line += f", {of_records:,} of synthetic records"
        lines.append(line)
    if jobs > JOBS:
        raise ValueError(
            f"the design has {jobs:,} jobs, at most {JOBS:,} are allowed ({'; '.join(lines)}). "
            "Take fewer values of epsilon or delta, fewer mechanisms or data sets in a run, or a "
            "larger execution.repeats_per_job"
        )
