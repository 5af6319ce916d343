# Several tables of the same records, of the data sets that have the key `several_tables`.

SEVERAL = PLAN.having("several_tables")


rule measure_tables:
    input:
        unpack(test_and_tally),
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    output:
        errors=f"{RESULTS}/tables/errors/{{dataset}}/{{mechanism}}/{{point}}.parquet",
    log:
        f"{RESULTS}/logs/measure_tables/{{dataset}}/{{mechanism}}/{{point}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_tables/{{dataset}}/{{mechanism}}/{{point}}.tsv"
    wildcard_constraints:
        dataset=one_of(SEVERAL),
    resources:
        runtime=per_attempt(30),
    params:
        code=lambda wildcards: fingerprint_of(
            "measure_tables.py", *families([PLAN.point(wildcards)]), TAILS
        ),
        records=lambda wildcards: data_of(wildcards).records,
        target=lambda wildcards: data_of(wildcards).target,
        publish=lambda wildcards: data_of(wildcards).settings.several_tables.publish,
        tables=lambda wildcards: data_of(wildcards).settings.several_tables.tables or [],
        share=lambda wildcards: data_of(wildcards).settings.several_tables.selection_share,
        point=lambda wildcards: PLAN.point(wildcards)["point"],
        mechanism=lambda wildcards: {"order": None} | config["mechanisms"][wildcards.mechanism],
        seed=config["seed"],
        repeats=config["repeats"],
    script:
        "../scripts/measure_tables.py"


use rule measure_tables as measure_noiseless_tables with:
    output:
        errors=f"{RESULTS}/tables/noiseless/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/measure_noiseless_tables/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_noiseless_tables/{{dataset}}.tsv"
    params:
        code=fingerprint_of("measure_tables.py", TAILS),
        share=None,
        point=None,
        mechanism=None,


use rule summarize_records as summarize_tables with:
    input:
        repeats=lambda wildcards: [
            f"{RESULTS}/tables/noiseless/{wildcards.dataset}.parquet",
            *(f"{RESULTS}/tables/errors/{path}.parquet" for path in data_of(wildcards).points),
        ],
    output:
        summary=f"{RESULTS}/tables/summary/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize_tables/{{dataset}}.log",
