"""The keys of a configuration: their types, ranges, defaults and meanings."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PlainValidator, model_validator

from ggexp.datasets.layout import RecordsSettings, TableSettings
from ggexp.experiment.metrics import METRICS
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import BEST
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.sensitivity import Neighbours
from ggexp.releases.kinds import KINDS, NON_EMPTY
from ggexp.releases.records import METHODS
from ggexp.releases.release import PRIVATE, TOTALS, Kind
from ggexp.section import (
    NOT_IN_PATHS,
    PATH,
    Distinct,
    Flag,
    MisfitError,
    NotNegative,
    Number,
    OrNull,
    Positive,
    Section,
    Several,
    Whole,
    allowed,
    one_of,
)

#: What a name must be, because it becomes a part of file names.
NAME = (
    'letters, digits, ".", "_" and "-", beginning with a letter or digit, without ".." and without '
    'a final "."'
)
#: What the folder of results must be.
FOLDER = f'the path of a folder without "..", {NOT_IN_PATHS}'
Name = Annotated[
    str,
    allowed(NAME, r"(?!.*\.\.)[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9_-])?"),
    Field(max_length=40),
]
Order = Annotated[
    Annotated[Number, Field(ge=1)] | Literal["best"], allowed(f"a number >= 1, or {BEST}")
]
Error = Annotated[Number, Field(ge=0)]


class Kl(Section):
    """The Kullback-Leibler divergences in the results."""

    renamed: ClassVar[Mapping[str, str]] = {
        "direction": "fixed: kl is KL(original ‖ sanitized), and kl_reverse the other direction"
    }
    pseudo_count: Number = Field(ge=1e-100, le=1e100)
    """Dirichlet pseudo-count added to every cell of both tables."""


class Training(Section):
    """The support vector machines of data sets that have a target."""

    repeats: OrNull[Positive]
    """Number of repeats of a grid point, counted from the first, on which they are trained. null,
    or a number larger than repeats: all repeats."""


class Classifier(Section):
    """The support vector machines that are trained on the releases of a data set."""

    target: str
    """The predicted column, which is categorical and has 2 to 20 classes."""
    mechanisms: Distinct[str] | None = None
    """The mechanisms on whose releases classifiers are trained, by default all."""
    repeats: OrNull[Positive] = None
    """As the general key classifier.repeats, which is the default."""


class ReleaseSettings(Section):
    """How the histogram is released."""

    kind: Annotated[str, one_of(KINDS)] = NON_EMPTY
    """non-empty (the default, as in the paper) sanitizes the listed cells; for records these are
    the non-empty cells, and the release is not differentially private. The others are only for
    records (docs/empty-cells.md). all: all cells, at most 100,000. threshold: any number of cells;
    counts up to a threshold become 0. stability: the non-empty cells; counts up to 1 + t become 0,
    where the noise exceeds t with probability δ."""
    total: Annotated[str, one_of(TOTALS)] = PRIVATE
    """What is assumed of n, the sum of the counts. private (the default): only noisy counts below 0
    are changed, to 0. public: counts are clamped at n and rescaled to sum to it, and the key
    neighbours becomes replace-one, because neighbours have the same n. as-printed: rescaled, as in
    the paper, for any neighbours; if these differ in n, the guarantee does not cover n."""
    expected_empty: Annotated[Number, Field(gt=0)] | None = None
    """For the kind threshold: expected number of cells above the threshold if all cells were empty,
    by default 200."""

    @property
    def type(self) -> type[Kind]:
        """The class of the kind."""
        return KINDS[self.kind]

    def parameters(self) -> dict[str, Any]:
        """Return the kind and its settings as plain numbers and strings, which jobs receive.

        `ggexp.releases.release.from_parameters` returns the kind from this result.
        """
        settings = {name: value for name, value in self.written().items() if value is not None}
        return settings | {"kind": f"{self.type.__module__}.{self.type.__name__}"}


class Goal(Section):
    """The acceptable error, in records, of 19 of 20 releases: one of these keys."""

    count_error: Error | None = None
    """The error of one count."""
    max_error: Error | None = None
    """The largest error of all counts."""
    l1: Error | None = None
    """The sum of the errors of all counts."""

    @property
    def bounds(self) -> dict[str, float]:
        """The given key, and its value."""
        return self.model_dump(exclude_none=True)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(self.bounds) != 1:
            raise ValueError(f"must have one of {', '.join(Goal.model_fields)}, got {self.bounds}")
        return self


class DataSettings(Section):
    """The keys of data sets of both kinds."""

    renamed: ClassVar[Mapping[str, str]] = {
        "cells": "release.kind",
        "several_tables": "the command ggexp sanitize --tables",
    }
    mechanisms: Several[str]
    """The names of the mechanisms to run, in the order of the results."""
    release: ReleaseSettings = ReleaseSettings()
    """How the histogram is released."""
    goal: Goal | None = None
    """For your own data: the acceptable error of a release, for which the run's page names an ε."""
    kl: Kl | None = None
    """Keys that override those of the general key kl."""
    figures: dict[str, OrNull[Annotated[Whole, Field(ge=1, le=99)]]] = {}
    """The number of each figure, by the figure's kind in ggexp.figures; with theory: true, above 5.
    null removes a figure of an earlier configuration."""
    synthetic: Several[Annotated[str, one_of(METHODS)]] | None = None
    """How synthetic records are made from the releases. largest-remainder: counts are rounded to
    whole numbers that sum to n. multinomial: n records are drawn, with probabilities proportional
    to the released counts. counts: noisy counts are clamped at 0 and rounded, without rescaling."""

    @property
    def numbers(self) -> dict[str, int]:
        """Figure kind -> figure number."""
        return {kind: number for kind, number in self.figures.items() if number is not None}

    @property
    def trained(self) -> list[str]:
        """The mechanisms on whose releases classifiers are trained."""
        classifier = getattr(self, "classifier", None)
        return (classifier and classifier.mechanisms) or []


