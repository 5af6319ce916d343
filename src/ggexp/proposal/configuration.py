"""Write the description of a file as a commented configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import floor, log10
from pathlib import Path
from typing import Any

import jinja2
import yaml

from ggexp.datasets.form import type_of
from ggexp.datasets.layout import RecordsSettings, TableSettings
from ggexp.datasets.reader import Fields
from ggexp.datasets.table import Table
from ggexp.experiment.design import PROPOSED_MECHANISMS
from ggexp.experiment.workload import TrainingSize, duration_text, trained_repeats
from ggexp.proposal.roles import Role
from ggexp.releases.kinds import ALL
from ggexp.words import in_words

EPSILONS = (0.1, 0.2, 0.5, 1, 2, 5)
REPEATS = 100


@dataclass(frozen=True)
class Description:
    """The description of a file.

    settings: for reading it. table: its histogram. total: the number of records without a missing
    value, or the sum of the counts. error: relative l1 error at ε = 1.
    offered: columns that the user may add. notes: on omissions other than unused columns.
    warnings: what the user should check first. goal: as in a configuration. epsilons: the grid.
    """

    name: str
    fields: Fields
    settings: RecordsSettings | TableSettings
    roles: dict[str, Role]
    table: Table
    total: int
    error: float = 0.0
    offered: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    target: str | None = None
    release: str = ALL
    goal: Mapping[str, float] = field(default_factory=dict)
    epsilons: Sequence[float] = EPSILONS

    @property
    def is_counts(self) -> bool:
        """Whether the file holds counts instead of records."""
        return isinstance(self.settings, TableSettings)

    @property
    def results(self) -> str:
        """The folder of the run's results."""
        return f"results/{self.name}"

    @property
    def delta(self) -> str:
        """The largest power of ten that is at most 0.1 / `total`, as YAML reads it."""
        return f"1.0e{floor(log10(0.1 / max(self.total, 1))):+d}"

    @property
    def mechanisms(self) -> list[str]:
        """The compared mechanisms; truncated noise can be drawn for listed cells only."""
        names = [*PROPOSED_MECHANISMS]
        return names if self.release == ALL else [n for n in names if n != "truncated-laplace"]

    @cached_property
    def left_out(self) -> list[str]:
        """The columns that are not used, with the reason, and other omissions."""
        unused = [f"{flow(n)}: {role.note}" for n, role in self.roles.items() if not role.is_used]
        return [*unused, *self.notes]


def write(file: Description) -> str:
    """Return the commented configuration, in which each column of the file has one line."""
    template = jinja2.Template(
        Path(__file__).with_name("configuration.yaml.j2").read_text("utf-8"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    mean = file.table.total / file.table.combinations
    return template.render(
        file=file,
        settings=file.settings.written(),
        kind=type_of(file.fields.source.path),
        per_cell=f"{mean:,.0f}" if mean >= 10 else f"{mean:.2g}" if mean > 0.01 else "few",
        classifier=training(file) if file.target else None,
        repeats=REPEATS,
        mechanisms={
            name: {key: value for key, value in asdict(mechanism).items() if value is not None}
            for name, mechanism in PROPOSED_MECHANISMS.items()
        },
        all=ALL,
        flow=flow,
        in_words=in_words,
        quoted=repr,
        grouped="{:,}".format,
    )


def flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    settings = {"default_flow_style": True, "allow_unicode": True, "sort_keys": False}
    written: str = yaml.safe_dump([value], width=10**9, **settings)
    return written.strip()[1:-1]


def training(file: Description) -> dict[str, Any]:
    """Return the repeats of a classifier, what its training takes, and a warning or None."""
    is_listed, counts = file.release == ALL, file.table.total
    cells = file.table.combinations if is_listed else file.table.filled
    size = TrainingSize([cells, 0], min(cells, file.total - counts), counts)
    seconds = size.release_seconds(listed=is_listed)
    points = len(file.epsilons) * len(file.mechanisms)
    repeats = trained_repeats(seconds * points, REPEATS)
    return {
        "repeats": repeats,
        "per_release": duration_text(seconds),
        "in_all": duration_text(seconds * points * repeats),
        "memory": f"{size.megabytes() / 1000:.1f}",
        "warning": size.warning(points * repeats) if is_listed else None,
    }
