"""Checks before a run: its files, its folder of results, and warnings.

In all functions, ``config`` is the result of `configuration.check`, ``folder`` the folder to which
relative paths refer, and ``project`` the folder of the Snakefile, to which the paths of the paper's
tables refer.
"""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ggexp.releases.kinds import is_private

#: The results that cover all data sets of a run.
COMMON_RESULTS = ("summary.csv", "claims.csv", "manifest.json", "index.html")
DATASETS = "data sets:"
#: The files of the paper's data sets, which are public.
PUBLIC = {"data/mildew.csv", "data/czech.csv", "data/downloads/adult.data"}


def check_files(config: Mapping[str, Any], folder: Path, project: Path) -> None:
    """Raise ValueError if data files are missing, unless a rule downloads them."""
    fetched = {f"data/downloads/{name}" for name in config["download"]["files"]}
    problems = []
    for dataset in config["datasets"]:
        settings = config["histograms"][dataset]
        key, path = f"histograms.{dataset}.counts", settings.get("counts")
        if "records" in settings:
            key, path = f"histograms.{dataset}.records.file", settings["records"]["file"]
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
    return [
        name
        for name, settings in histograms.items()
        if (settings.get("counts") or settings["records"]["file"]) not in PUBLIC
    ]


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
) -> None:
    """Raise ValueError if a run would replace the results of a larger run.

    A run is larger if it has data sets, ε or δ that this run lacks, or more repeats.

    manifest: the manifest in the folder of results. points: the path of each grid point of this
    run. planned: the planned files of this run. Files of a single data set do not replace results
    of other data sets.
    """
    if config.get("overwrite", False):
        return
    folder, planned = config["results_dir"], {*planned}
    missing = _missing(manifest, [*points], config["repeats"])
    common = planned & {f"{folder}/{name}" for name in COMMON_RESULTS}
    listed = planned & {f"{folder}/{name}" for name in manifest["outputs"]}
    replaced = (common and missing) or (listed and {**missing, DATASETS: []}) or {}
    if lost := [f"{axis} {', '.join(values)}" for axis, values in replaced.items() if values]:
        raise ValueError(
            f"{folder} holds the results of a larger run, with {'; '.join(lost)}: this run would "
            f"replace them. Choose another folder (--config results_dir={folder}/part), or allow "
            "it (--config overwrite=true, or make … OVERWRITE=yes)"
        )


def _missing(manifest: Mapping[str, Any], points: list[str], repeats: int) -> dict[str, list[str]]:
    """Return the data sets, ε, δ and repeats of a manifest that are missing in a run, as text.

    ε and δ are compared only for mechanisms that are in both the manifest and the run.
    """
    before = _axes(
        name.removeprefix("repeats/").removesuffix(".parquet")
        for name in manifest["outputs"]
        if name.startswith("repeats/")
    )
    now = _axes(points)
    missing: dict[str, set[str]] = {
        DATASETS: {name for name, _ in before} - {name for name, _ in now}
    }
    for axis, name in enumerate(("ε =", "δ =")):
        pairs = before.keys() & now.keys()
        missing[name] = {text for pair in pairs for text in before[pair][axis] - now[pair][axis]}
    texts = {name: sorted(values) for name, values in missing.items()}
    fewer = manifest["repeats"] > repeats
    return texts | {"repeats:": [f"{manifest['repeats']:,} and not {repeats:,}"] if fewer else []}


def _axes(points: Iterable[str]) -> dict[tuple[str, str], tuple[set[str], set[str]]]:
    """Return (data set, mechanism) -> sets of ε and of δ, as text, from paths of grid points."""
    axes: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
    for point in points:
        dataset, mechanism, label = point.split("/")
        epsilon, _, delta = label.partition("_")
        epsilons, deltas = axes.setdefault((dataset, mechanism), (set(), set()))
        epsilons.add(epsilon.removeprefix("epsilon-"))
        if delta:
            deltas.add(delta.removeprefix("delta-"))
    return axes


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
