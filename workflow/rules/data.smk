# The histogram (cells and counts) of every data set, and downloads of its files.

# Data set -> its data file, and stored histogram -> the data file from which it is made.
DATA_FILES = {dataset: table["counts"] for dataset, table in TABLES.items()}
DATA_FILES |= {dataset: records["file"] for dataset, records in RECORDS.items()}
DATA_OF = {f"{RESULTS}/histograms/{name}.parquet": file for name, file in DATA_FILES.items()}


@cache  # the files at the time when the run is planned
def sha256_of(path):
    """Return the sha256 of a data file, which may not have been fetched yet."""
    return DOWNLOADS.get(path) or sha256(path)


rule make_table_histogram:
    input:
        # A data file's sha256 decides whether it has changed, not its time.
        table=lambda wildcards: ancient(DATA_FILES[wildcards.dataset]),
    output:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/make_table_histogram/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(TABLES),
    params:
        code=code("make_table_histogram.py"),
        # not a function of the input, because Snakemake does not record such parameters
        sha256=lambda wildcards: sha256_of(DATA_FILES[wildcards.dataset]),
        table=lambda wildcards: {
            key: TABLES[wildcards.dataset][key]
            for key in TABLE_SETTINGS
            if key in TABLES[wildcards.dataset]
        },
    script:
        "../scripts/make_table_histogram.py"


rule fetch_file:
    output:
        file="data/downloads/{file}",
    log:
        f"{RESULTS}/logs/fetch_file/{{file}}.log",
    wildcard_constraints:
        file="[A-Za-z0-9._-]+",
    # before other jobs, so that a failed download is reported within seconds
    priority: 1
    localrule: True
    script:
        "../scripts/fetch_file.py"


rule make_records_histogram:
    input:
        records=lambda wildcards: ancient(DATA_FILES[wildcards.dataset]),
    output:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
        test=f"{RESULTS}/histograms/{{dataset}}_test.parquet",
        tally=f"{RESULTS}/histograms/{{dataset}}_tally.csv",
    log:
        f"{RESULTS}/logs/make_records_histogram/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/make_records_histogram/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(RECORDS),
    params:
        code=code("make_records_histogram.py"),
        records=lambda wildcards: RECORDS[wildcards.dataset],
        target=lambda wildcards: target_of(wildcards.dataset),
        lists_empty=lambda wildcards: kinds.kind_of(HISTOGRAMS[wildcards.dataset]).lists_empty,
        sha256=lambda wildcards: sha256_of(DATA_FILES[wildcards.dataset]),
        seed=DESIGN.seed,
    script:
        "../scripts/make_records_histogram.py"
