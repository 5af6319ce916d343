# The experiment: every repeat of every grid point, and what they amount to.


rule tabulate_scales:
    output:
        scales=f"{RESULTS}/scales.csv",
    log:
        f"{RESULTS}/logs/tabulate_scales.log",
    params:
        code=code("tabulate_scales.py"),
        points=list(POINTS.values()),
    resources:
        mem_mb=500,
        runtime=5,
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
    params:
        code=code("sanitize_histogram.py"),
        point=lambda wildcards: POINTS[f"{wildcards.dataset}/{wildcards.mechanism}/{wildcards.point}"],
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
        pseudo_count=config["kl"]["pseudo_count"],
        direction=config["kl"]["direction"],
    resources:
        mem_mb=1000,
        runtime=10,
    script:
        "../scripts/sanitize_histogram.py"


rule summarize_repeats:
    input:
        # listed, so that files of grid points that left the design are not taken in
        repeats=lambda wildcards: [
            f"{RESULTS}/repeats/{point.path}.parquet" for point in DESIGN.points[wildcards.dataset]
        ],
    output:
        summary=f"{RESULTS}/summary/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/summarize_repeats/{{dataset}}.log",
    params:
        code=code("summarize_repeats.py"),
    resources:
        mem_mb=2000,
        runtime=10,
    script:
        "../scripts/summarize_repeats.py"


rule merge_summaries:
    input:
        summaries=expand(rules.summarize_repeats.output.summary, dataset=config["datasets"]),
    output:
        summary=f"{RESULTS}/summary.csv",
    log:
        f"{RESULTS}/logs/merge_summaries.log",
    params:
        code=code("merge_summaries.py"),
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/merge_summaries.py"
