"""The plan of a run: its configuration, its data sets, and the files and code of its jobs."""

import json
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ggexp.experiment import configuration
from ggexp.experiment.design import grid
from ggexp.experiment.keys import Configuration
from ggexp.figures import catalog
from ggexp.plan import run_checks
from ggexp.plan.data_set import DataSet, TrainingResources, families
from ggexp.plan.figures import OF_ALL, Figures
from ggexp.releases.point import PointParameters
from ggexp.run.descriptions import described
from ggexp.run.fingerprint import fingerprint, store
from ggexp.run.manifest import Manifest, hash_configuration
from ggexp.run.project import ROOT, name_of, paper_design
from ggexp.run.source import check_source, has_changed
from ggexp.run.storage import check_results, check_sha256, check_writable, sha256
from ggexp.run.templates import TableText
from ggexp.run.written import check_written
from ggexp.section import NOT_IN_PATHS, PATH, Settings

#: Scripts that write pages and descriptions, and the audit. The manifest leaves them out.
LEFT_OUT = {"audit.py", "write_archive.py", "write_index.py"}
#: A module that `tabulate.py` imports by its name: it orders tables.
SUMMARY = "ggexp.experiment.summary"
#: Table -> its file relative to the results, and its title; its caption is in files.yaml.
TABLES = {
    "claims": ("claims.csv", "The paper's claims"),
    "synthetic": ("synthetic/claims.csv", "Claims on synthetic records"),
    "guarantees": ("guarantees/claims.csv", "Claims of other texts"),
    "audit": ("guarantees/audit.csv", "Audit of the releases"),
    "summary": ("summary.csv", "Summary of the repeats"),
    "scales": ("scales.csv", "Scales of the noise"),
    "baseline": ("baseline.csv", "Accuracy without noise"),
    "tally": ("histograms/{}_tally.csv", "Records of the {} data"),
}


@cache  # called for the same script by many jobs
def fingerprint_of(script: str, *modules: str) -> str:
    """Return a fingerprint of the library code on which a script's results depend, and modules.

    script: in workflow/scripts. modules: those whose names are in the script's parameters, and that
        it therefore imports without an import statement. A job fails if one is missing here.
    """
    return " ".join([fingerprint(ROOT / "workflow/scripts" / script, also=modules), *modules])


def relative(path: Path) -> Path:
    """Return a path, relative to the working directory if it is in this folder."""
    path = path.resolve()
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def configured(changes: Settings) -> Configuration:
    """Return the checked configuration of the paper's design with changes, see `merged`."""
    return configuration.check(configuration.merged(paper_design(), changes))


