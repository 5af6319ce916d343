# Synthetic records of the data sets that have the key `synthetic`.

# The data sets on whose synthetic records classifiers are trained.
CLASSIFIED_RECORDS = [dataset for dataset in SYNTHETIC if dataset in CLASSIFIERS]


# The records of the first repeat and the errors of all repeats are stored.
rule make_records:
    input:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    output:
        errors=f"{RESULTS}/synthetic/errors/{{dataset}}/{{mechanism}}/{{point}}.parquet",
        marginals=f"{RESULTS}/synthetic/marginals/{{dataset}}/{{mechanism}}/{{point}}.parquet",
        gains=f"{RESULTS}/synthetic/gains/{{dataset}}/{{mechanism}}/{{point}}.parquet",
        records=directory(f"{RESULTS}/synthetic/records/{{dataset}}/{{mechanism}}/{{point}}"),
    log:
        f"{RESULTS}/logs/make_records/{{dataset}}/{{mechanism}}/{{point}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/make_records/{{dataset}}/{{mechanism}}/{{point}}.tsv"
    wildcard_constraints:
        dataset=one_of(SYNTHETIC),
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(2),
    params:
        code=lambda wildcards: code_of_kind("make_records.py", wildcards, uses_tails=True),
        point=point_of,
        kind=kind_of,
        methods=lambda wildcards: SYNTHETIC[wildcards.dataset],
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
    script:
        "../scripts/make_records.py"


use rule measure_accuracy as classify_records with:
    output:
        accuracy=f"{RESULTS}/synthetic/accuracy/{{dataset}}/{{mechanism}}/{{point}}.parquet",
    log:
        f"{RESULTS}/logs/classify_records/{{dataset}}/{{mechanism}}/{{point}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/classify_records/{{dataset}}/{{mechanism}}/{{point}}.tsv"
    wildcard_constraints:
        dataset=one_of(CLASSIFIED_RECORDS),
    params:
        code=lambda wildcards: code_and_noise(
            "measure_accuracy.py", [point_of(wildcards)], "ggexp.releases.records"
        ),
        target=lambda wildcards: target_of(wildcards.dataset),
        records=None,
        point=point_of,
        kinds=lambda wildcards: [
            {"kind": "ggexp.releases.records.Records", "method": method}
            for method in SYNTHETIC[wildcards.dataset]
        ],
        seed=DESIGN.seed,
        repeats=lambda wildcards: [0, CLASSIFIERS[wildcards.dataset]["repeats"]],


rule summarize_records:
    input:
        repeats=lambda wildcards: [
            *(
                f"{RESULTS}/synthetic/errors/{path}.parquet"
                for path in point_paths(wildcards.dataset)
            ),
            *(
                f"{RESULTS}/synthetic/accuracy/{point.path}.parquet"
                for point in trained_points(wildcards.dataset)
            ),
        ],
    output:
        summary=f"{RESULTS}/synthetic/summary/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize_records/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(SYNTHETIC),
    params:
        code=code("summarize.py"),
    script:
        "../scripts/summarize.py"
