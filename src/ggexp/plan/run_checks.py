"""Checks before a run: its files, its folder of results, and warnings.

Relative paths refer to ``folder``, those of the paper's tables to ``project``, the Snakefile's.
"""

import os
import tempfile
import warnings
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from ggexp.experiment.keys import Configuration
from ggexp.mechanisms.rule_faults import MAX_EPSILON, faults
from ggexp.releases.point import GridPoint
from ggexp.run.manifest import Manifest

#: The results that cover all data sets of a run.
COMMON_RESULTS = ("summary.csv", "claims.csv", "manifest.json", "index.html")
#: The files of the paper's data sets, which are public.
PUBLIC = {"data/mildew.csv", "data/czech.csv", "data/downloads/adult.data"}


def check_files(config: Configuration, folder: Path, project: Path) -> None:
    """Raise ValueError if data files are missing, unless a rule downloads them."""
    fetched = {f"data/downloads/{name}" for name in config.download.files}
    problems = []
    for dataset, data in config.data.items():
        key = f"histograms.{dataset}.{'records.file' if data.records else 'counts'}"
        path, base, origin = data.source, folder, "folder in which snakemake is started"
        if path in PUBLIC:
            base, origin = project, "project"
        problem = f"no file {path!r} in {base}; this path is relative to the {origin}"
        if os.path.exists(base / path):  # False for names that are too long, unlike that of Path
            problem = f"must be a file, not a folder, a pipe or a device, got {path!r}"
        if path not in fetched and not os.path.isfile(base / path):
            problems.append(f"{key}: {problem}")
    if problems:
        raise ValueError("data files are missing:\n  " + "\n  ".join(problems))


def check_results_dir(config: Configuration, folder: Path, project: Path) -> None:
    """Raise ValueError if results would be written among the project's own files, or nowhere.

    Results contain the original counts, and git ignores only the folder ``results`` of the project.
    """
    given = config.results_dir
    try:
        home, results = project.resolve(), (folder / given).resolve()
        existing = next(path for path in (results, *results.parents) if path.exists())
        if existing != results or not results.is_dir():
            tempfile.TemporaryFile(dir=existing).close()
        for name in results.relative_to(existing).parts:
            (existing / name).exists()  # raises OSError if the name is too long
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise ValueError(f"results_dir: cannot be made ({reason}), got {given!r}") from error
    is_among = results.is_relative_to(home) and not results.is_relative_to(home / "results")
    if is_among or home.is_relative_to(results):
        raise ValueError(
            "results_dir: must be results, a folder in it such as results/mine, or a folder "
            f"outside the project ({home}), got {given!r}"
        )


def is_paper_run(config: Configuration, paper: Configuration) -> bool:
    """Return whether a run is the paper's experiment, or a part of it.

    A part may have fewer data sets or mechanisms, and different ε, δ and repeats.
    """
    used = {name for data in config.data.values() for name in data.mechanisms}
    ignored: dict[str, Any] = {"mechanisms": [], "figures": {}, "classifier": None}
    return (
        config.neighbours == paper.neighbours
        and all(config.mechanisms[name] == paper.mechanisms.get(name) for name in used)
        and all(
            name in paper.histograms
            and data.model_copy(update=ignored) == paper.histograms[name].model_copy(update=ignored)
            for name, data in config.data.items()
        )
    )


def check_overwriting(
    config: Configuration,
    manifest: Manifest,
    points: Iterable[str],
    planned: Iterable[str],
    changed: Collection[str] = (),
) -> None:
    """Raise ValueError if a run would replace the results of a larger run.

    A run is larger if it has data sets, ε or δ that this run lacks, or more repeats.

    manifest: in the folder of results. points, planned: the paths of the grid points and of the
    planned files. changed: data sets whose files have changed, so that their results are outdated.
    """
    if config.overwrite:
        return
    folder, planned = config.results_dir, {*planned}
    outputs = {f"{folder}/{name}" for name in manifest["outputs"]}
    # a manifest of version 0.2 has a file for each grid point instead
    files = (name.removesuffix(".parquet") for name in manifest["outputs"])
    of_points = [name.removeprefix("repeats/") for name in files if name.startswith("repeats/")]
    before, now = {*manifest.get("points", of_points)}, {*points}
    mechanisms = {point.rpartition("/")[0] for point in now}
    # a run without a mechanism is not smaller
    lost = sorted(
        point
        for point in before - now
        if point.rpartition("/")[0] in mechanisms and point.partition("/")[0] not in changed
    )
    missing = [f"grid points such as {lost[0]}"] if lost else []
    if manifest["repeats"] > config.repeats:
        missing.append(f"repeats: {manifest['repeats']:,} and not {config.repeats:,}")
    # files of a single data set do not replace results of others
    names = {point.partition("/")[0] for point in before} - {p.partition("/")[0] for p in now}
    if planned & {f"{folder}/{name}" for name in COMMON_RESULTS}:
        missing += [f"data sets: {', '.join(sorted(names))}"] if names else []
    elif not planned & outputs:
        return
    if missing:
        raise ValueError(
            f"{folder} holds the results of a larger run, with {'; '.join(missing)}: this run "
            "would replace them. Choose another folder (--config results_dir="
            f"{folder}/part), or allow it (--config overwrite=true, or make … OVERWRITE=yes)"
        )


def check_rules(points: Iterable[GridPoint]) -> None:
    """Raise ValueError if a calibration rule, or its family of noise, contradicts itself.

    Each rule is checked at the largest ε <= `MAX_EPSILON` of each order, where it is fastest.
    """
    checked = [point for point in points if point.epsilon <= MAX_EPSILON]
    largest: dict[Any, GridPoint] = {}
    for point in sorted(checked, key=lambda point: point.epsilon):
        largest[point.calibration, point.order] = point
    for (name, order), point in largest.items():
        with warnings.catch_warnings(action="ignore"):
            if found := faults(name, order=order, budget=point.budget):
                raise ValueError(
                    f"the noise of calibration {name!r} at epsilon = {point.epsilon!r} is wrong: "
                    f"{'; '.join(found)}. Correct the rule or the family of its noise"
                )


def warnings_of(config: Configuration) -> Iterator[str]:
    """Yield warnings about wrong interpretations of a run, for its user."""
    if own := [name for name, data in config.data.items() if data.source not in PUBLIC]:
        yield (
            f"a run is an experiment, not a release ({', '.join(own)}): the original counts can be "
            "computed from the numbers of a figure, n and the seed. If the counts are "
            "confidential, so are the results. ggexp sanitize makes a release"
        )
    if not_private := [name for name, data in config.data.items() if not data.is_private]:
        yield (
            f"only the non-empty cells of records are sanitized ({', '.join(not_private)}), which "
            "is not differentially private, because the list of these cells is published"
        )
