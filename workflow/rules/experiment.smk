# The experiment: every repeat of every grid point, and what they amount to.


localrules:
    tabulate_scales,
    merge_summaries,
    merge_baselines,


# What jobs that train share, and where it is: in files, or made in each job, which then takes all
# cores, as its threads share two large matrices.
ARRAYS = [
    *("points", "test_points", "test_kernel"),
    *("order", "kernel", "beta", "lacking", "share", "response"),
]
IN_FILES = config["svm"]["shared_files"]
MACHINES = (
    expand(f"{RESULTS}/machines/{{{{dataset}}}}/{{array}}.npy", array=ARRAYS) if IN_FILES else []
)
TRAINING_THREADS = 1 if IN_FILES else 64


rule tabulate_scales:
    output:
        scales=f"{RESULTS}/scales.csv",
    log:
        f"{RESULTS}/logs/tabulate_scales.log",
    resources:
        mem_mb=scaled(500),
        runtime=scaled(5),
    params:
        code=code_and_noise("tabulate_scales.py", POINTS.values()),
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
    wildcard_constraints:
        dataset=one_of(dataset for dataset in HISTOGRAMS if dataset not in SPARSE),
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(2),
    params:
        code=lambda wildcards: code_and_noise("sanitize_histogram.py", [point_of(wildcards)]),
        point=point_of,
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
        pseudo_count=lambda wildcards: divergence(wildcards.dataset)["pseudo_count"],
        direction=lambda wildcards: divergence(wildcards.dataset)["direction"],
    script:
        "../scripts/sanitize_histogram.py"


# for others to score by measures of their own; nothing here reads it
rule write_releases:
    input:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    output:
        releases=f"{RESULTS}/releases/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/write_releases/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/write_releases/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(HISTOGRAMS),
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(30),
    params:
        code=lambda wildcards: code_and_noise("write_releases.py", points_of(wildcards.dataset)),
        sparse=lambda wildcards: wildcards.dataset in SPARSE,
        points=lambda wildcards: points_of(wildcards.dataset),
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
    script:
        "../scripts/write_releases.py"


# what all jobs that train share: their inputs, mapped into memory, of which one copy serves all
rule prepare_machines:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
    output:
        arrays=expand(f"{RESULTS}/machines/{{{{dataset}}}}/{{array}}.npy", array=ARRAYS),
    log:
        f"{RESULTS}/logs/prepare_machines/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/prepare_machines/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(SHARED_KERNEL),
    threads: 64
    resources:
        mem_mb=scaled(4000),
        runtime=scaled(10),
    params:
        code=code("prepare_machines.py"),
        target=lambda wildcards: TARGETS[wildcards.dataset],
    script:
        "../scripts/prepare_machines.py"


rule classify_releases:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
        arrays=MACHINES,
    output:
        accuracy=f"{RESULTS}/accuracy/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.parquet",
    log:
        f"{RESULTS}/logs/classify_releases/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/classify_releases/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.tsv"
    wildcard_constraints:
        dataset=one_of(SHARED_KERNEL),
        first=r"\d+",
        last=r"\d+",
    threads: TRAINING_THREADS
    resources:
        mem_mb=scaled(4000),
        runtime=scaled(60),
    params:
        code=lambda wildcards: code_and_noise("classify_releases.py", [point_of(wildcards)]),
        target=lambda wildcards: TARGETS[wildcards.dataset],
        point=point_of,
        seed=DESIGN.seed,
        repeats=lambda wildcards: [int(wildcards.first), int(wildcards.last) + 1],
    script:
        "../scripts/classify_releases.py"


rule tabulate_baselines:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
        arrays=MACHINES,
    output:
        baseline=f"{RESULTS}/baselines/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_baselines/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tabulate_baselines/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(SHARED_KERNEL),
    threads: TRAINING_THREADS
    resources:
        mem_mb=scaled(4000),
        runtime=scaled(10),
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
        mem_mb=scaled(2000),
        runtime=scaled(10),
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
        mem_mb=scaled(2000),
        runtime=scaled(10),
    params:
        code=code("summarize_accuracy.py"),
        jobs=lambda wildcards, input: len(input.accuracy) // len(classified(wildcards.dataset)),
        repeats=MACHINE_REPEATS,
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
        mem_mb=scaled(500),
        runtime=scaled(5),
    params:
        code=code("merge_summaries.py"),
    script:
        "../scripts/merge_summaries.py"


rule merge_baselines:
    input:
        tables=expand(f"{RESULTS}/baselines/{{dataset}}.csv", dataset=TARGETS),
    output:
        table=f"{RESULTS}/baseline.csv",
    log:
        f"{RESULTS}/logs/merge_baselines.log",
    resources:
        mem_mb=scaled(500),
        runtime=scaled(5),
    params:
        code=code("merge_baselines.py"),
    script:
        "../scripts/merge_baselines.py"
