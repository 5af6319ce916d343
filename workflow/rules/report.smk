# Descriptions of the results: the paper's claims, the manifest, the index, the archive.

from ggexp.plan.figures import OF_ALL
from ggexp.run.files import SOURCE

ANSWER_FILE = [f"{RESULTS}/answer.txt"] if PLAN.own else []  # shown on the last screen
# The template of the index, and its parts.
PAGE = [of_project(f"workflow/report/index.{ending}") for ending in ("html.j2", "css", "js")]
STATEMENTS = PLAN.shown("claims", "synthetic")
TABLES = PLAN.shown("summary", "scales", "baseline", "tally")


# What covers all data sets, in one job, because each part takes less time than the start of a job: the
# noise of all mechanisms, the summary of all errors, and the mechanisms and ε to use. For a user's own
# tables also their contents, and the errors of sums of released cells.
rule compare_mechanisms:
    input:
        summaries=PLAN.files("errors", "accuracy"),
        histograms=PLAN.files("counts"),
        tallies=PLAN.files("tally"),
        baseline=PLAN.baseline,
        equal=PLAN.files("equal"),
    output:
        scales=f"{RESULTS}/scales.csv",
        summary=f"{RESULTS}/summary.csv",
        recommendation=f"{RESULTS}/recommendation.csv",
        epsilon=f"{RESULTS}/needed_epsilon.csv",
        margins=expand(f"{RESULTS}/margins/{{dataset}}.csv", dataset=PLAN.own),
        contents=expand(f"{RESULTS}/contents/{{dataset}}.json", dataset=PLAN.own),
    log:
        f"{RESULTS}/logs/compare_mechanisms.log",
    localrule: not PLAN.own
    conda:
        "../envs/ggexp.yaml"
    params:
        code=fingerprint_of("compare_mechanisms.py", *PLAN.modules),
        points=[*PLAN.points.values()],
        subjects=PLAN.subjects,
        metrics=config["metrics"],
        neighbours=config["neighbours"],
        own={name: {"file": DATA[name].file, "kind": DATA[name].kind} for name in PLAN.own},
        seed=config["seed"],
        # of the errors of margins, which 25 repeats determine to two digits
        repeats=min(25, config["repeats"]),
    script:
        "../scripts/compare_mechanisms.py"


# Table of verdicts -> its claims and the tables on which they are tested, by the names in the script.
# The companions add their own.
CLAIMS = {
    "claims": {
        "claims": of_project("reference/claims.yaml"),
        "summary": [f"{RESULTS}/summary.csv"],
        "repeats": [
            f"{RESULTS}/repeats/{dataset}.parquet" for dataset in DATA if dataset not in PLAN.own
        ],
        "scales": [f"{RESULTS}/scales.csv"],
        "baseline": PLAN.baseline,
        "equal": PLAN.files("equal"),
        # losses of accuracy over several splits, from `make multiverse`
        "losses": [of_project("reference/losses.csv")],
    }
    | {f"tally_{name}": data.files("tally") or data.files("counts") for name, data in DATA.items()}
    | {
        f"figure_{figure.number}": FIGURES.files([figure], "csv")
        for figure in FIGURES.of("theory", "data sets")
    },
    "synthetic/claims": {
        "claims": of_project("reference/synthetic.yaml"),
        "summary": expand(f"{RESULTS}/summary/accuracy/{{dataset}}.csv", dataset=TRAINED),
        "scales": [f"{RESULTS}/scales.csv"],
        "baseline": expand(f"{RESULTS}/baselines/{{dataset}}.csv", dataset=TRAINED),
        "figure_records": PLAN.files("synthetic"),
        "figure_count_bias": PLAN.files("count_bias"),
        "figure_modes": FIGURES.files(FIGURES.of_kind("mode"), "csv"),
    },
}
# Table of verdicts -> the packages whose import registers the tests of other texts than the paper.
TESTS = {}