class TableData(TableSettings, DataSettings):
    """A table of counts, with a row for every combination of levels, or only non-empty ones."""

    records: ClassVar[None] = None
    classifier: ClassVar[None] = None
    is_private: ClassVar[bool] = True

    @property
    def source(self) -> str:
        """The path of the data file."""
        return self.counts


class RecordsData(DataSettings):
    """A histogram of individual records. Usually most of its cells are empty."""

    renamed: ClassVar[Mapping[str, str]] = {
        **DataSettings.renamed,
        "expected_empty": "release.expected_empty",
        "machines": "classifier.mechanisms",
    }
    records: RecordsSettings
    """The file of records, and how records are read, binned, dropped and split."""
    classifier: Classifier | None = None
    """The support vector machines that are trained on the releases: their target, and keys that
    override those of the general key classifier."""

    @property
    def source(self) -> str:
        """The path of the data file."""
        return self.records.file

    @property
    def is_private(self) -> bool:
        """Whether releases are differentially private: not of non-empty cells only."""
        return self.release.kind != NON_EMPTY

    @model_validator(mode="after")
    def _check_classifier(self) -> Self:
        if self.classifier:
            self.records.check_target(self.classifier.target, "classifier", "target")
            if self.records.training is None:
                advice = "a share, such as 2/3, because classifiers need the others as test records"
                raise MisfitError(f"must be {advice}, got null", "records", "training")
        return self


def _data(settings: Any) -> TableData | RecordsData:
    """Return the settings of a data set of records if they have this key."""
    is_records = isinstance(settings, Mapping) and "records" in settings
    return (RecordsData if is_records else TableData).model_validate(settings)


class MechanismSettings(Section):
    """A mechanism."""

    order: Order | None = None
    """Order p of the noise: 1 is Laplace, 2 Gaussian. "best", only for the calibration adp-exact,
    is the order with the smallest standard deviation. Noise of other families has no order."""
    calibration: str
    """The rule that sets the scale, a name in ggexp.mechanisms.calibration.RULES."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of this order and rule."""
        return Mechanism(self.order, self.calibration)

    @model_validator(mode="after")
    def _check(self) -> Self:
        _ = self.mechanism
        return self


class Execution(Section):
    """How a run is divided into jobs."""

    repeats_per_job: Positive
    """Number of repeats of a job, which measures the errors at all grid points of a data set, or
    trains classifiers at one grid point, or at all of a mechanism if they have no more repeats
    together. A smaller number makes shorter jobs for a cluster. Multiples of 125 are best, because
    the solver works on 125 at a time."""
    shared_files: Flag
    """Whether the arrays that all jobs share (two kernel matrices and the warm start, 2 GB for
    Adult) are files in classifiers/, which jobs of one thread map into memory. If false, each job
    computes them and uses all cores. A change trains all classifiers again."""

    def is_one_job(self, points: int, repeats: int) -> bool:
        """Return whether one job trains at all of some grid points, with so many repeats each."""
        return points * repeats <= self.repeats_per_job


class ChoiceSettings(Section):
    """A choice that the paper leaves open, or a condition of its sentences."""

    kind: Literal["open", "correction", "repetition", "threshold"]
    """Whether the paper does not say; says something that is not proven, or that its own premise
    contradicts; or the choice is a seed, or a threshold of this project's tests."""
    paper: str = "not stated"
    """The words of the paper."""
    follows: dict[str, str] = {}
    """The words of the paper that each alternative of a correction follows."""
    alternatives: dict[str, str] = Field(min_length=2)
    """The meaning of each alternative, by its name. The first one is that of the paper's design."""
    parameters: list[str] = []
    """The parameters of claims that the alternatives of a threshold replace; it always varies."""

    @property
    def ours(self) -> str:
        """The alternative of the paper's design."""
        return next(iter(self.alternatives))


