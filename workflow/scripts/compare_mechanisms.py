"""Compare all data sets: tabulate the noise and all errors, and recommend a mechanism for each.

Also tabulate the ε needed for given errors, and of a user's own tables the contents and the errors
of margins of their releases.
"""

from pathlib import Path

import pandas as pd

from ggexp.datasets.contents import contents
from ggexp.datasets.table import MAX_COMBINATIONS, Table
from ggexp.experiment import recommendation
from ggexp.experiment.margins import measure_margins
from ggexp.experiment.scales import tabulate_scales
from ggexp.experiment.summary import by_grid_point
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.files import read_csv
from ggexp.run.job import job
from ggexp.run.source import read_columns
from ggexp.run.storage import read_counts, read_parquet, read_tally, write_csv, write_json

with job(snakemake):
    files, made, params = snakemake.input, snakemake.output, snakemake.params
    write_csv(tabulate_scales(params.points), made.scales)
    write_csv(by_grid_point(pd.concat(map(read_csv, files.summaries))), made.summary)
    tallies = {
        Path(file).name.removesuffix("_tally.csv"): read_tally(file) for file in files.tallies
    }
    histograms = dict(zip(params.subjects, files.histograms, strict=True))
    subjects = {}
    for name, facts in params.subjects.items():
        counts = read_counts(histograms[name])
        n = int(counts.sum())
        sizes = {"records": n, "published": tallies.get(name, {}).get("kept", n)}
        subjects[name] = recommendation.Subject(**sizes, cells=counts.size, **facts)
    recommended = recommendation.recommend(
        read_csv(made.summary),
        recommendation.points_of(read_csv(made.scales), params.neighbours),
        subjects,
        params.neighbours,
        params.metrics,
        map(read_csv, files.equal),
        [*map(read_csv, files.baseline)],
    )
    needed = recommendation.needed_epsilon(recommended)
    needed = needed.join(recommendation.needed_without_data(needed, subjects))
    for table, path in ((recommended, made.recommendation), (needed, made.epsilon)):
        table["advantage"] = recommendation.advantages(table, subjects)
        write_csv(table, path)

    best = recommended[recommended["metric"] == "l1"]
    at = {*zip(best["mechanism"], best["epsilon"], strict=True)}
    points = [*map(NoisyPoint.from_parameters, params.points)]
    points = [noisy for noisy in points if (noisy.point.mechanism, noisy.point.epsilon) in at]
    for (name, own), *paths in zip(params.own.items(), made.margins, made.contents, strict=True):
        stored = Table.stored(read_parquet(histograms[name]), read_columns(histograms[name]))
        kind, tally = from_parameters(own["kind"], stored.combinations), tallies.get(name, {})
        is_small = stored.combinations <= MAX_COMBINATIONS
        of_table = [noisy for noisy in points if is_small and noisy.point.dataset == name]
        settings = {"seed": params.seed, "repeats": params.repeats}
        write_csv(measure_margins(stored, kind, of_table, **settings), paths[0])
        description = {
            "cells": stored.counts.size if kind.lists_cells else None,
            "records": stored.total,
            "published": tally.get("kept", stored.total),
            "file": own["file"],
            "is_rescaled": kind.rescales,
            "contents": contents(stored, tally),
        }
        write_json(description, paths[1])
