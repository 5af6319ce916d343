# The histogram (cells and counts) of every data set, and downloads of its files.
#
# A data file's sha256 decides whether it has changed, not its time. It is not a function of the
# input, because Snakemake does not record such parameters.

from ggexp.datasets.form import readers_of


rule make_table_histogram:
    input:
        table=lambda wildcards: ancient(local(data_of(wildcards).file)),
    output:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/make_table_histogram/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(PLAN.having("counts")),
    # before other jobs, so that mistakes in data are reported within seconds
    priority: 1
    conda:
        "../envs/ggexp.yaml"
    params:
        code=lambda wildcards: fingerprint_of(
            "make_table_histogram.py", *readers_of(data_of(wildcards).file)
        ),
        origin=lambda wildcards: PLAN.origin(data_of(wildcards).file),
        table=lambda wildcards: data_of(wildcards).table,
    script:
        "../scripts/make_table_histogram.py"


# Only for missing files. For an existing one, Snakemake would compare its time with that of the script,
# and then run this job alone, because jobs whose input is `ancient` do not follow (docs/upstream.md).
rule fetch_file:
    output:
        file=local("data/downloads/{file}"),
    log:
        f"{RESULTS}/logs/fetch_file/{{file}}.log",
    wildcard_constraints:
        file=one_of(Path(path).name for path in PLAN.downloads if not Path(path).exists()),
    priority: 1
    localrule: True
    conda:
        "../envs/ggexp.yaml"
    script:
        "../scripts/fetch_file.py"


rule make_records_histogram:
    input:
        records=lambda wildcards: ancient(local(data_of(wildcards).file)),
    output:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
        test=f"{RESULTS}/histograms/{{dataset}}_test.parquet",
        tally=f"{RESULTS}/histograms/{{dataset}}_tally.csv",
    log:
        f"{RESULTS}/logs/make_records_histogram/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(PLAN.having("records")),
    priority: 1
    conda:
        "../envs/ggexp.yaml"
    params:
        code=lambda wildcards: fingerprint_of(
            "make_records_histogram.py", *readers_of(data_of(wildcards).file)
        ),
        records=lambda wildcards: data_of(wildcards).records,
        target=lambda wildcards: data_of(wildcards).target,
        lists_empty=lambda wildcards: data_of(wildcards).release.lists_empty,
        origin=lambda wildcards: PLAN.origin(data_of(wildcards).file),
        seed=config["seed"],
    script:
        "../scripts/make_records_histogram.py"
