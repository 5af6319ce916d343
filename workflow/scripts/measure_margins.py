"""Report the contents of a histogram, and the errors of margins of its releases."""

import pandas as pd

from ggexp.datasets.contents import contents
from ggexp.datasets.table import MAX_COMBINATIONS, Table
from ggexp.experiment.margins import COLUMNS, measure_margins
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import from_parameters
from ggexp.run.files import read_csv
from ggexp.run.job import job
from ggexp.run.source import read_columns
from ggexp.run.storage import read_parquet, read_tally, write_csv, write_json

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    stored = Table.stored(read_parquet(files.histogram), read_columns(files.histogram))
    recommended = read_csv(files.recommendation).query("metric == 'l1'")
    recommended_points = {*zip(recommended["mechanism"], recommended["epsilon"], strict=True)}
    tally = read_tally(files.tally) if files.get("tally") else {}
    kind = from_parameters(params.kind, stored.combinations)
    table = pd.DataFrame(columns=COLUMNS)
    if stored.combinations <= MAX_COMBINATIONS:
        points = [
            noisy
            for noisy in map(NoisyPoint.from_parameters, params.points)
            if (noisy.point.mechanism, float(noisy.point.epsilon)) in recommended_points
        ]
        table = measure_margins(stored, kind, points, seed=params.seed, repeats=params.repeats)
    write_csv(table, snakemake.output.margins)
    description = {
        "cells": stored.counts.size if kind.lists_cells else None,
        "records": stored.total,
        "published": tally.get("kept", stored.total),
        "file": params.file,
        "is_rescaled": kind.rescales,
        "contents": contents(stored, tally),
    }
    write_json(description, snakemake.output.contents)
