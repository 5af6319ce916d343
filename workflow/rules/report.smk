# What is said of the results: the paper's claims, the manifest, pages of the report.

from ggexp.run.captions import caption

SCRIPTS = sorted(Path(workflow.basedir, "workflow/scripts").glob("*.py"))
PAPER = Path(workflow.basedir, "config/config.yaml")
EXAMINED = ["02", "03", "04", "05"]  # figures whose numbers claims are about
# The report shows pages, and offers tables for download only. Name -> source, title, category.
PAGES = {
    "claims": ("claims.csv", "The claims of the paper", "Claims"),
    "scales": ("scales.csv", "Scales of the noise", "Tables"),
    "summary": ("summary.csv", "Summary of the repeats", "Tables"),
    "versions": ("manifest.json", "What the run was made of", "Run"),
}
if TARGETS:
    PAGES["baseline"] = ("baseline.csv", "Accuracy without noise", "Tables")
for dataset in RECORDS:
    source = f"histograms/{dataset}_tally.csv"
    PAGES[f"tally_{dataset}"] = (source, f"Records of the {dataset} data", "Tables")


localrules:
    check_claims,
    write_manifest,
    render_table,
    verify,
    gallery,


def captions():
    """The caption of each figure by its number, from the templates that the report uses too."""
    templates = Path(workflow.basedir, "workflow/report")
    theory = {
        number: caption(templates / "theory.rst", config=config, number=number) for number in THEORY
    }
    experiment = {
        number: caption(templates / "experiment.rst", config=config, **figure._asdict())
        for number, figure in FIGURES.items()
    }
    return theory | experiment


def listed_files():
    """What the manifest lists: the numbers that a run gives, in whatever steps it took.

    So without the accuracy of each repeat, which is in as many files as there were jobs: the
    summary shows a change in any of them.
    """
    return [
        *rules.tabulate_scales.output,
        *rules.merge_summaries.output,
        *(rules.merge_baselines.output if TARGETS else []),
        *(f"{RESULTS}/histograms/{dataset}.parquet" for dataset in HISTOGRAMS),
        *(f"{RESULTS}/repeats/{path}.parquet" for path in POINTS),
        *(f"{RESULTS}/figures/figure_{number}.csv" for number in [*THEORY, *FIGURES]),
    ]


rule check_claims:
    input:
        claims="reference/claims.yaml",
        summary=rules.merge_summaries.output.table,
        scales=rules.tabulate_scales.output.scales,
        baseline=rules.merge_baselines.output if TARGETS else [],
        tallies=expand(rules.make_records_histogram.output.tally, dataset=RECORDS),
        figures=expand(f"{RESULTS}/figures/figure_{{number}}.csv", number=EXAMINED),
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
        examined=[int(number) for number in EXAMINED],
    script:
        "../scripts/check_claims.py"


rule write_manifest:
    input:
        claims=rules.check_claims.output.table,
        data=sorted(
            {
                *(table["counts"] for table in TABLES.values()),
                *(records["file"] for records in RECORDS.values()),
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
        reference="reference/manifest.json",
    script:
        "../scripts/verify_run.py"


rule render_table:
    input:
        table=lambda wildcards: f"{RESULTS}/{PAGES[wildcards.page][0]}",
    output:
        page=report(
            f"{RESULTS}/pages/{{page}}.html",
            caption="../report/table.rst",
            category=lambda wildcards: PAGES[wildcards.page][2],
            labels=lambda wildcards: {"page": PAGES[wildcards.page][1]},
        ),
    log:
        f"{RESULTS}/logs/render_table/{{page}}.log",
    wildcard_constraints:
        page=one_of(PAGES),
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("render_table.py"),
        title=lambda wildcards: PAGES[wildcards.page][1],
    script:
        "../scripts/render_table.py"


# It has no outputs: Snakemake would delete the gallery of the repository before it is refused.
rule gallery:
    input:
        claims=rules.check_claims.output.table,
        pictures=[
            f"{RESULTS}/figures/figure_{number}.png" for number in sorted([*THEORY, *FIGURES])
        ],
    log:
        f"{RESULTS}/logs/gallery.log",
    params:
        code=code("write_gallery.py"),
        is_paper=config == yaml.safe_load(PAPER.read_text("utf-8")),
        captions=captions(),
        made_with=f"{DESIGN.repeats} repeats at each grid point and the seed {DESIGN.seed}",
    script:
        "../scripts/write_gallery.py"
