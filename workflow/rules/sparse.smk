# Histograms of too many cells to list, whose empty cells are released too (`cells:` of a data set).


localrules:
    tabulate_survivors,


# What such releases use of generalized Gaussian noise, and those of all listed cells do not.
TAILS = "ggexp.mechanisms.tails"


rule sanitize_sparse:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        tally=rules.make_records_histogram.output.tally,
    output:
        repeats=f"{RESULTS}/repeats/{{dataset}}/{{mechanism}}/{{point}}.parquet",
    log:
        f"{RESULTS}/logs/sanitize_sparse/{{dataset}}/{{mechanism}}/{{point}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/sanitize_sparse/{{dataset}}/{{mechanism}}/{{point}}.tsv"
    wildcard_constraints:
        dataset=one_of(SPARSE),
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(2),
    params:
        code=lambda wildcards: code_and_noise("sanitize_sparse.py", [point_of(wildcards)], TAILS),
        point=point_of,
        kind=lambda wildcards: sparse_kind(wildcards.dataset),
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
    script:
        "../scripts/sanitize_sparse.py"


rule classify_sparse:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
    output:
        accuracy=f"{RESULTS}/accuracy/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.parquet",
    log:
        f"{RESULTS}/logs/classify_sparse/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/classify_sparse/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.tsv"
    wildcard_constraints:
        dataset=one_of(SPARSE),
        first=r"\d+",
        last=r"\d+",
    resources:
        mem_mb=scaled(2000),
        runtime=scaled(60),
    params:
        code=lambda wildcards: code_and_noise("classify_sparse.py", [point_of(wildcards)], TAILS),
        records=lambda wildcards: RECORDS[wildcards.dataset],
        point=point_of,
        kind=lambda wildcards: sparse_kind(wildcards.dataset),
        seed=DESIGN.seed,
        repeats=lambda wildcards: [int(wildcards.first), int(wildcards.last) + 1],
    script:
        "../scripts/classify_sparse.py"


rule tabulate_sparse_baselines:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
    output:
        baseline=f"{RESULTS}/baselines/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_sparse_baselines/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(SPARSE),
    resources:
        mem_mb=scaled(2000),
        runtime=scaled(10),
    params:
        code=code("tabulate_sparse_baselines.py"),
        target=lambda wildcards: TARGETS[wildcards.dataset],
    script:
        "../scripts/tabulate_sparse_baselines.py"


rule tabulate_survivors:
    input:
        summaries=lambda wildcards: [
            f"{RESULTS}/summary/{metrics}/{FIGURES[wildcards.number].dataset}.csv"
            for metrics in summarized(FIGURES[wildcards.number].dataset)
        ],
        tally=lambda wildcards: f"{RESULTS}/histograms/{FIGURES[wildcards.number].dataset}_tally.csv",
        baseline=lambda wildcards: [
            f"{RESULTS}/baselines/{FIGURES[wildcards.number].dataset}.csv"
            for metrics in summarized(FIGURES[wildcards.number].dataset)
            if metrics == "accuracy"
        ],
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_survivors/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(figures_of("survivors")),
    resources:
        mem_mb=scaled(500),
        runtime=scaled(5),
    params:
        code=code("tabulate_survivors.py"),
    script:
        "../scripts/tabulate_survivors.py"
