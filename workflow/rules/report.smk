# What is said of the results: the paper's claims.

EXAMINED = [2, 3, 4, 5]  # figures whose numbers claims are about


rule check_claims:
    input:
        claims="config/claims.yaml",
        summary=rules.merge_summaries.output.table,
        scales=rules.tabulate_scales.output.scales,
        baseline=rules.merge_baselines.output if TARGETS else [],
        tallies=expand(rules.make_records_histogram.output.tally, dataset=RECORDS),
        figures=expand(f"{RESULTS}/figures/figure_{{number:02d}}.csv", number=EXAMINED),
    output:
        table=f"{RESULTS}/claims.csv",
    log:
        f"{RESULTS}/logs/check_claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/check_claims.tsv"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("check_claims.py"),
        seed=DESIGN.seed,
        tallied=list(RECORDS),
        examined=EXAMINED,
    script:
        "../scripts/check_claims.py"
