# The histogram (cells and counts) of every data set, and downloads of its files.


localrules:
    fetch_file,


rule make_table_histogram:
    input:
        table=lambda wildcards: TABLES[wildcards.dataset]["counts"],
    output:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/make_table_histogram/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(TABLES),
    params:
        code=code("make_table_histogram.py"),
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
    script:
        "../scripts/fetch_file.py"


rule make_records_histogram:
    input:
        records=lambda wildcards: RECORDS[wildcards.dataset]["file"],
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
        sha256=lambda wildcards, input: DOWNLOADS.get(input.records),
        seed=DESIGN.seed,
    script:
        "../scripts/make_records_histogram.py"
