# Beyond the paper: an audit of the guarantees. It belongs to the target `guarantees`, not to `all`.


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
        code=code_and_noise("audit.py", POINTS.values()),
        points=[parameters["point"] for parameters in POINTS.values()],
        seed=DESIGN.seed,
        neighbours=config["neighbours"],
    script:
        "../scripts/audit.py"
