"""Make synthetic records from the releases of a grid point, and measure their errors."""

from pathlib import Path

from ggexp.experiment.synthetic_errors import measure_records
from ggexp.releases.point import NoisyPoint
from ggexp.releases.records import Records, list_records
from ggexp.releases.release import from_parameters
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, write_csv, write_parquet

with job(snakemake):
    cells = read_parquet(snakemake.input.histogram)
    noisy = NoisyPoint.from_parameters(snakemake.params.point)
    methods, seed = snakemake.params.methods, snakemake.params.seed
    folder = Path(snakemake.output.records)
    folder.mkdir(parents=True, exist_ok=True)
    for method in methods:
        counts = cells["count"].to_numpy()
        made = Records(len(cells), method).release(counts, noisy, seed=seed, repeat=0)
        records = list_records(cells, made.counts)
        write_csv(records, folder / f"{method}.csv")
        write_parquet(records, folder / f"{method}.parquet")
    repeats = snakemake.params.repeats
    kind = from_parameters(snakemake.params.kind, len(cells))
    tables = measure_records(cells, kind, noisy, methods, seed=seed, repeats=repeats)
    for name, table in zip(("errors", "marginals", "gains"), tables, strict=True):
        write_parquet(table, snakemake.output[name])
