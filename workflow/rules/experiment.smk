# The experiment: every repeat of every grid point, and what they amount to.

import os

from ggexp import workload


localrules:
    tabulate_scales,
    merge_tables,


# What jobs that train share, and where it is: in files, or made in each job, which then takes all
# cores, as its threads share two large matrices.
ARRAYS = [
    *("points", "test_points", "test_kernel"),
    *("order", "kernel", "beta", "lacking", "share", "response"),
]
IN_FILES = config["execution"]["shared_files"]
SHARED_ARRAYS = (
    expand(f"{RESULTS}/classifiers/{{{{dataset}}}}/{{array}}.npy", array=ARRAYS) if IN_FILES else []
)
TRAINING_THREADS = 1 if IN_FILES else 64
# The repeats that a summary is made of, and the tables that one is.
MEASURED = {"errors": repeats_files, "accuracy": accuracy_files}
MERGED = {
    "summary": [
        f"{RESULTS}/summary/{measured}/{dataset}.csv"
        for measured, datasets in {"errors": config["datasets"], "accuracy": CLASSIFIERS}.items()
        for dataset in datasets
    ],
    "baseline": expand(f"{RESULTS}/baselines/{{dataset}}.csv", dataset=CLASSIFIERS),
    "synthetic/marginals": [
        f"{RESULTS}/synthetic/marginals/{path}.parquet"
        for dataset in SYNTHETIC
        for path in paths(dataset)
    ],
}


def is_listed(wildcards):
    """Whether the releases of a data set have its listed cells and no others."""
    return kinds.kind_of(HISTOGRAMS[wildcards.dataset]).lists_cells


def tally_of_unlisted(wildcards):
    """What says how many cells a histogram has, if it does not list them itself."""
    tally = f"{RESULTS}/histograms/{wildcards.dataset}_tally.csv"
    return {} if is_listed(wildcards) else {"tally": tally}


def kind_of(wildcards):
    """How a data set is released, as jobs are told of it."""
    return kinds.parameters(HISTOGRAMS[wildcards.dataset])


def code_of_kind(script, wildcards, points=None):
    """A fingerprint of a script's code, of the noise at its grid points and of the kind of release."""
    modules = [module_of_kind(kind_of(wildcards))]
    if not is_listed(wildcards):  # what these use of generalized Gaussian noise
        modules.append("ggexp.mechanisms.tails")
    return code_and_noise(script, points or [point_of(wildcards)], *modules)


def arrays_of(wildcards):
    """What classifiers share, if they share a kernel."""
    files = [path.format(dataset=wildcards.dataset) for path in SHARED_ARRAYS]
    return files if is_listed(wildcards) else []


def training_threads(wildcards):
    """How many threads a job that trains has: only those of one kernel share work."""
    return TRAINING_THREADS if is_listed(wildcards) else 1


@cache  # many jobs ask for the same
def work_of(histogram, test, target):
    """The cells of each class, the test records that are predicted, and the sum of the counts."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    cells, tested = pq.read_table(histogram, columns=[target, "count"]), pq.read_table(test)
    classes = [count["counts"].as_py() for count in cells[target].value_counts()]
    different = tested.group_by(tested.column_names).aggregate([]).num_rows
    records = workload.predicted_records(tested.num_rows, different)
    return classes, records, pc.sum(cells["count"]).as_py()


def training_work(wildcards, input):
    """The work of a job that trains, as `work_of` has it, and its releases."""
    for path in (input.histogram, input.test):
        os.stat(path)  # raises what Snakemake knows for a number that is to be determined
    releases = int(wildcards.last) - int(wildcards.first) + 1 if "last" in wildcards.keys() else 1
    work = work_of(input.histogram, input.test, target_of(wildcards.dataset))
    return *work, releases


def training_memory(wildcards, input, attempt, threads):
    """The memory of a job that trains, in 10^6 bytes."""
    classes, records, counts, releases = training_work(wildcards, input)
    # a thread has a block of releases of its own
    blocks = min(threads, -(-releases // workload.BLOCK))
    return attempt * workload.classification_megabytes(classes, records, counts, blocks)


def training_minutes(wildcards, input, attempt):
    """The time that a job that trains may take: several times what is expected of one core."""
    classes, _, counts, releases = training_work(wildcards, input)
    listed = is_listed(wildcards)
    seconds = releases * workload.release_seconds(sum(classes), counts, listed=listed)
    return attempt * workload.job_minutes(seconds)


rule tabulate_scales:
    output:
        scales=f"{RESULTS}/scales.csv",
    log:
        f"{RESULTS}/logs/tabulate_scales.log",
    params:
        code=code_and_noise("tabulate_scales.py", POINTS.values()),
        points=list(POINTS.values()),
    script:
        "../scripts/tabulate_scales.py"


rule measure_releases:
    input:
        unpack(tally_of_unlisted),
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
        code=lambda wildcards: code_of_kind(
            "write_releases.py", wildcards, points_of(wildcards.dataset)
        ),
        kind=kind_of,
        points=lambda wildcards: points_of(wildcards.dataset),
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
    script:
        "../scripts/write_releases.py"


# what all jobs that train share: their inputs, mapped into memory, of which one copy serves all
rule prepare_classifiers:
    input:
        histogram=rules.make_records_histogram.output.histogram,
        test=rules.make_records_histogram.output.test,
    output:
        arrays=expand(f"{RESULTS}/classifiers/{{{{dataset}}}}/{{array}}.npy", array=ARRAYS),
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
        arrays=arrays_of,
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
        arrays=arrays_of,
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


# errors and accuracy apart, so that the figures of errors do not wait for the classifiers
rule summarize:
    input:
        # listed, so that files of grid points that left the design are not taken in
        repeats=lambda wildcards: MEASURED[wildcards.measured](wildcards.dataset),
    output:
        summary=f"{RESULTS}/summary/{{measured}}/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize/{{measured}}/{{dataset}}.log",
    wildcard_constraints:
        measured=one_of(MEASURED),
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
        tables=lambda wildcards: MERGED[wildcards.merged],
    output:
        table=f"{RESULTS}/{{merged}}.csv",
    log:
        f"{RESULTS}/logs/merge_tables/{{merged}}.log",
    wildcard_constraints:
        merged=one_of(MERGED),
    params:
        code=code("merge_tables.py"),
    script:
        "../scripts/merge_tables.py"
