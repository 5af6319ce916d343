"""Publish several tables of the same records at a grid point, and measure their errors."""

from ggexp.datasets.domain import Domain
from ggexp.datasets.layout import RecordsSettings
from ggexp.experiment.several_tables import Subject, measure_tables
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_parquet

with job(snakemake):
    files, params, dataset = snakemake.input, snakemake.params, snakemake.wildcards.dataset
    cells = read_parquet(files.histogram)
    layout = RecordsSettings.read(params.records, dataset) if params.records else None
    test = read_parquet(files.test) if layout else cells[:0]
    errors = measure_tables(
        Subject.of(Domain.of(layout, cells, test), cells, test, params.target, params.tables),
        dataset,
        params.publish,
        point=GridPoint(**params.point) if params.point else None,
        mechanism=Mechanism(**params.mechanism) if params.mechanism else None,
        share=params.share,
        seed=params.seed,
        repeats=params.repeats,
    )
    write_parquet(errors, snakemake.output.errors)
