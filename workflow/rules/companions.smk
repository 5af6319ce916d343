# The companions of the paper: the audit, the claims and the page of the target `guarantees`, which is
# not part of `all`.

# The package whose import registers the tests of the companions' claims.
COMPANION_TESTS = "ggexp.companions.claims"
# Table -> its files, from which the companions' claims are tested.
COMPANION_TABLES = {number: [f"{RESULTS}/figures/figure_{number}.csv"] for number in SUPPLEMENT} | {
    "audit": [f"{RESULTS}/guarantees/audit.csv"]
}
# Pages of the target `guarantees`, which has its own index and report.
GUARANTEES_PAGES = {
    "guarantees": ("guarantees/claims.csv", "Claims of other texts", "Claims"),
    "audit": ("guarantees/audit.csv", "Audit of the releases", "Tables"),
}


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


use rule check_claims as check_companions with:
    input:
        claims=str(PROJECT / "reference/companions.yaml"),
        figures=[path for paths in COMPANION_TABLES.values() for path in paths],
    output:
        table=f"{RESULTS}/guarantees/claims.csv",
    log:
        f"{RESULTS}/logs/check_claims/guarantees/claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/check_claims/guarantees/claims.tsv"
    params:
        code=code("check_claims.py", COMPANION_TESTS),
        tests=[COMPANION_TESTS],
        about=None,
        tallies={},
        figures=COMPANION_TABLES,


rule write_guarantees:
    input:
        template=f"{TEMPLATES}/guarantees.html.j2",
        page=f"{TEMPLATES}/table.html.j2",
        parts=[*COMMON_PARTS, f"{TEMPLATES}/index.html.j2", f"{TEMPLATES}/index.css"],
        pictures=[f"{RESULTS}/figures/figure_{number}.png" for number in SUPPLEMENT],
        claims=table_files("Claims", GUARANTEES_PAGES),
        tables=table_files("Tables", GUARANTEES_PAGES),
    output:
        index=f"{RESULTS}/guarantees/index.html",
        pages=[page_output(name, *page) for name, page in GUARANTEES_PAGES.items()],
    log:
        f"{RESULTS}/logs/write_guarantees.log",
    localrule: True
    params:
        code=code("write_guarantees.py"),
        sections=report_sections(SUPPLEMENT),
        statements=describe_tables("Claims", GUARANTEES_PAGES),
        tables=describe_tables("Tables", GUARANTEES_PAGES),
        design={key: config[key] for key in ("datasets", "epsilon", "delta", "seed")},
    script:
        "../scripts/write_guarantees.py"
