"""What is looked at before a run: its files, its folder, and what it must not be taken for."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ggexp.releases.kinds import is_private

#: Results that are about all data sets of a run.
WHOLE = ("summary.csv", "claims.csv", "manifest.json", "index.html")
DATASETS = "data sets:"
#: The files of the paper's data sets, which anybody may have.
PUBLIC = {"data/mildew.csv", "data/czech.csv", "data/downloads/adult.data"}


def check_files(config: Mapping[str, Any], folder: Path, project: Path) -> None:
    """Raise ValueError for each file of data that is not there and that no rule fetches.

    config: what `configuration.check` returned. folder: where relative paths begin.
    project: where the paths of the paper's tables begin.
    """
    fetched = {f"data/downloads/{name}" for name in config["download"]["files"]}
    problems = []
    for dataset in config["datasets"]:
        made = config["histograms"][dataset]
        key, path = f"histograms.{dataset}.counts", made.get("counts")
        if "records" in made:
            key, path = f"histograms.{dataset}.records.file", made["records"]["file"]
        start = project if path in PUBLIC else folder
        if path not in fetched and not (start / path).is_file():
            problems.append(
                f"{key}: no file {path!r} in {folder}; relative paths start in the folder in "
                "which snakemake is started"
            )
    if problems:
        raise ValueError("files of data are missing:\n  " + "\n  ".join(problems))


def check_results_dir(config: Mapping[str, Any], folder: Path, project: Path) -> None:
    """Raise ValueError where results would lie among the project's own files.

    They hold the original counts, and git ignores the folder ``results`` of the project alone.
    config: what `configuration.check` returned. folder: where relative paths begin.
    project: that of the Snakefile.
    """
    home, place = project.resolve(), (folder / config["results_dir"]).resolve()
    among = place.is_relative_to(home) and not place.is_relative_to(home / "results")
    if among or home.is_relative_to(place):
        raise ValueError(
            "results_dir: must be results, a folder in it such as results/mine, or a folder "
            f"outside the project ({home}), got {config['results_dir']!r}"
        )


def own_tables(config: Mapping[str, Any]) -> list[str]:
    """Return the data sets of a run that are none of the paper's."""
    made = {name: config["histograms"][name] for name in config["datasets"]}
    return [
        name
        for name, settings in made.items()
        if (settings.get("counts") or settings["records"]["file"]) not in PUBLIC
    ]


def is_papers(config: Mapping[str, Any], paper: Mapping[str, Any]) -> bool:
    """Return whether a run is the paper's experiment, or some of its points, repeats or data sets.

    config, paper: what `configuration.check` returned, of the run and of the paper's design.
    """
    made = [
        (config["histograms"][name], paper["histograms"].get(name)) for name in config["datasets"]
    ]
    used = {mechanism for settings, _ in made for mechanism in settings["mechanisms"]}
    others = {"mechanisms", "figures", "classifier"}
    return (
        config["neighbours"] == paper["neighbours"]
        and all(config["mechanisms"][name] == paper["mechanisms"].get(name) for name in used)
        and all(
            papers is not None
            and {key: settings[key] for key in settings if key not in others}
            == {key: papers[key] for key in papers if key not in others}
            for settings, papers in made
        )
    )


def check_overwriting(
    config: Mapping[str, Any],
    manifest: Mapping[str, Any],
    points: Iterable[str],
    planned: Iterable[str],
) -> None:
    """Raise ValueError if a run would replace results of more data sets, ε, δ or repeats.

    config: what `configuration.check` returned. manifest: the one that is in the folder of results.
    points: the path of each grid point of this run. planned: the files that it is to make, of which
    those about one data set alone replace nothing of others.
    """
    if config.get("overwrite", False):
        return
    folder, planned = config["results_dir"], {*planned}
    more = _more(manifest, [*points], config["repeats"])
    whole = planned & {f"{folder}/{name}" for name in WHOLE}
    listed = planned & {f"{folder}/{name}" for name in manifest["outputs"]}
    replaced = (whole and more) or (listed and {**more, DATASETS: []}) or {}
    if lost := [f"{what} {', '.join(values)}" for what, values in replaced.items() if values]:
        raise ValueError(
            f"{folder} holds the results of a larger run, with {'; '.join(lost)}: this run would "
            f"replace them. Choose another folder (--config results_dir={folder}/part), or allow "
            "it (--config overwrite=true, or make … OVERWRITE=yes)"
        )


def _more(manifest: Mapping[str, Any], points: list[str], repeats: int) -> dict[str, list[str]]:
    """Return the data sets, ε, δ and repeats that a manifest lists and a run lacks, as texts.

    The ε and δ are those of mechanisms that both have.
    """
    before = _axes(
        name.removeprefix("repeats/").removesuffix(".parquet")
        for name in manifest["outputs"]
        if name.startswith("repeats/")
    )
    now = _axes(points)
    more: dict[str, set[str]] = {DATASETS: {name for name, _ in before} - {name for name, _ in now}}
    for axis, name in enumerate(("ε =", "δ =")):
        pairs = before.keys() & now.keys()
        more[name] = {text for pair in pairs for text in before[pair][axis] - now[pair][axis]}
    found = {name: sorted(texts) for name, texts in more.items()}
    fewer = manifest["repeats"] > repeats
    return found | {"repeats:": [f"{manifest['repeats']:,} and not {repeats:,}"] if fewer else []}


def _axes(points: Iterable[str]) -> dict[tuple[str, str], tuple[set[str], set[str]]]:
    """Return data set and mechanism -> the texts of the ε and of the δ, of paths of grid points."""
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
    """Return what a run must not be taken for: sentences for whoever starts it, perhaps none.

    config: what `configuration.check` returned.
    """
    made = {name: config["histograms"][name] for name in config["datasets"]}
    with_records = [name for name, settings in made.items() if not is_private(settings)]
    messages = []
    if own := own_tables(config):
        messages.append(
            f"a run is an experiment, not a release ({', '.join(own)}): the original counts can be "
            "computed from the numbers of a figure, n and the seed. If the counts are "
            "confidential, so are the results. See docs/guide.md"
        )
    if with_records:
        messages.append(
            f"only the non-empty cells of records are sanitized ({', '.join(with_records)}), which "
            "is not differentially private. See docs/guide.md"
        )
    return messages
