"""Publish several tables of the same records at a grid point, and measure their errors."""

from ggexp.datasets.layout import Domain, RecordsSettings
from ggexp.experiment.several_tables import Subject, measure_tables
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_parquet

with job(snakemake):
    params, dataset = snakemake.params, snakemake.wildcards.dataset
    cells = read_parquet(snakemake.input.histogram)
    if params.records:
        test = read_parquet(snakemake.input.test[0])
        domain = Domain.of(RecordsSettings.read(params.records, dataset), cells, test)
    else:
        test = cells[:0]
        domain = Domain(
            {name: cells[name].sort_values().unique() for name in cells if name != "count"}
        )
    errors = measure_tables(
        Subject.of(domain, cells, test, params.target),
        dataset,
        params.publish,
        point=GridPoint(**params.point) if params.point else None,
        mechanism=(
            Mechanism(params.mechanism.get("order"), params.mechanism["calibration"])
            if params.point
            else None
        ),
        share=params.share,
        seed=params.seed,
        repeats=params.repeats,
    )
    write_parquet(errors, snakemake.output.errors)
