"""The figures of a run: their files, the inputs and code of their jobs, and their captions."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from ggexp.companions.figures.catalog import NUMBERED as OF_COMPANIONS
from ggexp.experiment.keys import Configuration
from ggexp.experiment.metrics import METRICS
from ggexp.figures import catalog
from ggexp.plan.data_set import FILES, DataSet, families
from ggexp.run.templates import FigureText, SectionText, caption

Known = TypeVar("Known")

#: The groups in the order of a run's figures -> the section in the report; a data set has its own.
SECTIONS = {
    catalog.THEORY: "Theory",
    catalog.DATA: "",
    catalog.DATA_SETS: "All data sets",
    catalog.SUPPLEMENT: "Supplement",
    catalog.READINGS: "Readings of the paper",
}
#: The groups that the target `all` makes.
OF_ALL = (catalog.THEORY, catalog.DATA, catalog.DATA_SETS)
#: A mechanism that the figures of two of the paper's data sets have only in this project.
ADDED, ADDED_TO = "ggm-3", ("czech", "adult")


class PlannedFigure(NamedTuple):
    """A figure: its number such as "07" or "s3", its functions and what they read.

    Figures of a data set have its name and their kind in addition.
    """

    number: str
    made: catalog.Figure
    dataset: str = ""
    kind: str = ""

    @property
    def group(self) -> str:
        """The group, one of `SECTIONS`."""
        return catalog.DATA if self.dataset else self.made.group

    @property
    def section(self) -> str:
        """The section of the report with this figure."""
        return SECTIONS[self.group] or self.dataset.capitalize()

    @property
    def name(self) -> str:
        """The name, such as Figure 7 or Figure S3."""
        return f"Figure {self.number.upper().lstrip('0')}"

    @property
    def title(self) -> str:
        """The name, and the subject or the kind."""
        return f"{self.name}: {self.kind or self.made.about}"

    def module(self, step: Literal["tabulate", "draw"]) -> str:
        """Return the module of the function for a step."""
        return self.made.function(step).rpartition(".")[0]

    def read(self, known: Mapping[str, Known]) -> dict[str, Known]:
        """Return those of the known tables or settings that the figure reads."""
        names = [*self.made.reads, *self.made.optional]
        return {name: known[name] for name in names if name in known}


@dataclass(frozen=True)
class Figures:
    """The figures of a run. The attributes are those of `Plan`."""

    config: Configuration
    project: Path
    data: Mapping[str, DataSet]

    @cached_property
    def all(self) -> dict[str, PlannedFigure]:
        """Number -> figure, in the order of their groups in `SECTIONS`."""
        present = {
            catalog.THEORY: self.config.theory,
            catalog.READINGS: bool(self.config.multiverse),
        }
        numbered = catalog.NUMBERED | OF_COMPANIONS
        # F1 follows S8
        ordered = sorted(numbered, key=lambda number: (number[0] == "f", len(number), number))
        figures = [PlannedFigure(number, numbered[number]) for number in ordered]
        figures += [
            PlannedFigure(f"{number:02d}", catalog.KINDS[kind], dataset, kind)
            for dataset, data_set in self.data.items()
            for kind, number in data_set.settings.numbers.items()
        ]
        figures.sort(key=lambda figure: [*SECTIONS].index(figure.group))
        return {figure.number: figure for figure in figures if present.get(figure.group, True)}

    def of(self, *groups: str, datasets: Container[str] | None = None) -> list[PlannedFigure]:
        """Return the figures of some groups of `SECTIONS`, or only those of some data sets."""
        figures = [figure for figure in self.all.values() if figure.group in groups]
        return [figure for figure in figures if datasets is None or figure.dataset in datasets]

    def of_kind(self, kind: str) -> list[PlannedFigure]:
        """Return the figures of data sets that have this kind."""
        return [figure for figure in self.of(catalog.DATA) if figure.kind == kind]

    @property
    def kinds(self) -> dict[str, str]:
        """Number -> kind of the figures of data sets."""
        return {figure.number: figure.kind for figure in self.of(catalog.DATA)}

    def files(self, figures: Iterable[PlannedFigure], *endings: str) -> list[str]:
        """Return files of figures: the pictures png and pdf, and the data that they show, csv.

        endings: by default all three.
        """
        return [
            f"{self.config.results_dir}/figures/figure_{figure.number}.{ending}"
            for figure in figures
            for ending in endings or ("png", "pdf", "csv")
        ]

    def inputs(self, wildcards: Any) -> dict[str, list[str]]:
        """Return the tables from which a figure's data are computed, if this run has them.

        Those of a figure of all data sets have a file for each data set that has the table.
        """
        figure, results = self.all[wildcards.number], self.config.results_dir
        files = {"adult": self.data["adult"].files("counts")} if "adult" in self.data else {}
        if figure.group == catalog.READINGS:
            files["shares"] = [f"{results}/shares.csv"]
            files["measured"] = [f"{results}/measured/adult-accuracy.csv"]
        for data in self._data_sets(figure):
            for table in FILES.keys() - catalog.missing_tables(data.settings).keys():
                files.setdefault(table, []).extend(data.files(table))
        return figure.read(files)

    def _data_sets(self, figure: PlannedFigure) -> list[DataSet]:
        """Return the data sets whose tables a figure may read."""
        if figure.group == catalog.DATA_SETS:
            return [*self.data.values()]
        return [self.data[figure.dataset]] if figure.dataset else []

    def settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings on which a figure's data depend."""
        figure = self.all[wildcards.number]
        settings = {
            name: getattr(self.config, name)
            for name in ("seed", "repeats", "neighbours", "metrics")
        }
        if data_sets := self._data_sets(figure):
            settings["points"] = [point for data in data_sets for point in data.points.values()]
        if figure.dataset:
            settings["release"] = self.data[figure.dataset].kind
        return figure.read(settings)

    def modules(self, wildcards: Any) -> list[str]:
        """Return the modules on which a figure's data depend, besides those that scripts import."""
        figure, settings = self.all[wildcards.number], self.settings(wildcards)
        modules = [*families(settings.get("points", [])), figure.module("tabulate")]
        if "release" in settings:
            modules.append(self.data[figure.dataset].release.__module__)
        return modules

    def describe(self, figure: PlannedFigure) -> FigureText:
        """Return a figure's number, name, title, caption and alternative text."""
        dataset = figure.dataset
        text, alternative = caption(
            self.project
            / f"workflow/report/figures/{figure.kind if dataset else figure.number}.rst",
            dataset=dataset,
            settings=self.data[dataset].settings if dataset else None,
            metrics=[METRICS[name].axis for name in self.config.metrics],
            **{name: getattr(self.config, name) for name in ("repeats", "epsilon", "delta")},
        )
        if dataset in ADDED_TO and ADDED in self.data[dataset].settings.mechanisms:
            text += " The paper does not show GGM-3 here; this project adds it."
        return FigureText(
            number=figure.number,
            name=figure.name,
            title=figure.title,
            caption=text,
            alternative=alternative,
        )

    def sections(self, *groups: str) -> list[SectionText]:
        """Return the descriptions of the figures of some groups, in the sections of the report."""
        sections: dict[str, list[FigureText]] = {}
        for figure in self.of(*groups):
            sections.setdefault(figure.section, []).append(self.describe(figure))
        return [SectionText(name=name, figures=figures) for name, figures in sections.items()]
