# The experiment: every repeat of every grid point, and what they amount to.


localrules:
    tabulate_scales,
    merge_summaries,
    merge_baselines,


rule tabulate_scales:
    output:
        scales=f"{RESULTS}/scales.csv",
    log:
        f"{RESULTS}/logs/tabulate_scales.log",
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("tabulate_scales.py"),
        points=list(POINTS.values()),
    script:
        "../scripts/tabulate_scales.py"


rule sanitize_histogram:
    input:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    output:
        repeats=f"{RESULTS}/repeats/{{dataset}}/{{mechanism}}/{{point}}.parquet",
    log:
        f"{RESULTS}/logs/sanitize_histogram/{{dataset}}/{{mechanism}}/{{point}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/sanitize_histogram/{{dataset}}/{{mechanism}}/{{point}}.tsv"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("sanitize_histogram.py"),
        point=lambda wildcards: POINTS[
            f"{wildcards.dataset}/{wildcards.mechanism}/{wildcards.point}"
        ],
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
        pseudo_count=lambda wildcards: divergence(wildcards.dataset)["pseudo_count"],
        direction=lambda wildcards: divergence(wildcards.dataset)["direction"],
    script:
        "../scripts/sanitize_histogram.py"


rule classify_releases:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
    output:
        accuracy=f"{RESULTS}/accuracy/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.parquet",
    log:
        f"{RESULTS}/logs/classify_releases/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/classify_releases/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.tsv"
    wildcard_constraints:
        dataset=one_of(TARGETS),
        first=r"\d+",
        last=r"\d+",
    # all cores for one job: its threads share two large matrices
    threads: 64
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("classify_releases.py"),
        target=lambda wildcards: TARGETS[wildcards.dataset],
        point=lambda wildcards: POINTS[
            f"{wildcards.dataset}/{wildcards.mechanism}/{wildcards.point}"
        ],
        seed=DESIGN.seed,
        repeats=lambda wildcards: [int(wildcards.first), int(wildcards.last) + 1],
    script:
        "../scripts/classify_releases.py"


rule tabulate_baselines:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
    output:
        baseline=f"{RESULTS}/baselines/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_baselines/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tabulate_baselines/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(TARGETS),
    threads: 64
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        code=code("tabulate_baselines.py"),
        target=lambda wildcards: TARGETS[wildcards.dataset],
    script:
        "../scripts/tabulate_baselines.py"


rule summarize_errors:
    input:
        # listed, so that files of grid points that left the design are not taken in
        repeats=lambda wildcards: repeats_files(wildcards.dataset),
    output:
        summary=f"{RESULTS}/summary/errors/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize_errors/{{dataset}}.log",
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("summarize_errors.py"),
    script:
        "../scripts/summarize_errors.py"


# apart from the errors, so that their figures do not wait for the machines
rule summarize_accuracy:
    input:
        accuracy=lambda wildcards: accuracy_files(wildcards.dataset),
    output:
        summary=f"{RESULTS}/summary/accuracy/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize_accuracy/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(TARGETS),
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("summarize_accuracy.py"),
        jobs=lambda wildcards, input: len(input.accuracy) // len(DESIGN.scales[wildcards.dataset]),
        repeats=DESIGN.repeats,
    script:
        "../scripts/summarize_accuracy.py"


rule merge_summaries:
    input:
        tables=[
            *expand(rules.summarize_errors.output.summary, dataset=config["datasets"]),
            *expand(rules.summarize_accuracy.output.summary, dataset=TARGETS),
        ],
    output:
        table=f"{RESULTS}/summary.csv",
    log:
        f"{RESULTS}/logs/merge_summaries.log",
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("merge_summaries.py"),
    script:
        "../scripts/merge_summaries.py"


rule merge_baselines:
    input:
        tables=expand(rules.tabulate_baselines.output.baseline, dataset=TARGETS),
    output:
        table=f"{RESULTS}/baseline.csv",
    log:
        f"{RESULTS}/logs/merge_baselines.log",
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("merge_baselines.py"),
    script:
        "../scripts/merge_baselines.py"
