# What is said of the results: the paper's claims, and the manifest.

SCRIPTS = sorted(Path(workflow.basedir, "workflow/scripts").glob("*.py"))
EXAMINED = [2, 3, 4, 5]  # figures whose numbers claims are about


localrules:
    check_claims,
    write_manifest,
    verify,


def listed_files():
    """What the manifest lists: the numbers that a run gives, in whatever steps it took."""
    return [
        *rules.tabulate_scales.output,
        *rules.merge_summaries.output,
        *(rules.merge_baselines.output if TARGETS else []),
        *(f"{RESULTS}/histograms/{dataset}.parquet" for dataset in HISTOGRAMS),
        *(f"{RESULTS}/repeats/{path}.parquet" for path in POINTS),
        *(file for dataset in HISTOGRAMS for file in accuracy_files(dataset)),
        *(f"{RESULTS}/figures/figure_{number:02d}.csv" for number in [*THEORY, *FIGURES]),
    ]


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


rule write_manifest:
    input:
        claims=rules.check_claims.output.table,
        data=sorted(
            {
                made["counts"] if "counts" in made else made["records"]["file"]
                for made in HISTOGRAMS.values()
            }
        ),
        # a function, because Snakemake takes time quadratic in the length of a list with a name
        outputs=lambda wildcards: listed_files(),
    output:
        manifest=f"{RESULTS}/manifest.json",
    log:
        f"{RESULTS}/logs/write_manifest.log",
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("write_manifest.py"),
        fingerprints={script.name: code(script.name) for script in SCRIPTS},
    script:
        "../scripts/write_manifest.py"


rule verify:
    input:
        manifest=rules.write_manifest.output.manifest,
        claims=rules.check_claims.output.table,
    log:
        f"{RESULTS}/logs/verify.log",
    params:
        code=code("verify_run.py"),
        reference="config/manifest.json",
    script:
        "../scripts/verify_run.py"
