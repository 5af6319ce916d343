# The companions of the paper: the audit, the claims and the page of the target `guarantees`, which is
# not part of `all`.

SUPPLEMENT = FIGURES.of("supplement")
CLAIMS["guarantees/claims"] = {
    "claims": of_project("reference/companions.yaml"),
    "figure_audit": [f"{RESULTS}/guarantees/audit.csv"],
} | {f"figure_{figure.number}": FIGURES.files([figure], "csv") for figure in SUPPLEMENT}
TESTS["guarantees/claims"] = ["ggexp.companions.claims"]
GUARANTEES, AUDIT = PLAN.shown("guarantees"), PLAN.shown("audit")


rule audit:
    output:
        table=f"{RESULTS}/guarantees/audit.csv",
    log:
        f"{RESULTS}/logs/audit.log",
    benchmark:
        f"{RESULTS}/benchmarks/audit.tsv"
    conda:
        "../envs/ggexp.yaml"
    threads: 64
    resources:
        runtime=per_attempt(15),
    params:
        code=fingerprint_of("audit.py", *families(PLAN.points.values())),
        points=[parameters["point"] for parameters in PLAN.points.values()],
        seed=config["seed"],
        neighbours=config["neighbours"],
    script:
        "../scripts/audit.py"


use rule write_index as write_guarantees with:
    input:
        template=PAGE,
        pictures=FIGURES.files(SUPPLEMENT, "png"),
        claims=files_of(GUARANTEES),
        compared=files_of(GUARANTEES, "_compared.csv"),
        tables=files_of(AUDIT),
    output:
        index=f"{RESULTS}/guarantees/index.html",
    log:
        f"{RESULTS}/logs/write_guarantees.log",
    params:
        sections=FIGURES.sections("supplement"),
        statements=GUARANTEES,
        tables=AUDIT,
        design={key: config[key] for key in ("datasets", "epsilon", "delta", "seed")}
        | {"is_paper": False, "is_preview": False},
        results="../",
