# The paper's design in other readings of the paper (config/multiverse.yaml): the target `multiverse`.

from dataclasses import asdict

from ggexp.experiment.keys import Multiverse
from ggexp.multiverse.choices import read_factorials
from ggexp.plan.data_set import without_bins

SECTION = PLAN.config.multiverse or Multiverse()
FACTORIALS = read_factorials(SECTION, config["repeats"])
# The data sets of records whose splits are measured, also without bins.
SPLIT = {
    f"{name}{suffix}": change(DATA[name].records)
    for name in PLAN.having("records")
    for suffix, change in (("", dict), ("-unbinned", without_bins))
}


# The split of a data set with another seed than the one of the run.
use rule make_records_histogram as make_split with:
    input:
        records=lambda wildcards: ancient(local(SPLIT[wildcards.dataset]["file"])),
    output:
        histogram=f"{RESULTS}/splits/{{dataset}}/{{split}}.parquet",
        test=f"{RESULTS}/splits/{{dataset}}/{{split}}_test.parquet",
        tally=f"{RESULTS}/splits/{{dataset}}/{{split}}_tally.csv",
    log:
        f"{RESULTS}/logs/make_split/{{dataset}}/{{split}}.log",
    wildcard_constraints:
        dataset=one_of(SPLIT),
        split=r"\d+",
    params:
        code=lambda wildcards: fingerprint_of(
            "make_records_histogram.py", *readers_of(SPLIT[wildcards.dataset]["file"])
        ),
        records=lambda wildcards: SPLIT[wildcards.dataset],
        target=lambda wildcards: DATA[wildcards.dataset.removesuffix("-unbinned")].target,
        lists_empty=False,
        origin=lambda wildcards: PLAN.origin(SPLIT[wildcards.dataset]["file"]),
        seed=lambda wildcards: int(wildcards.split),


rule measure_readings:
    input:
        unpack(measured_cells),
    output:
        part=f"{RESULTS}/parts/{{factorial}}/{{dataset}}/{{part}}.parquet",
    log:
        f"{RESULTS}/logs/measure_readings/{{factorial}}/{{dataset}}/{{part}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_readings/{{factorial}}/{{dataset}}/{{part}}.tsv"
    wildcard_constraints:
        factorial=one_of(FACTORIALS),
    conda:
        "../envs/ggexp.yaml"
    # the classifiers' threads share kernel matrices of 2.7 GB, or each thread has its own of 1.6 GB
    threads: lambda wildcards: 4 if classifies(wildcards) else 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * (9000 if classifies(wildcards) else 1000),
        runtime=per_attempt(60),
    params:
        code=lambda wildcards: fingerprint_of(
            "measure_readings.py",
            *families(data_of(wildcards).points.values()),
            measuring_module(wildcards),
        ),
        module=measuring_module,
        factorial=lambda wildcards: asdict(FACTORIALS[wildcards.factorial]),
        outer=outer_of,
        points=lambda wildcards: [*data_of(wildcards).points.values()],
        seed=lambda wildcards: int(outer_of(wildcards).get("seed", config["seed"])),
        settings=lambda wildcards: (
            {"target": data_of(wildcards).target} if data_of(wildcards).target else {}
        ),
    script:
        "../scripts/measure_readings.py"


use rule merge_tables as join_readings with:
    input:
        data=lambda wildcards: [
            f"{RESULTS}/parts/{wildcards.factorial}/{dataset}/{part}.parquet"
            for dataset in FACTORIALS[wildcards.factorial].datasets
            for part in FACTORIALS[wildcards.factorial].parts()
        ],
    output:
        table=f"{RESULTS}/measured/{{factorial}}.csv",
    log:
        f"{RESULTS}/logs/join_readings/{{factorial}}.log",
    wildcard_constraints:
        factorial=one_of(FACTORIALS),
    params:
        code=fingerprint_of("tabulate.py"),
        function="pandas.DataFrame",  # the rows of all parts, unchanged


rule judge_readings:
    input:
        measured=expand(f"{RESULTS}/measured/{{factorial}}.csv", factorial=FACTORIALS),
        claims=of_project("reference/claims.yaml"),
    output:
        multiverse=f"{RESULTS}/multiverse.csv",
        shares=f"{RESULTS}/shares.csv",
        losses=f"{RESULTS}/losses.csv",
    log:
        f"{RESULTS}/logs/judge_readings.log",
    localrule: True
    conda:
        "../envs/ggexp.yaml"
    params:
        code=fingerprint_of("judge_readings.py"),
        factorials={name: asdict(factorial) for name, factorial in FACTORIALS.items()},
        choices={name: choice.written() for name, choice in SECTION.choices.items()},
    script:
        "../scripts/judge_readings.py"
