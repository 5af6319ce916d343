# The experiment: the repeats of every grid point, and their summaries.

import os

from ggexp import workload

# Arrays that all training jobs of a data set share. Either they are files, or each job computes
# them and uses all cores, because its threads then share two large matrices.
ARRAYS = [
    *("points", "test_points", "test_kernel"),
    *("order", "kernel", "beta", "margin", "relative_alpha", "response"),
]
ARRAY_FILES = [f"{RESULTS}/classifiers/{{dataset}}/{array}.npy" for array in ARRAYS]
SHARES_FILES = config["execution"]["shared_files"]
# Measurement -> a function that returns the files of a data set's repeats.
MEASUREMENTS = {"errors": repeats_files, "accuracy": accuracy_files}
# Merged table -> the tables that it merges.
MERGED_TABLES = {
    "summary": [
        f"{RESULTS}/summary/{measured}/{dataset}.csv"
        for measured, datasets in {"errors": config["datasets"], "accuracy": CLASSIFIERS}.items()
        for dataset in datasets
    ],
    "baseline": expand(f"{RESULTS}/baselines/{{dataset}}.csv", dataset=CLASSIFIERS),
    "synthetic/marginals": [
        f"{RESULTS}/synthetic/marginals/{path}.parquet"
        for dataset in SYNTHETIC
        for path in point_paths(dataset)
    ],
}


def is_listed(wildcards):
    """Return whether the releases of a data set consist of exactly its listed cells."""
    return kinds.kind_of(HISTOGRAMS[wildcards.dataset]).lists_cells


def tally_if_unlisted(wildcards):
    """Return the tally, which has the number of all cells, if releases contain unlisted cells."""
    tally = f"{RESULTS}/histograms/{wildcards.dataset}_tally.csv"
    return {} if is_listed(wildcards) else {"tally": tally}


def kind_of(wildcards):
    """Return the parameters of a data set's kind of release, which jobs receive."""
    return kinds.parameters(HISTOGRAMS[wildcards.dataset])


def code_of_kind(script, wildcards, points=None, uses_tails=False):
    """Return a fingerprint of a script, the noise at its grid points and the kind of release.

    uses_tails: whether the script itself uses the tails of the noise, as unlisted kinds do. If the
        noise is generalized Gaussian, it imports their module by its name.
    """
    modules = [module_of_kind(kind_of(wildcards))]
    if uses_tails or not is_listed(wildcards):
        modules.append("ggexp.mechanisms.tails")
    return code_and_noise(script, points or [point_of(wildcards)], *modules)


def shared_arrays(wildcards):
    """Return the files of arrays that classifiers share, if they share a kernel."""
    return ARRAY_FILES if SHARES_FILES and is_listed(wildcards) else []


def training_threads(wildcards):
    """Return the number of threads of a training job: 1 if it reads or needs no shared arrays."""
    return 1 if SHARES_FILES or not is_listed(wildcards) else 64