class FactorialSettings(Section):
    """A group of choices of which all combinations are measured."""

    datasets: list[str]
    """The data sets, by their names in the claims."""
    module: Literal["tables", "accuracy"]
    """The module of ggexp.multiverse that measures the releases."""
    repeats: Positive
    """The number of releases at each grid point, at most the general number."""
    varies: list[str]
    """The choices that are varied."""
    first: dict[str, Positive] = {}
    """The number of alternatives of some choices, counted from the first; all of the others."""


class Multiverse(Section):
    """Readings of the paper: choices that it leaves open, and combinations of alternatives."""

    choices: dict[str, ChoiceSettings] = {}
    """The choices by their names, which are columns of the results."""
    factorials: dict[Name, FactorialSettings] = {}
    """Groups of choices of which all combinations are measured."""
    first: dict[str, Positive] = {}
    """The same for all factorials, in a trial."""


Source = Annotated[
    str,
    allowed(
        f"a path that begins with data/, without {NOT_IN_PATHS}, or an address that begins with "
        "http:// or https://",
        rf"https?://[^\n]*|data/(?!.*\.\.){PATH}",
    ),
]


class Download(Section):
    """A file that is fetched."""

    renamed: ClassVar[Mapping[str, str]] = {"addresses": "sources"}
    bytes: NotNegative
    """Size in bytes."""
    sha256: Annotated[str, allowed("64 digits, 0 to 9 and a to f", "[0-9a-f]{64}")]
    """SHA-256 of the file."""
    sources: Several[Source]
    """Tried in this order until one has the right content: a path in this project's data/ (.xz is
    decompressed), or an http(s) address. https://….zip#member is a member of a zip file."""


class Downloads(Section):
    """Sources of data files."""

    files: dict[Name, Download]
    """The files, by name. The workflow stores them in data/downloads/."""


class Configuration(Section):
    """The configuration of a run."""

    renamed: ClassVar[Mapping[str, str]] = {
        "svm": "classifier.repeats, execution.repeats_per_job and execution.shared_files"
    }
    results_dir: Annotated[str, allowed(FOLDER, rf"(?!.*\.\.){PATH}")]
    """Folder of all results of a run: results, a folder inside it, or one outside the project. Each
    configuration needs its own."""
    overwrite: Flag = False
    """Whether a run may replace the results of a larger run, with more data sets, ε, δ or repeats,
    in its folder; by default it is refused."""
    seed: NotNegative
    """Seed of every random stream."""
    repeats: Whole = Field(ge=1, le=1_000_000)
    """Number of releases per grid point. If increased, the first releases stay the same."""
    epsilon: Several[Annotated[Number, Field(gt=0)]]
    """The values of ε."""
    delta: Several[Annotated[Number, Field(gt=0, lt=1)]]
    """The values of δ, for mechanisms that use one."""
    neighbours: Neighbours
    """Which tables are neighbours. add-remove (unbounded DP): one table has one record more.
    replace-one (bounded DP): one record is replaced, so that two cells differ by one; they satisfy
    the guarantee jointly. With release.total: public it is replace-one."""
    theory: Flag
    """Whether to draw the paper's figures 1 to 5, which need no data, and to check the claims about
    them."""
    kl: Kl
    """The Kullback-Leibler divergences in the results: kl is KL(original ‖ sanitized), and
    kl_reverse is KL(sanitized ‖ original)."""
    metrics: Several[Annotated[str, one_of(METRICS)]]
    """Metrics in figures of the kinds errors and ranks. The recommendation compares mechanisms by
    these and by l1 and kl; the summary has all. A new one is one function (docs/extending.md)."""
    classifier: Training
    """The support vector machines of data sets that have a target."""
    execution: Execution
    """How a run is divided into jobs. The results are the same, bit by bit."""
    mechanisms: dict[Name, MechanismSettings]
    """The mechanisms, by name."""
    multiverse: Multiverse | None = None
    """Readings of the paper (config/multiverse.yaml), which `make multiverse` measures."""
    datasets: Several[str]
    """The data sets to run, by their names in histograms, in the order of the results."""
    histograms: dict[Name, Annotated[TableData | RecordsData, PlainValidator(_data)]]
    """How each data set's histogram is made. The key `like` names another data set, from which all
    keys except figures are inherited; own keys override them, and mappings are merged."""
    download: Downloads
    """Sources of data files."""

    @property
    def data(self) -> dict[str, TableData | RecordsData]:
        """The settings of the data sets that run, by name."""
        return {name: self.histograms[name] for name in self.datasets}

    def budgets(self, mechanism: str, data: DataSettings) -> list[Budget]:
        """Return the ε and δ (0 if not used) of the grid points of a mechanism."""
        uses_delta = self.mechanisms[mechanism].mechanism.uses_delta or data.release.type.uses_delta
        deltas = [*map(float, self.delta)] if uses_delta else [0.0]
        # as floats, so that 1 and 1.0 are the same job
        return [Budget(float(epsilon), delta) for epsilon in self.epsilon for delta in deltas]
