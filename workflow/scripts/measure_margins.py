"""Report the contents of a histogram, and the errors of margins of its releases."""

import pandas as pd

from ggexp.datasets.layout import MAX_CELLS, Domain, RecordsSettings, contents
from ggexp.experiment.margins import COLUMNS, measure_margins
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.columns import read_csv
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, read_tally, write_csv, write_json

with job(snakemake):
    cells = read_parquet(snakemake.input.histogram)
    recommended = read_csv(snakemake.input.recommendation)
    l1 = recommended[recommended["metric"] == "l1"]
    recommended_points = {*zip(l1["mechanism"], l1["epsilon"], strict=True)}
    points = map(NoisyPoint.from_parameters, snakemake.params.points)
    settings = snakemake.params.settings
    records, attributes = settings.get("records"), cells.drop(columns="count")
    layout = RecordsSettings.read(records, snakemake.wildcards.dataset) if records else None
    tally = read_tally(snakemake.input.tally[0]) if records else {}
    size = tally.get("bins", len(cells))
    kind = from_parameters(snakemake.params.kind, size)
    table = pd.DataFrame(columns=COLUMNS)
    if size <= MAX_CELLS:
        if layout:
            domain = Domain.of(layout, cells, read_parquet(snakemake.input.test[0]))
        else:
            domain = Domain({name: attributes[name].sort_values().unique() for name in attributes})
        table = measure_margins(
            cells,
            kind,
            [
                noisy
                for noisy in points
                if (noisy.point.mechanism, float(noisy.point.epsilon)) in recommended_points
            ],
            domain,
            seed=snakemake.params.seed,
            repeats=snakemake.params.repeats,
        )
    write_csv(table, snakemake.output.margins)
    released_cells = len(cells) if snakemake.params.is_listed else None
    description = {
        "cells": released_cells,
        "records": int(cells["count"].sum()),
        "file": records["file"] if records else settings["counts"],
        "is_rescaled": kind.rescales,
        "contents": contents(layout or settings["factors"], cells, tally),
    }
    write_json(description, snakemake.output.contents)