rule check_claims:
    input:
        unpack(lambda wildcards: CLAIMS[wildcards.claims]),
    output:
        table=f"{RESULTS}/{{claims}}.csv",
        comparisons=f"{RESULTS}/{{claims}}_compared.csv",
    log:
        f"{RESULTS}/logs/check_claims/{{claims}}.log",
    localrule: True
    conda:
        "../envs/ggexp.yaml"
    params:
        code=lambda wildcards: fingerprint_of("check_claims.py", *TESTS.get(wildcards.claims, [])),
        tests=lambda wildcards: TESTS.get(wildcards.claims, []),
        seed=config["seed"],
        about=lambda wildcards: PLAN.claim_parameters if wildcards.claims == "claims" else None,
        is_paper=PLAN.is_paper,
    script:
        "../scripts/check_claims.py"


# The manifest, the machine-readable description of the tables, and the page of the run.
rule write_index:
    input:
        # functions, because Snakemake's time is quadratic in the length of a named list
        compared_files=lambda wildcards: PLAN.compared_files,
        all_tables=lambda wildcards: PLAN.all_tables,
        description=local(str(relative(SOURCE))),
        template=PAGE,
        pictures=FIGURES.files(FIGURES.of(*OF_ALL), "png"),
        claims=files_of(STATEMENTS),
        compared=files_of(STATEMENTS, "_compared.csv"),
        says=of_project("reference/claims.yaml"),
        tables=files_of(TABLES),
        recommendation=rules.compare_mechanisms.output.recommendation,
        epsilon=rules.compare_mechanisms.output.epsilon,
        contents=rules.compare_mechanisms.output.contents,
        margins=rules.compare_mechanisms.output.margins,
        summary=rules.compare_mechanisms.output.summary,
        baseline=PLAN.baseline,
        # the shares of the readings in which claims hold, from `make multiverse`
        readings=of_project("reference/readings.csv"),
    output:
        manifest=f"{RESULTS}/manifest.json",
        package=f"{RESULTS}/datapackage.json",
        index=f"{RESULTS}/index.html",
        answer=ANSWER_FILE,
    log:
        f"{RESULTS}/logs/write_index.log",
    localrule: True
    conda:
        "../envs/ggexp.yaml"
    params:
        code=fingerprint_of("write_index.py", *PLAN.modules),
        points=PLAN.points,
        fingerprints=PLAN.fingerprints,
        data=PLAN.sources,
        figures=FIGURES.kinds,
        neighbours=config["neighbours"],
        subjects=PLAN.subjects,
        own=PLAN.own,
        # the file of an importing workflow is not known
        configuration="mine.yaml" if IS_IMPORTED else str(relative(CONFIGURATIONS[-1])),
        sections=FIGURES.sections(*OF_ALL),
        statements=STATEMENTS,
        tables=TABLES,
        # a function of wildcards, so that it is evaluated only if this job runs
        design=lambda wildcards: {
            key: config[key] for key in ("datasets", "epsilon", "delta", "repeats")
        }
        | {"is_paper": PLAN.is_paper, "is_preview": PLAN.is_preview},
        results="",
    script:
        "../scripts/write_index.py"


# This rule compares the results themselves, which may have changed since the manifest was written.
rule verify:
    input:
        manifest=rules.write_index.output.manifest,
        outputs=lambda wildcards: PLAN.compared_files,
        claims=f"{RESULTS}/claims.csv",
    log:
        f"{RESULTS}/logs/verify.log",
    localrule: True
    conda:
        "../envs/ggexp.yaml"
    params:
        code=fingerprint_of("verify_run.py"),
        data=PLAN.sources,
        reference=str(of_project("reference/manifest.json")),
    script:
        "../scripts/verify_run.py"


# One zip file with results, code and their description (docs/archive.md). Its name contains the
# commit, which only the script knows; therefore these rules have no output.
rule archive:
    input:
        lambda wildcards: rules.all.input,
    log:
        f"{RESULTS}/logs/archive.log",
    localrule: True
    conda:
        "../envs/ggexp.yaml"
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
