# The archive of a run: one zip file with results, code and their description (docs/archive.md).


# These rules have no output, because the archive's name contains the commit, which only the script
# determines.
rule archive:
    input:
        lambda wildcards: rules.all.input,
    log:
        f"{RESULTS}/logs/archive.log",
    localrule: True
    params:
        code=fingerprint_of("write_archive.py"),
        fingerprints=PLAN.fingerprints,
        results=lambda wildcards: sorted({str(p) for p in [*rules.all.input, *PLAN.all_tables]}),
        data=PLAN.sources,
        figures=PLAN.figures.kinds,
    script:
        "../scripts/write_archive.py"


use rule archive as archive_with_wheels with:
    log:
        f"{RESULTS}/logs/archive_with_wheels.log",
