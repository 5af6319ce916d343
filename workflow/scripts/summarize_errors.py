"""Summarize the errors of every grid point of a data set, and measure those of equal counts."""

from ggexp.experiment.equal_counts import tabulate_equal_counts
from ggexp.experiment.summary import summarize
from ggexp.run.job import job
from ggexp.run.storage import read_parquet, read_tally, write_csv

with job(snakemake):
    files, params = snakemake.input, snakemake.params
    tally = files.get("tally")
    equal = tabulate_equal_counts(
        read_parquet(files.histogram),
        cells=read_tally(tally)["bins"] if tally else None,
        dataset=snakemake.wildcards.dataset,
        pseudo_count=params.pseudo_count,
        has_marginals=params.has_marginals,
    )
    write_csv(summarize([read_parquet(files.repeats)], params.repeats), snakemake.output.summary)
    write_csv(equal, snakemake.output.equal)
