# Beyond the paper: what a guarantee amounts to. A target of its own, `guarantees`, and no part of `all`.


rule audit:
    output:
        table=f"{RESULTS}/guarantees/audit.csv",
    log:
        f"{RESULTS}/logs/audit.log",
    benchmark:
        f"{RESULTS}/benchmarks/audit.tsv"
    threads: 64
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(15),
    params:
        code=code("audit.py"),
        points=[at["point"] for at in POINTS.values()],
        seed=DESIGN.seed,
    script:
        "../scripts/audit.py"
