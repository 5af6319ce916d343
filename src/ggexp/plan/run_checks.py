"""Checks before a run: its files, its folder of results, and warnings.

In all functions, ``config`` is the result of `configuration.check`, ``folder`` the folder to which
relative paths refer, and ``project`` the folder of the Snakefile, to which the paths of the paper's
tables refer.
"""

import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from ggexp.releases.kinds import is_private

#: The results that cover all data sets of a run.
COMMON_RESULTS = ("summary.csv", "claims.csv", "manifest.json", "index.html")
#: The files of the paper's data sets, which are public.
PUBLIC = {"data/mildew.csv", "data/czech.csv", "data/downloads/adult.data"}


def check_files(config: Mapping[str, Any], folder: Path, project: Path) -> None:
    """Raise ValueError if data files are missing, unless a rule downloads them."""
    fetched = {f"data/downloads/{name}" for name in config["download"]["files"]}
    problems = []
    for dataset in config["datasets"]:
        settings = config["histograms"][dataset]
        key, path = f"histograms.{dataset}.counts", data_file(settings)
        if "records" in settings:
            key = f"histograms.{dataset}.records.file"
        base, origin = folder, "folder in which snakemake is started"
        if path in PUBLIC:
            base, origin = project, "project"
        if path not in fetched and (problem := _unusable(path, base, origin)):
            problems.append(f"{key}: {problem}")
    if problems:
        raise ValueError("data files are missing:\n  " + "\n  ".join(problems))


def _unusable(path: str, base: Path, origin: str) -> str | None:
    """Return why a path, relative to a folder, names no file of data; None if it names one."""
    try:
        if (base / path).is_file():
            return None
        if (base / path).exists():
            return f"must be a file, not a folder, a pipe or a device, got {path!r}"
    except OSError as error:  # for example a name that is too long
        return f"no file {path!r} ({error.strerror})"
    return f"no file {path!r} in {base}; this path is relative to the {origin}"


def check_results_dir(config: Mapping[str, Any], folder: Path, project: Path) -> None:
    """Raise ValueError if results would be written among the project's own files, or nowhere.

    Results contain the original counts, and git ignores only the folder ``results`` of the project.
    """
    given = config["results_dir"]
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


def own_tables(config: Mapping[str, Any]) -> list[str]:
    """Return the data sets of a run that are not from the paper."""
    histograms = {name: config["histograms"][name] for name in config["datasets"]}
    return [name for name, settings in histograms.items() if data_file(settings) not in PUBLIC]


def data_file(settings: Mapping[str, Any]) -> str:
    """Return the path of a data set's file, as its settings have it."""
    path: str = settings.get("counts") or settings["records"]["file"]
    return path


def is_paper_run(config: Mapping[str, Any], paper: Mapping[str, Any]) -> bool:
    """Return whether a run is the paper's experiment, or a part of it.

    A part may have fewer data sets or mechanisms, and different ε, δ and repeats. config, paper:
    the results of `configuration.check` for the run and for the paper's design.
    """
    pairs = [
        (config["histograms"][name], paper["histograms"].get(name)) for name in config["datasets"]
    ]
    used = {mechanism for settings, _ in pairs for mechanism in settings["mechanisms"]}
    ignored = {"mechanisms", "figures", "classifier"}
    return (
        config["neighbours"] == paper["neighbours"]
        and all(config["mechanisms"][name] == paper["mechanisms"].get(name) for name in used)
        and all(
            expected is not None
            and {key: settings[key] for key in settings if key not in ignored}
            == {key: expected[key] for key in expected if key not in ignored}
            for settings, expected in pairs
        )
    )


def check_overwriting(
    config: Mapping[str, Any],
    manifest: Mapping[str, Any],
    points: Iterable[str],
    planned: Iterable[str],
    changed: Collection[str] = (),
) -> None:
    """Raise ValueError if a run would replace the results of a larger run.

    A run is larger if it has data sets, ε or δ that this run lacks, or more repeats.

    manifest: the manifest in the folder of results. points: the path of each grid point of this
    run. planned: the planned files of this run. Files of a single data set do not replace results
    of other data sets. changed: data sets whose files have changed, so that all their results are
    outdated.
    """
    if config.get("overwrite", False):
        return
    folder, planned = config["results_dir"], {*planned}
    outputs = {f"{folder}/{name}" for name in manifest["outputs"]}
    files = {name.removesuffix(".parquet") for name in manifest["outputs"]}
    before = {name.removeprefix("repeats/") for name in files if name.startswith("repeats/")}
    now = {*points}
    mechanisms = {point.rpartition("/")[0] for point in now}
    # a run without a mechanism is not smaller
    lost = sorted(
        point
        for point in before - now
        if point.rpartition("/")[0] in mechanisms and point.partition("/")[0] not in changed
    )
    missing = [f"grid points such as {lost[0]}"] if lost else []
    if manifest["repeats"] > config["repeats"]:
        missing.append(f"repeats: {manifest['repeats']:,} and not {config['repeats']:,}")
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


def warnings_of(config: Mapping[str, Any]) -> list[str]:
    """Return warnings about wrong interpretations of a run, for its user."""
    histograms = {name: config["histograms"][name] for name in config["datasets"]}
    not_private = [name for name, settings in histograms.items() if not is_private(settings)]
    messages = []
    if own := own_tables(config):
        messages.append(
            f"a run is an experiment, not a release ({', '.join(own)}): the original counts can be "
            "computed from the numbers of a figure, n and the seed. If the counts are "
            "confidential, so are the results. See docs/guide.md"
        )
    if not_private:
        messages.append(
            f"only the non-empty cells of records are sanitized ({', '.join(not_private)}), which "
            "is not differentially private. See docs/guide.md"
        )
    return messages
