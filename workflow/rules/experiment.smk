# The experiment: the repeats of every grid point, and their summaries.

from ggexp.plan.data_set import ARRAYS
from ggexp.plan.plan import SUMMARY

ARRAY_FILES = [f"{RESULTS}/classifiers/{{dataset}}/{array}.npy" for array in ARRAYS]


rule measure_releases:
    input:
        unpack(histogram_and_tally),
    output:
        repeats=f"{RESULTS}/repeats/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/measure_releases/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_releases/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of([] if PLAN.is_divided else DATA),
    # before other jobs, because it takes longer than most
    priority: 1
    conda:
        "../envs/ggexp.yaml"
    resources:
        runtime=per_attempt(30),
    params:
        code=code_of("measure_releases.py"),
        points=lambda wildcards: [*data_of(wildcards).points.values()],
        kind=lambda wildcards: data_of(wildcards).kind,
        seed=config["seed"],
        repeats=[0, config["repeats"]],
        pseudo_count=lambda wildcards: data_of(wildcards).settings.kl.pseudo_count,
    script:
        "../scripts/measure_releases.py"


# Some of the repeats, if there are more than those of one job.
use rule measure_releases as measure_part with:
    output:
        repeats=temp(f"{RESULTS}/repeats/{{dataset}}/repeats-{{first}}-{{last}}.parquet"),
    log:
        f"{RESULTS}/logs/measure_part/{{dataset}}/repeats-{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_part/{{dataset}}/repeats-{{first}}-{{last}}.tsv"
    wildcard_constraints:
        dataset=one_of(DATA),
    params:
        repeats=lambda wildcards: [int(wildcards.first), int(wildcards.last) + 1],


# Releases to be scored by other programs and metrics. No rule reads them.
rule write_releases:
    input:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    output:
        releases=f"{RESULTS}/releases/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/write_releases/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/write_releases/{{dataset}}.tsv"
    conda:
        "../envs/ggexp.yaml"
    resources:
        runtime=per_attempt(30),
    params:
        code=code_of("write_releases.py"),
        kind=lambda wildcards: data_of(wildcards).kind,
        points=lambda wildcards: [*data_of(wildcards).points.values()],
        seed=config["seed"],
        repeats=config["repeats"],
    script:
        "../scripts/write_releases.py"


# The arrays that all training jobs share. The jobs map them into memory, so that there is one copy.
rule prepare_classifiers:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
    output:
        arrays=ARRAY_FILES,
    log:
        f"{RESULTS}/logs/prepare_classifiers/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/prepare_classifiers/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(PLAN.having("classifier")),
    # before other jobs, because all training waits for it; with one thread, because it spends most
    # of its time in the solver and in writing
    priority: 1
    conda:
        "../envs/ggexp.yaml"
    resources:
        mem_mb=PLAN.training.memory,
        runtime=training_minutes,
    params:
        code=fingerprint_of("prepare_classifiers.py"),
        target=lambda wildcards: data_of(wildcards).target,
    script:
        "../scripts/prepare_classifiers.py"


rule measure_accuracy:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
        tally=rules.make_records_histogram.output.tally,
        arrays=shared_arrays,
    output:
        accuracy=f"{RESULTS}/accuracy/{{dataset}}/{{trained}}/repeats-{{first}}-{{last}}.parquet",
    log:
        f"{RESULTS}/logs/measure_accuracy/{{dataset}}/{{trained}}/repeats-{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_accuracy/{{dataset}}/{{trained}}/repeats-{{first}}-{{last}}.tsv"
    conda:
        "../envs/ggexp.yaml"
    threads: PLAN.training.threads
    resources:
        mem_mb=PLAN.training.memory,
        runtime=training_minutes,
    params:
        code=code_of("measure_accuracy.py", points=trained_points),
        target=lambda wildcards: data_of(wildcards).target,
        points=trained_points,
        kinds=lambda wildcards: [data_of(wildcards).kind],
        seed=config["seed"],
        repeats=lambda wildcards: [int(wildcards.first), int(wildcards.last) + 1],
    script:
        "../scripts/measure_accuracy.py"


rule tabulate_baselines:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
        arrays=shared_arrays,
    output:
        baseline=f"{RESULTS}/baselines/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_baselines/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tabulate_baselines/{{dataset}}.tsv"
    conda:
        "../envs/ggexp.yaml"
    threads: PLAN.training.threads
    resources:
        mem_mb=PLAN.training.memory,
        runtime=training_minutes,
    params:
        code=fingerprint_of("tabulate_baselines.py"),
        target=lambda wildcards: data_of(wildcards).target,
        listed=lambda wildcards: data_of(wildcards).release.lists_cells,
    script:
        "../scripts/tabulate_baselines.py"


# Errors have their own summaries, so that their figures need not wait for classifiers. Beside them
# stand the errors of a table without information, with which those of releases are compared.
rule summarize_errors:
    input:
        unpack(histogram_and_tally),
        repeats=f"{RESULTS}/repeats/{{dataset}}.parquet",
    output:
        summary=f"{RESULTS}/summary/errors/{{dataset}}.csv",
        equal=f"{RESULTS}/equal_counts/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize_errors/{{dataset}}.log",
    conda:
        "../envs/ggexp.yaml"
    resources:
        mem_mb=per_attempt(2000),
    params:
        code=fingerprint_of("summarize_errors.py"),
        repeats=config["repeats"],
        pseudo_count=lambda wildcards: data_of(wildcards).settings.kl.pseudo_count,
        has_marginals=lambda wildcards: bool(data_of(wildcards).settings.synthetic),
    script:
        "../scripts/summarize_errors.py"


rule summarize:
    input:
        repeats=lambda wildcards: PLAN.measured("accuracy", wildcards.dataset),
    output:
        summary=f"{RESULTS}/summary/accuracy/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize/{{dataset}}.log",
    conda:
        "../envs/ggexp.yaml"
    resources:
        mem_mb=per_attempt(2000),
    params:
        code=fingerprint_of("summarize.py"),
        repeats=lambda wildcards: data_of(wildcards).trained_repeats,
    script:
        "../scripts/summarize.py"


rule merge_tables:
    input:
        tables=lambda wildcards: PLAN.merged[wildcards.merged],
    output:
        table=f"{RESULTS}/{{merged}}.csv",
    log:
        f"{RESULTS}/logs/merge_tables/{{merged}}.log",
    localrule: True
    conda:
        "../envs/ggexp.yaml"
    params:
        code=fingerprint_of("tabulate.py", SUMMARY),
        function=f"{SUMMARY}.by_grid_point",
    script:
        "../scripts/tabulate.py"


use rule merge_tables as join_parts with:
    input:
        tables=lambda wildcards: PLAN.parts(f"repeats/{wildcards.dataset}", config["repeats"]),
    output:
        table=f"{RESULTS}/repeats/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/join_parts/{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of(DATA if PLAN.is_divided else []),
