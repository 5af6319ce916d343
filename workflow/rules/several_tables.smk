# Several tables of the same records, of the data sets that have the key `several_tables`.


def published(wildcards):
    """Return the settings of what is published of a job's data set."""
    return DATA[wildcards.dataset].settings.several_tables


rule measure_tables:
    input:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
        test=lambda wildcards: (
            [f"{RESULTS}/histograms/{wildcards.dataset}_test.parquet"]
            if DATA[wildcards.dataset].records
            else []
        ),
    output:
        errors=f"{RESULTS}/tables/errors/{{dataset}}/{{mechanism}}/{{point}}.parquet",
    log:
        f"{RESULTS}/logs/measure_tables/{{dataset}}/{{mechanism}}/{{point}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_tables/{{dataset}}/{{mechanism}}/{{point}}.tsv"
    wildcard_constraints:
        dataset=one_of(PLAN.several_tables),
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(30),
    params:
        code=lambda wildcards: fingerprint_of(
            "measure_tables.py", *families([PLAN.point(wildcards)]), TAILS
        ),
        records=lambda wildcards: DATA[wildcards.dataset].records,
        target=lambda wildcards: DATA[wildcards.dataset].target,
        publish=lambda wildcards: published(wildcards).publish,
        share=lambda wildcards: published(wildcards).selection_share,
        point=lambda wildcards: PLAN.point(wildcards)["point"],
        mechanism=lambda wildcards: config["mechanisms"][wildcards.mechanism],
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
        records=lambda wildcards: DATA[wildcards.dataset].records,
        target=lambda wildcards: DATA[wildcards.dataset].target,
        publish=lambda wildcards: published(wildcards).publish,
        share=None,
        point=None,
        mechanism=None,
        seed=config["seed"],
        repeats=config["repeats"],


use rule summarize_records as summarize_tables with:
    input:
        repeats=lambda wildcards: [
            f"{RESULTS}/tables/noiseless/{wildcards.dataset}.parquet",
            *(
                f"{RESULTS}/tables/errors/{path}.parquet"
                for path in DATA[wildcards.dataset].points
            ),
        ],
    output:
        summary=f"{RESULTS}/tables/summary/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize_tables/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(PLAN.several_tables),
