"""What is looked at before a run: its files, its folder, and what it must not be taken for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ggexp.releases.kinds import is_private

#: The files of the paper's data sets, which anybody may have.
PUBLIC = {"data/mildew.csv", "data/czech.csv", "data/downloads/adult.data"}


def check_files(config: Mapping[str, Any], folder: Path) -> None:
    """Raise ValueError for each file of data that is not there and that no rule fetches.

    config: what `configuration.check` returned. folder: where relative paths begin.
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
    config: what `configuration.check` returned. folder: where relative paths begin.
    project: that of the Snakefile.
    """
    home, place = project.resolve(), (folder / config["results_dir"]).resolve()
    among = place.is_relative_to(home) and not place.is_relative_to(home / "results")
    if among or home.is_relative_to(place):
        raise ValueError(
            "results_dir: must be results, a folder in it such as results/mine, or a folder "
            f"outside of the project, which is {home}, got {config['results_dir']!r}"
        )


def own_tables(config: Mapping[str, Any]) -> list[str]:
    """Return the data sets of a run that are none of the paper's."""
    made = {name: config["histograms"][name] for name in config["datasets"]}
    return [
        name
        for name, settings in made.items()
        if (settings.get("counts") or settings["records"]["file"]) not in PUBLIC
    ]


def warnings_of(config: Mapping[str, Any]) -> list[str]:
    """Return what a run must not be taken for: sentences for whoever starts it, perhaps none.

    config: what `configuration.check` returned.
    """
    made = {name: config["histograms"][name] for name in config["datasets"]}
    with_records = [name for name, settings in made.items() if not is_private(settings)]
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
