"""Report the contents of a histogram, and the errors of margins of its releases."""

import pandas as pd

from ggexp.datasets.contents import contents
from ggexp.datasets.layout import RecordsSettings
from ggexp.datasets.records import stored_table
from ggexp.datasets.table import MAX_COMBINATIONS
from ggexp.experiment.marginals import COLUMNS, measure_margins
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.files import read_csv
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, read_tally, write_csv, write_json

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    cells = read_parquet(files.histogram)
    recommended = read_csv(files.recommendation).query("metric == 'l1'")
    recommended_points = {*zip(recommended["mechanism"], recommended["epsilon"], strict=True)}
    records = params.settings.get("records")
    layout = RecordsSettings.read(records, snakemake.wildcards.dataset) if records else None
    tally = read_tally(files.tally) if records else {}
    size = tally.get("bins", len(cells))
    kind = from_parameters(params.kind, size)
    table = pd.DataFrame(columns=COLUMNS)
    if size <= MAX_COMBINATIONS:
        stored = stored_table(layout, cells, read_parquet(files.test) if layout else cells[:0])
        points = [
            noisy
            for noisy in map(NoisyPoint.from_parameters, params.points)
            if (noisy.point.mechanism, float(noisy.point.epsilon)) in recommended_points
        ]
        table = measure_margins(stored, kind, points, seed=params.seed, repeats=params.repeats)
    write_csv(table, snakemake.output.margins)
    description = {
        "cells": len(cells) if kind.lists_cells else None,
        "records": int(cells["count"].sum()),
        "published": tally.get("kept", int(cells["count"].sum())),
        "file": records["file"] if records else params.settings["counts"],
        "is_rescaled": kind.rescales,
        "contents": contents(layout or params.settings["factors"], cells, tally),
    }
    write_json(description, snakemake.output.contents)
