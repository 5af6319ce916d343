"""Compare the mechanisms on all data sets: their noise, their errors, and the best of them.

Also tabulate the ε needed for given errors, and describe the user's own tables.
"""

from pathlib import Path

import pandas as pd

from ggexp.datasets.table import Table
from ggexp.experiment import recommendation
from ggexp.experiment.own_table import describe_own_table
from ggexp.experiment.scales import distinct_noise, tabulate_scales
from ggexp.experiment.summary import by_grid_point
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run import storage
from ggexp.run.files import read_csv
from ggexp.run.job import job

with job(snakemake):
    files, made, params = snakemake.input, snakemake.output, snakemake.params
    noises = distinct_noise(params.points)
    storage.write_csv(tabulate_scales(noises), made.scales)
    storage.write_csv(by_grid_point(pd.concat(map(read_csv, files.summaries))), made.summary)
    tallies = {
        Path(file).name.removesuffix("_tally.csv"): storage.read_tally(file)
        for file in files.tallies
    }
    histograms = dict(zip(params.subjects, files.histograms, strict=True))
    subjects = {
        name: recommendation.Subject.of(storage.read_counts(file), tallies.get(name, {}), **facts)
        for (name, facts), file in zip(params.subjects.items(), files.histograms, strict=True)
    }
    recommended = recommendation.recommend(
        read_csv(made.summary),
        noises,
        subjects,
        params.neighbours,
        params.metrics,
        map(read_csv, files.equal),
        [*map(read_csv, files.baseline)],
    )
    needed = recommendation.needed_epsilon(recommended)
    for table, path in ((recommended, made.recommendation), (needed, made.epsilon)):
        table["advantage"] = recommendation.advantages(table, subjects)
        storage.write_csv(table, path)
    points = [*map(NoisyPoint.from_parameters, params.points)]
    for (name, own), *paths in zip(params.own.items(), made.contents, made.margins, strict=True):
        file = histograms[name]
        stored = Table.stored(storage.read_parquet(file), storage.read_columns(file))
        facts, margins = describe_own_table(
            stored,
            from_parameters(own["kind"], stored.combinations),
            [noisy for noisy in points if noisy.point.dataset == name],
            recommended,
            tallies.get(name, {}),
            file=own["file"],
            seed=params.seed,
            repeats=params.repeats,
        )
        storage.write_json(facts, paths[0])
        storage.write_csv(margins, paths[1])