@cache  # called for the same files by many jobs
def training_size(histogram, test, target):
    """Return the cells per class, the number of predicted test records, and the sum of counts."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    cells, records = pq.read_table(histogram, columns=[target, "count"]), pq.read_table(test)
    classes = [count["counts"].as_py() for count in cells[target].value_counts()]
    distinct = records.group_by(records.column_names).aggregate([]).num_rows
    predicted = workload.predicted_records(records.num_rows, distinct)
    return classes, predicted, pc.sum(cells["count"]).as_py()


def job_size(wildcards, input):
    """Return the `training_size` of a job, and the number of its releases."""
    for path in (input.histogram, input.test):
        os.stat(path)  # an error tells Snakemake that the resource is not yet known
    releases = int(wildcards.last) - int(wildcards.first) + 1 if "last" in wildcards.keys() else 1
    size = training_size(input.histogram, input.test, target_of(wildcards.dataset))
    return *size, releases


def training_memory(wildcards, input, attempt, threads):
    """Return the memory that a training job requests, in units of 10^6 bytes."""
    classes, records, counts, releases = job_size(wildcards, input)
    # each thread works on its own block of releases
    blocks = min(threads, -(-releases // workload.BLOCK))
    return attempt * workload.classification_megabytes(classes, records, counts, blocks)


def training_minutes(wildcards, input, attempt):
    """Return the time limit of a training job in minutes, several times the time on one core."""
    classes, _, counts, releases = job_size(wildcards, input)
    listed = is_listed(wildcards)
    seconds = releases * workload.release_seconds(sum(classes), counts, listed=listed)
    return attempt * workload.job_minutes(seconds)


rule tabulate_scales:
    output:
        scales=f"{RESULTS}/scales.csv",
    log:
        f"{RESULTS}/logs/tabulate_scales.log",
    localrule: True
    params:
        code=code_and_noise("tabulate_scales.py", POINTS.values()),
        points=list(POINTS.values()),
    script:
        "../scripts/tabulate_scales.py"


rule measure_releases:
    input:
        unpack(tally_if_unlisted),
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    output:
        repeats=f"{RESULTS}/repeats/{{dataset}}/{{mechanism}}/{{point}}.parquet",
    log:
        f"{RESULTS}/logs/measure_releases/{{dataset}}/{{mechanism}}/{{point}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_releases/{{dataset}}/{{mechanism}}/{{point}}.tsv"
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(2),
    params:
        code=lambda wildcards: code_of_kind("measure_releases.py", wildcards),
        point=point_of,
        kind=kind_of,
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
        pseudo_count=lambda wildcards: HISTOGRAMS[wildcards.dataset]["kl"]["pseudo_count"],
    script:
        "../scripts/measure_releases.py"


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
    wildcard_constraints:
        dataset=one_of(HISTOGRAMS),
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(30),
    params:
        code=lambda wildcards: code_of_kind(
            "write_releases.py", wildcards, points_of(wildcards.dataset)
        ),
        kind=kind_of,
        points=lambda wildcards: points_of(wildcards.dataset),
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
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
        dataset=one_of(CLASSIFIERS),
    threads: 64
    resources:
        mem_mb=training_memory,
        runtime=training_minutes,
    params:
        code=code("prepare_classifiers.py"),
        target=lambda wildcards: target_of(wildcards.dataset),
    script:
        "../scripts/prepare_classifiers.py"


rule measure_accuracy:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
        tally=rules.make_records_histogram.output.tally,
        arrays=shared_arrays,
    output:
        accuracy=f"{RESULTS}/accuracy/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.parquet",
    log:
        f"{RESULTS}/logs/measure_accuracy/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_accuracy/{{dataset}}/{{mechanism}}/{{point}}/repeats-{{first}}-{{last}}.tsv"
    wildcard_constraints:
        first=r"\d+",
        last=r"\d+",
    threads: training_threads
    resources:
        mem_mb=training_memory,
        runtime=training_minutes,
    params:
        code=lambda wildcards: code_of_kind("measure_accuracy.py", wildcards),
        records=lambda wildcards: None if is_listed(wildcards) else RECORDS[wildcards.dataset],
        target=lambda wildcards: target_of(wildcards.dataset),
        point=point_of,
        kinds=lambda wildcards: [kind_of(wildcards)],
        seed=DESIGN.seed,
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
    threads: training_threads
    resources:
        mem_mb=training_memory,
        runtime=training_minutes,
    params:
        code=code("tabulate_baselines.py"),
        target=lambda wildcards: target_of(wildcards.dataset),
        listed=is_listed,
    script:
        "../scripts/tabulate_baselines.py"


# Errors and accuracy have separate summaries, so that figures of errors need not wait for
# classifiers.
rule summarize:
    input:
        # an explicit list, to exclude files of grid points that are no longer in the design
        repeats=lambda wildcards: MEASUREMENTS[wildcards.measured](wildcards.dataset),
    output:
        summary=f"{RESULTS}/summary/{{measured}}/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize/{{measured}}/{{dataset}}.log",
    wildcard_constraints:
        measured=one_of(MEASUREMENTS),
    resources:
        mem_mb=scaled(2000),
        runtime=scaled(10),
    params:
        code=code("summarize.py"),
        repeats=lambda wildcards: (
            CLASSIFIERS[wildcards.dataset]["repeats"]
            if wildcards.measured == "accuracy"
            else DESIGN.repeats
        ),
    script:
        "../scripts/summarize.py"


rule merge_tables:
    input:
        tables=lambda wildcards: MERGED_TABLES[wildcards.merged],
    output:
        table=f"{RESULTS}/{{merged}}.csv",
    log:
        f"{RESULTS}/logs/merge_tables/{{merged}}.log",
    wildcard_constraints:
        merged=one_of(MERGED_TABLES),
    localrule: True
    params:
        code=code("merge_tables.py"),
    script:
        "../scripts/merge_tables.py"
