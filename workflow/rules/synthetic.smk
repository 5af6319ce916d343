# Synthetic records of the data sets that have the key `synthetic`.


SYNTHETIC = PLAN.having("synthetic")
# The data sets on whose synthetic records classifiers are trained.
TRAINED = [dataset for dataset in SYNTHETIC if DATA[dataset].target]


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
    conda:
        "../envs/ggexp.yaml"
    resources:
        runtime=per_attempt(2),
    params:
        code=code_of(
            "make_records.py", points=lambda wildcards: [PLAN.point(wildcards)], uses_tails=True
        ),
        point=PLAN.point,
        kind=lambda wildcards: data_of(wildcards).kind,
        methods=lambda wildcards: data_of(wildcards).settings.synthetic,
        seed=config["seed"],
        repeats=config["repeats"],
    script:
        "../scripts/make_records.py"


use rule measure_accuracy as classify_records with:
    output:
        accuracy=f"{RESULTS}/synthetic/accuracy/{{dataset}}/{{trained}}.parquet",
    log:
        f"{RESULTS}/logs/classify_records/{{dataset}}/{{trained}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/classify_records/{{dataset}}/{{trained}}.tsv"
    wildcard_constraints:
        dataset=one_of(TRAINED),
    params:
        code=lambda wildcards: fingerprint_of(
            "measure_accuracy.py", *families(trained_points(wildcards)), "ggexp.releases.records"
        ),
        kinds=lambda wildcards: [
            {"kind": "ggexp.releases.records.Records", "method": method}
            for method in data_of(wildcards).settings.synthetic
        ],
        repeats=lambda wildcards: [0, data_of(wildcards).trained_repeats],


use rule summarize as summarize_records with:
    input:
        repeats=lambda wildcards: PLAN.measured("records", wildcards.dataset),
    output:
        summary=f"{RESULTS}/synthetic/summary/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize_records/{{dataset}}.log",
    params:
        repeats=None,
