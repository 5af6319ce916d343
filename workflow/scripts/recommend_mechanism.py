"""Recommend a mechanism for each data set, and tabulate the ε needed for given errors."""

from pathlib import Path

from ggexp.experiment import recommendation
from ggexp.run.files import read_csv
from ggexp.run.job import job
from ggexp.run.storage import read_counts, read_tally, write_csv

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    kept = {Path(file).name.removesuffix("_tally.csv"): read_tally(file) for file in files.tallies}
    subjects = {
        name: recommendation.Subject(
            records=int(counts.sum()),
            published=kept[name]["kept"] if name in kept else int(counts.sum()),
            cells=counts.size,
            **facts,
        )
        for (name, facts), counts in zip(
            params.subjects.items(), map(read_counts, files.histograms), strict=True
        )
    }
    recommended = recommendation.recommend(
        read_csv(files.summary),
        recommendation.points_of(read_csv(files.scales), params.neighbours),
        subjects,
        params.neighbours,
        params.metrics,
        map(read_csv, files.equal),
        [*map(read_csv, files.baseline)],
    )
    needed = recommendation.needed_epsilon(recommended)
    needed = needed.join(recommendation.needed_without_data(needed, subjects))
    for table, path in zip((recommended, needed), snakemake.output, strict=True):
        table["advantage"] = recommendation.advantages(table, subjects)
        write_csv(table, path)
