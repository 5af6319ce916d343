# The companions of the paper: the audit, the claims and the page of the target `guarantees`, which is
# not part of `all`.

# The package whose import registers the tests of the companions' claims.
COMPANION_TESTS = "ggexp.companions.claims"
SUPPLEMENT = FIGURES.of("supplement")
# Table -> its files, from which the companions' claims are tested.
COMPANION_TABLES = {figure.number: FIGURES.files([figure], "csv") for figure in SUPPLEMENT} | {
    "audit": [f"{RESULTS}/guarantees/audit.csv"]
}
GUARANTEES, AUDIT = PLAN.shown("guarantees"), PLAN.shown("audit")


rule audit:
    output:
        table=f"{RESULTS}/guarantees/audit.csv",
    log:
        f"{RESULTS}/logs/audit.log",
    benchmark:
        f"{RESULTS}/benchmarks/audit.tsv"
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


use rule check_claims as check_companions with:
    input:
        claims=of_project("reference/companions.yaml"),
        figures=[path for paths in COMPANION_TABLES.values() for path in paths],
    output:
        table=f"{RESULTS}/guarantees/claims.csv",
        comparisons=f"{RESULTS}/guarantees/claims_compared.csv",
    log:
        f"{RESULTS}/logs/check_claims/guarantees/claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/check_claims/guarantees/claims.tsv"
    params:
        code=fingerprint_of("check_claims.py", COMPANION_TESTS),
        tests=[COMPANION_TESTS],
        about=None,
        tallies={},
        figures=COMPANION_TABLES,


use rule write_index as write_guarantees with:
    input:
        template=f"{TEMPLATES}/guarantees.html.j2",
        parts=[*COMMON_PARTS, f"{TEMPLATES}/index.html.j2"],
        pictures=FIGURES.files(SUPPLEMENT, "png"),
        claims=files_of(GUARANTEES),
        compared=files_of(GUARANTEES, "_compared.csv"),
        tables=files_of(AUDIT),
    output:
        index=page(f"{RESULTS}/guarantees/index.html"),
    log:
        f"{RESULTS}/logs/write_guarantees.log",
    params:
        sections=FIGURES.sections("supplement"),
        statements=GUARANTEES,
        tables=AUDIT,
        design={key: config[key] for key in ("datasets", "epsilon", "delta", "seed")}
        | {"is_paper": False, "is_preview": False},
        results="../",