@dataclass(frozen=True)
class Plan:
    """What a run makes. Rules call its methods, and pass them as functions of wildcards.

    config: checked. project: the folder of the project's files, which is not the working directory
        if the workflow is installed, or imported by another one. data: name -> data set, in the
        order of the results. notes: warnings for the user.
    """

    config: Configuration
    project: Path
    data: Mapping[str, DataSet]
    notes: Sequence[str]

    @classmethod
    def of(cls, changes: Settings, files: Iterable[Path] = ()) -> "Plan":
        """Return the plan of a run in the working directory.

        changes: as for `configured`. files: the files that state them, whose text is checked too.
        The noise is calibrated here, so that a job reruns if its noise changes. No data are read.
        """
        for file in files:
            check_written(file)
        config, project = configured(changes), relative(ROOT)
        if not re.fullmatch(PATH, str(project)):
            raise ValueError(f"{project}: must be a path without {NOT_IN_PATHS}; move the project")
        catalog.check(config)
        run_checks.check_results_dir(config, Path.cwd(), project)
        with warnings.catch_warnings(record=True) as caught:
            noisy = grid(config)
        data = {
            name: DataSet(name, config.data[name], points, project, config.results_dir)
            for name, points in noisy.items()
        }
        notes = dict.fromkeys(str(warning.message) for warning in caught)
        return cls(config, project, data, [*notes, *run_checks.warnings_of(config)])

    def check_start(self) -> Iterator[str]:
        """Yield notes for the user before a run, and store the fingerprints of all code.

        Raises ValueError for missing data, damaged results and downloads, and wrong noise.
        """
        run_checks.check_files(self.config, Path.cwd(), self.project)
        store()
        run_checks.check_rules(noisy.point for data in self.data.values() for noisy in data.noisy)
        for path, expected in self.downloads.items():
            if Path(path).exists():
                check_sha256(path, expected, "Delete the file, and the next run fetches it")
        if unknown := check_results(Path(self.results)):
            yield (
                f"{len(unknown)} results have no checksum, for example {unknown[0]}: damage to "
                "them is not noticed. The run makes them again if you delete them"
            )
        yield from self.notes

    def check_planned(self, planned: Collection[str]) -> None:
        """Raise ValueError if planned files replace the results of other data or of a larger run.

        Raises OSError if a file could not be written.
        """
        for histogram, file in self.sources.items() if not self.config.overwrite else ():
            advice = (
                f"Choose another folder (--config results_dir={self.results}-2), or allow it "
                "(--config overwrite=true)"
            )
            check_source(histogram, file, advice)
        if existing := self._manifest:
            changed = [
                Path(histogram).stem
                for histogram, file in self.sources.items()
                if file not in self.downloads and has_changed(histogram, file)
            ]
            run_checks.check_overwriting(self.config, existing, self.points, planned, changed)
        check_writable(planned)

    def check_touched(self, jobs: Iterable[tuple[Iterable[str], Iterable[str]]]) -> None:
        """Raise ValueError if `--touch` would declare outdated results up to date.

        Results are outdated if they are those of another design, or if a file is missing from which
        they are made. jobs: the inputs and outputs of each planned job.
        """
        problem, existing = "", self._manifest
        if existing and existing["configuration"] != hash_configuration(self.config.written()):
            problem = f"{self.results} has the results of another design"
        for inputs, outputs in jobs if not problem else ():
            missing = [path for path in inputs if not Path(path).exists()]
            if missing and (touched := [path for path in outputs if Path(path).exists()]):
                problem = f"{missing[0]} is missing, from which {touched[0]} is made"
        if problem:
            raise ValueError(f"{problem}: --touch would hide this. Run without --touch")

    @property
    def _manifest(self) -> Manifest | None:
        """The manifest in the folder of results, None if there is none."""
        file = Path(self.results, "manifest.json")
        return json.loads(file.read_text("utf-8")) if file.exists() else None

    @property
    def results(self) -> str:
        """The folder of the results."""
        return self.config.results_dir

    @property
    def is_paper(self) -> bool:
        """Whether the run is the paper's experiment, or a part of it."""
        return run_checks.is_paper_run(self.config, configured({}))

    @property
    def is_preview(self) -> bool:
        """Whether the run is the paper's experiment with fewer repeats."""
        return self.is_paper and self.config.repeats < configured({}).repeats

    def having(self, key: str) -> list[str]:
        """Return the data sets with a key, such as counts, records, classifier or synthetic."""
        return [name for name, data in self.data.items() if getattr(data.settings, key, None)]

    @cached_property
    def own(self) -> list[str]:
        """The user's own data sets."""
        return [name for name, data_set in self.data.items() if data_set.is_own]

    @property
    def subjects(self) -> dict[str, dict[str, object]]:
        """Data set -> the facts on which its recommendation depends."""
        return {
            name: data_set.facts(self.config.neighbours) for name, data_set in self.data.items()
        }

    @cached_property
    def points(self) -> dict[str, PointParameters]:
        """The path of each grid point -> its parameters, which jobs receive."""
        return {path: point for data in self.data.values() for path, point in data.points.items()}

    @property
    def modules(self) -> list[str]:
        """The modules of all noise, and of the kinds of release of the user's own data sets."""
        of_own = (module for name in self.own for module in self.data[name].modules())
        return sorted({*families(self.points.values()), *of_own})

    def point(self, wildcards: Any) -> PointParameters:
        """Return the parameters of a job's grid point."""
        return self.points[f"{wildcards.dataset}/{wildcards.mechanism}/{wildcards.point}"]

    @cached_property
    def downloads(self) -> dict[str, str]:
        """Path -> sha256 of each file that a rule fetches."""
        files = self.config.download.files.items()
        return {f"data/downloads/{name}": file.sha256 for name, file in files}

    @cached_property
    def sources(self) -> dict[str, str]:
        """Stored histogram -> the data file from which it is made."""
        return {path: data.file for data in self.data.values() for path in data.files("counts")}

    def origin(self, file: str) -> dict[str, str]:
        """Return the name and the sha256 of a data file, which may not have been fetched yet."""
        return {"file": name_of(Path(file)), "sha256": self.downloads.get(file) or sha256(file)}

    @cached_property
    def figures(self) -> Figures:
        """The figures of the run."""
        return Figures(self.config, self.project, self.data)

    @cached_property
    def training(self) -> TrainingResources:
        """The resources of jobs that train classifiers."""
        return TrainingResources(self.data, self.config.execution.shared_files)

    def measured(self, measurement: str, dataset: str) -> list[str]:
        """Return the files of a data set's repeats: "accuracy", or everything about "records"."""
        data_set = self.data[dataset]
        if measurement == "records":
            trained = (point.path for point in data_set.trained_points)
            accuracies = (f"{self.results}/synthetic/accuracy/{path}.parquet" for path in trained)
            return [*data_set.files("synthetic errors"), *accuracies]
        return [
            path
            for part in data_set.trained_parts(self.config.execution)
            for path in self.parts(f"accuracy/{dataset}/{part}", data_set.trained_repeats)
        ]

    @property
    def is_divided(self) -> bool:
        """Whether several jobs measure the errors of a data set."""
        return self.config.repeats > self.config.execution.repeats_per_job

    def parts(self, folder: str, repeats: int) -> list[str]:
        """Return the files of so many repeats, one for each job."""
        step = self.config.execution.repeats_per_job
        return [
            f"{self.results}/{folder}/repeats-{first}-{min(first + step, repeats) - 1}.parquet"
            for first in range(0, repeats, step)
        ]

    def files(self, *tables: str) -> list[str]:
        """Return the files of these tables (`ggexp.plan.data_set.FILES`) of all data sets."""
        return [
            path for table in tables for data in self.data.values() for path in data.files(table)
        ]

    @cached_property
    def merged(self) -> dict[str, list[str]]:
        """Merged table -> the tables that it merges."""
        return {
            "baseline": self.files("baseline"),
            "synthetic/marginals": self.files("synthetic marginals"),
        }

    @cached_property
    def fingerprints(self) -> dict[str, str]:
        """Script -> the fingerprint of its code, for all scripts that write results."""
        scripts = {path.name for path in (ROOT / "workflow/scripts").glob("*.py")} - LEFT_OUT
        modules = {figure.module("tabulate") for figure in self.figures.of(*OF_ALL)}
        also = {"tabulate.py": {SUMMARY, *modules}}
        return {
            name: fingerprint_of(name, *also.get(name, ())).split()[0] for name in sorted(scripts)
        }

    @cached_property
    def compared_files(self) -> list[str]:
        """The files in the manifest, which do not depend on how a run is divided into jobs.

        The summary shows a change in the accuracy of each repeat, which is in one file per job.
        """
        results, synthetic = self.results, self.files("synthetic")
        return [
            f"{results}/scales.csv",
            f"{results}/summary.csv",
            *self.baseline,
            *self.files("histogram", "repeated errors"),
            *self.figures.files(self.figures.of(*OF_ALL), "csv"),
            *([f"{results}/synthetic/marginals.csv"] if synthetic else []),
            *synthetic,
        ]

    @cached_property
    def all_tables(self) -> list[str]:
        """Every table that the target `all` makes, and the folders of synthetic records."""
        results = self.results
        verdicts = [f"{table}{end}" for table in self.verdicts for end in ("", "_compared")]
        return [
            *self.compared_files,
            *self.files("errors", "accuracy", "equal", "tally", "test", "count_bias"),
            *self.files("synthetic records"),
            *(path for files in self.merged.values() for path in files),
            *(
                path
                for name in self.having("classifier")
                for path in self.measured("accuracy", name)
            ),
            *(path for name in self.having("synthetic") for path in self.measured("records", name)),
            *(
                f"{results}/{table}.csv"
                for table in ("recommendation", "needed_epsilon", *verdicts)
            ),
            *(f"{results}/margins/{name}.csv" for name in self.own),
            *(f"{results}/contents/{name}.json" for name in self.own),
        ]

    @property
    def baseline(self) -> list[str]:
        """The file of the accuracies without noise, if classifiers are trained."""
        return [f"{self.results}/baseline.csv"] if self.having("classifier") else []

    def shown(self, *names: str) -> list[TableText]:
        """Return source, title and caption of the tables of `TABLES` that the run has, for pages.

        The name "tally" stands for the tallies of all data sets of records.
        """
        is_missing = {
            "claims": "claims" not in self.verdicts,
            "synthetic": "synthetic/claims" not in self.verdicts,
            "baseline": not self.having("classifier"),
        }
        return [
            {
                "source": source.format(dataset),
                "title": title.format(dataset),
                "caption": description.contents.replace("`", ""),
            }
            for name in names
            if not is_missing.get(name)
            for source, title in [TABLES[name]]
            for dataset in (self.having("records") if name == "tally" else [""])
            if (description := described().find(source.format(dataset), {}))
        ]

    @cached_property
    def verdicts(self) -> list[str]:
        """The tables of verdicts that the target `all` makes."""
        # the paper has no claims about other tables
        is_about_paper = self.config.theory or len(self.own) < len(self.data)
        is_synthetic = self.having("synthetic") or self.figures.of_kind("mode")
        return ["claims"] * bool(is_about_paper) + ["synthetic/claims"] * bool(is_synthetic)

    @property
    def claim_parameters(self) -> list[str] | None:
        """The parameters of which a claim must have one in order to be checked (None: all claims).

        Without theory, it must name a data set; with data of the paper, a mechanism is enough.
        """
        if self.config.theory:
            return None
        mechanisms = ["mechanism", "mechanisms"] * (len(self.own) < len(self.data))
        return ["dataset", "datasets", *mechanisms]
