"""What is too much: refused before Snakemake, or a file, takes the computer's memory."""

from collections.abc import Mapping
from typing import Any

#: Jobs of a run. Snakemake plans this many within a minute, and a cluster's queue holds them.
JOBS = 20_000
#: Values of a configuration, counted wherever they are used (an alias each time).
VALUES = 100_000
#: How deep a configuration may be nested; the schema's deepest key is at 6.
DEPTH = 20


def check_size(config: Any) -> None:
    """Raise ValueError where a configuration has too many values or is nested too deep."""
    waiting, values = [(config, 1)], 0
    while waiting:
        value, depth = waiting.pop()
        values += 1
        if depth > DEPTH:
            raise ValueError(f"the configuration is nested more than {DEPTH} levels deep")
        if values > VALUES:
            raise ValueError(f"the configuration has more than {VALUES:,} values")
        # beyond the limit there is no need to look
        if isinstance(value, Mapping | list):
            parts = list(value.values()) if isinstance(value, Mapping) else value
            waiting += [(part, depth + 1) for part in parts[: VALUES + 1]]


def check_jobs(config: Mapping[str, Any], uses_delta: Mapping[str, bool]) -> None:
    """Raise ValueError where a design has more than `JOBS` jobs, and say what to change.

    config: a configuration that its schema has passed. uses_delta: of each mechanism.
    """
    lines, jobs = [], 0
    for dataset in config["datasets"]:
        made = config["histograms"][dataset]
        points = sum(
            len(config["epsilon"]) * (len(config["delta"]) if uses_delta[name] else 1)
            for name in made["mechanisms"]
        )
        parts = -(-config["repeats"] // config["svm"]["repeats_per_job"])
        if "target" not in made.get("records", {}):
            parts = 0
        jobs += points * (1 + parts)
        lines.append(f"{dataset}: {points:,} grid points × {1 + parts:,}")
    if jobs > JOBS:
        raise ValueError(
            f"the design has {jobs:,} jobs, at most {JOBS:,} are allowed ({'; '.join(lines)}). "
            "Take fewer values of epsilon or delta, fewer mechanisms or data sets in a run, or a "
            "larger svm.repeats_per_job"
        )
