# Descriptions of the results: the paper's claims, the manifest, the index, pages of the report.

from ggexp.run.files import SOURCE
from ggexp.run.pages import caption

# Scripts that write pages, and the audit. The manifest leaves them out, so that it does not change
# with them.
LEFT_OUT = (
    "audit.py",
    "describe_files.py",
    "write_archive.py",
    "write_gallery.py",
    "write_guarantees.py",
    "write_index.py",
)
# Script -> the fingerprint of its code, for the scripts that write the other results.
FINGERPRINTS = {
    script.name: code(script.name).split()[0]
    for script in sorted((PROJECT / "workflow/scripts").glob("*.py"))
    if script.name not in LEFT_OUT
}
TABULATE_MODULES = {figure_module("tabulate", number) for number in [*THEORY, *FIGURES]}
FINGERPRINTS["tabulate_figure.py"] = code("tabulate_figure.py", *TABULATE_MODULES).split()[0]
FIGURES_IN_CLAIMS = [number for number in ("01", "02", "03", "04", "05") if number in THEORY]
BASELINE = [f"{RESULTS}/baseline.csv"] if CLASSIFIERS else []
IS_PRIVATE = {dataset: kinds.is_private(settings) for dataset, settings in HISTOGRAMS.items()}
OWN_TABLES = run_checks.own_tables(config)
RESCALED = [dataset for dataset in OWN_TABLES if kinds.total_of(HISTOGRAMS[dataset]) != PRIVATE]
# Only claims of the paper that have one of these parameters are checked (None: all claims). Without
# theory, a claim must name a data set or a mechanism. If no data set is the paper's, it must name a
# data set.
CLAIM_PARAMETERS = None
if not config["theory"]:
    CLAIM_PARAMETERS = ["dataset", "datasets"]
    CLAIM_PARAMETERS += ["mechanism", "mechanisms"] * (set(OWN_TABLES) < set(config["datasets"]))
ANSWER_FILE = [f"{RESULTS}/answer.txt"] if OWN_TABLES else []  # shown on the last screen
# The shares of the readings in which claims hold, from `make multiverse`, which takes an hour.
READINGS_FILE = str(PROJECT / "reference/readings.csv")
TEMPLATES = str(PROJECT / "workflow/report")
COMMON_PARTS = [f"{TEMPLATES}/{name}" for name in ("parts.html.j2", "style.css")]
# Name -> source, title and category of each page, in the order of the report. The tables are pages
# because the report displays HTML, whereas CSV files can only be downloaded from it.
PAGES = {}
# the paper has no claims about other tables
if config["theory"] or set(OWN_TABLES) < set(config["datasets"]):
    PAGES["claims"] = ("claims.csv", "The paper's claims", "Claims")
if SYNTHETIC or figures_of("mode"):
    PAGES["synthetic"] = ("synthetic/claims.csv", "Claims on synthetic records", "Claims")
PAGES["summary"] = ("summary.csv", "Summary of the repeats", "Tables")
PAGES["scales"] = ("scales.csv", "Scales of the noise", "Tables")
if CLASSIFIERS:
    PAGES["baseline"] = ("baseline.csv", "Accuracy without noise", "Tables")
for dataset in RECORDS:
    source = f"histograms/{dataset}_tally.csv"
    PAGES[f"tally_{dataset}"] = (source, f"Records of the {dataset} data", "Tables")
PAGES["versions"] = ("manifest.json", "Origin of the results", "Run")


def describe_figure(number):
    """Return a figure's number, name, title, caption and alternative text."""
    kind, dataset, *_ = ALL_FIGURES[number]
    template = f"{TEMPLATES}/figures/{kind if dataset else number}.rst"
    text, alternative = caption(
        Path(template),
        dataset=dataset,
        settings=HISTOGRAMS.get(dataset, {}),
        metrics=[METRICS[name].axis for name in config["metrics"]],
        repeats=DESIGN.repeats,
        epsilon=config["epsilon"],
        delta=config["delta"],
    )
    return {
        "number": number,
        "name": figure_name(number),
        "title": figure_title(number),
        "caption": text,
        "alternative": alternative,
    }


def report_sections(numbers):
    """Return the descriptions of figures, grouped into the sections of the report."""
    figures = {}
    for number in numbers:
        figures.setdefault(ALL_FIGURES[number].section, []).append(describe_figure(number))
    return [{"name": name, "figures": described} for name, described in figures.items()]


def caption_file(page):
    """Return the file with the caption of a page's table, relative to the templates."""
    return f"tables/{page.partition('_')[0]}.rst"


def page_output(name, source, title, category):
    """Return a page as an output that the report includes."""
    return report(
        f"{RESULTS}/pages/{name}.html",
        caption=f"../report/{caption_file(name)}",
        category=category,
        labels={"page": title},
    )


def describe_tables(category, pages):
    """Return the source, title and caption of each table of a category."""
    return [
        {
            "source": source,
            "title": title,
            "caption": caption(Path(TEMPLATES, caption_file(name)))[0],
        }
        for name, (source, title, page_category) in pages.items()
        if page_category == category
    ]


def table_files(category, pages):
    """Return the file of each table of a category."""
    return [f"{RESULTS}/{table['source']}" for table in describe_tables(category, pages)]


def manifest_files():
    """Return the files in the manifest, which do not depend on how a run is divided into jobs.

    The accuracy of each repeat is not listed, because it is in one file per job. The summary shows
    a change in any of these files.
    """
    return [
        *rules.tabulate_scales.output,
        f"{RESULTS}/summary.csv",
        *BASELINE,
        *(f"{RESULTS}/histograms/{dataset}.parquet" for dataset in HISTOGRAMS),
        *(f"{RESULTS}/repeats/{path}.parquet" for path in POINTS),
        *(f"{RESULTS}/figures/figure_{number}.csv" for number in [*THEORY, *FIGURES]),
        *([f"{RESULTS}/synthetic/marginals.csv"] if SYNTHETIC else []),
        *expand(rules.summarize_records.output.summary, dataset=SYNTHETIC),
    ]


def paper_design():
    """Return the paper's design, after the same checks as the configuration of a run."""
    return configuration.check(read_design("config"), read_design("schema"))


def tally_files(dataset):
    """Return the file of the tally of a data set's records, or no file for a table of counts."""
    return [f"{RESULTS}/histograms/{dataset}_tally.csv"] if dataset in RECORDS else []


# The recommendation names the mechanisms to use; the summary only lists the errors.
rule recommend_mechanism:
    input:
        summary=f"{RESULTS}/summary.csv",
        scales=rules.tabulate_scales.output.scales,
        histograms=expand(f"{RESULTS}/histograms/{{dataset}}.parquet", dataset=config["datasets"]),
        baseline=BASELINE,
    output:
        recommendation=f"{RESULTS}/recommendation.csv",
        epsilon=f"{RESULTS}/needed_epsilon.csv",
    log:
        f"{RESULTS}/logs/recommend_mechanism.log",
    localrule: True
    params:
        code=code("recommend_mechanism.py"),
        datasets=config["datasets"],
        metrics=config["metrics"],
        neighbours=config["neighbours"],
        approximate=[
            name for name, settings in HISTOGRAMS.items() if kinds.kind_of(settings).uses_delta
        ],
        unprotected=[dataset for dataset, private in IS_PRIVATE.items() if not private],
        # Own tables whose cells are all released. Their error can be computed without the data.
        complete=[
            dataset
            for dataset in OWN_TABLES
            if IS_PRIVATE[dataset] and kinds.kind_of(HISTOGRAMS[dataset]).lists_cells
        ],
        rescaled=RESCALED,
        replaced=OWN_TABLES if config["neighbours"] == "replace-one" else RESCALED,
    script:
        "../scripts/recommend_mechanism.py"


# For a user's own tables: their contents, and the errors of sums of released cells.
rule measure_margins:
    input:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
        test=lambda wildcards: (
            [f"{RESULTS}/histograms/{wildcards.dataset}_test.parquet"]
            if wildcards.dataset in RECORDS
            else []
        ),
        tally=lambda wildcards: tally_files(wildcards.dataset),
        recommendation=rules.recommend_mechanism.output.recommendation,
    output:
        margins=f"{RESULTS}/margins/{{dataset}}.csv",
        contents=f"{RESULTS}/contents/{{dataset}}.json",
    log:
        f"{RESULTS}/logs/measure_margins/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_margins/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(OWN_TABLES),
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(10),
    params:
        code=lambda wildcards: code_of_kind(
            "measure_margins.py", wildcards, points_of(wildcards.dataset)
        ),
        settings=lambda wildcards: HISTOGRAMS[wildcards.dataset],
        kind=kind_of,
        is_listed=is_listed,
        points=lambda wildcards: points_of(wildcards.dataset),
        seed=DESIGN.seed,
        # 25 repeats determine the errors to two digits
        repeats=min(25, DESIGN.repeats),
    script:
        "../scripts/measure_margins.py"


# Table of verdicts -> its file of claims, and the tables on which the claims are tested.
CLAIMS = {
    "claims": {
        "claims": str(PROJECT / "reference/claims.yaml"),
        "about": CLAIM_PARAMETERS,
        "summary": [f"{RESULTS}/summary.csv"],
        "scales": rules.tabulate_scales.output,
        "baseline": BASELINE,
        "tallies": {dataset: f"{RESULTS}/histograms/{dataset}_tally.csv" for dataset in RECORDS}
        | {dataset: f"{RESULTS}/histograms/{dataset}.parquet" for dataset in TABLES},
        "figures": {int(n): [f"{RESULTS}/figures/figure_{n}.csv"] for n in FIGURES_IN_CLAIMS},
    },
    "synthetic/claims": {
        "claims": str(PROJECT / "reference/synthetic.yaml"),
        "summary": expand(
            f"{RESULTS}/summary/accuracy/{{dataset}}.csv", dataset=CLASSIFIED_RECORDS
        ),
        "scales": rules.tabulate_scales.output,
        "baseline": expand(f"{RESULTS}/baselines/{{dataset}}.csv", dataset=CLASSIFIED_RECORDS),
        "figures": {
            "records": expand(rules.summarize_records.output.summary, dataset=SYNTHETIC),
            "gains": [
                f"{RESULTS}/synthetic/gains/{path}.parquet"
                for dataset in SYNTHETIC
                for path in point_paths(dataset)
            ],
            "modes": [f"{RESULTS}/figures/figure_{n}.csv" for n in figures_of("mode")],
        },
    },
}


def claim_inputs(wildcards):
    """Return the files of claims, and of the tables on which they are tested."""
    files = {"tallies": {}} | CLAIMS[wildcards.claims]
    files.pop("about", None)
    figures = [path for tables in files["figures"].values() for path in tables]
    return files | {"tallies": list(files["tallies"].values()), "figures": figures}


rule check_claims:
    input:
        unpack(claim_inputs),
    output:
        table=f"{RESULTS}/{{claims}}.csv",
    log:
        f"{RESULTS}/logs/check_claims/{{claims}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/check_claims/{{claims}}.tsv"
    wildcard_constraints:
        claims=one_of(CLAIMS),
    localrule: True
    params:
        code=code("check_claims.py"),
        tests=[],
        seed=DESIGN.seed,
        about=lambda wildcards: CLAIMS[wildcards.claims].get("about"),
        tallies=lambda wildcards: CLAIMS[wildcards.claims].get("tallies", {}),
        figures=lambda wildcards: CLAIMS[wildcards.claims]["figures"],
    script:
        "../scripts/check_claims.py"


rule write_manifest:
    input:
        # a function, because Snakemake's time is quadratic in the length of a named list
        outputs=lambda wildcards: manifest_files(),
    output:
        manifest=f"{RESULTS}/manifest.json",
    log:
        f"{RESULTS}/logs/write_manifest.log",
    localrule: True
    params:
        code=code("write_manifest.py"),
        fingerprints=FINGERPRINTS,
        data=DATA_OF,
    script:
        "../scripts/write_manifest.py"


def all_tables():
    """Return every table that the target `all` makes, and the folders of synthetic records."""
    synthetic = [path for dataset in SYNTHETIC for path in point_paths(dataset)]
    return [
        *manifest_files(),
        *(path for tables in MERGED_TABLES.values() for path in tables),
        *(path for dataset in CLASSIFIERS for path in accuracy_files(dataset)),
        *expand(rules.make_records_histogram.output, dataset=RECORDS),
        *expand(
            f"{RESULTS}/synthetic/{{table}}/{{path}}.parquet",
            table=("errors", "gains"),
            path=synthetic,
        ),
        *(f"{RESULTS}/synthetic/records/{path}" for path in synthetic),
        *(
            f"{RESULTS}/synthetic/accuracy/{point.path}.parquet"
            for dataset in CLASSIFIED_RECORDS
            for point in trained_points(dataset)
        ),
        *rules.recommend_mechanism.output,
        *expand(rules.measure_margins.output, dataset=OWN_TABLES),
        *table_files("Claims", PAGES),
    ]


rule describe_files:
    input:
        tables=lambda wildcards: all_tables(),
        description=str(local(SOURCE)),
    output:
        package=f"{RESULTS}/datapackage.json",
    log:
        f"{RESULTS}/logs/describe_files.log",
    localrule: True
    params:
        code=code("describe_files.py"),
        figures=FIGURE_KINDS,
    script:
        "../scripts/describe_files.py"


# This rule compares the results themselves, which may have changed since the manifest was written.
rule verify:
    input:
        manifest=rules.write_manifest.output.manifest,
        outputs=lambda wildcards: manifest_files(),
        claims=f"{RESULTS}/claims.csv",
    log:
        f"{RESULTS}/logs/verify.log",
    localrule: True
    params:
        code=code("verify_run.py"),
        data=DATA_OF,
        reference=str(PROJECT / "reference/manifest.json"),
    script:
        "../scripts/verify_run.py"


rule write_index:
    input:
        template=f"{TEMPLATES}/index.html.j2",
        page=f"{TEMPLATES}/table.html.j2",
        parts=[*COMMON_PARTS, f"{TEMPLATES}/index.css"],
        pictures=[f"{RESULTS}/figures/figure_{number}.png" for number in [*THEORY, *FIGURES]],
        claims=table_files("Claims", PAGES),
        tables=table_files("Tables", PAGES),
        recommendation=rules.recommend_mechanism.output.recommendation,
        epsilon=rules.recommend_mechanism.output.epsilon,
        contents=expand(rules.measure_margins.output.contents, dataset=OWN_TABLES),
        margins=expand(rules.measure_margins.output.margins, dataset=OWN_TABLES),
        summary=f"{RESULTS}/summary.csv",
        baseline=BASELINE,
        scales=rules.tabulate_scales.output.scales,
        readings=READINGS_FILE,
        manifest=rules.write_manifest.output.manifest,
    output:
        index=f"{RESULTS}/index.html",
        answer=ANSWER_FILE,
        pages=[page_output(name, *page) for name, page in PAGES.items()],
    log:
        f"{RESULTS}/logs/write_index.log",
    localrule: True
    params:
        code=code("write_index.py"),
        neighbours=config["neighbours"],
        is_private=IS_PRIVATE,
        own=OWN_TABLES,
        # the file of an importing workflow is not known
        configuration="mine.yaml" if IS_IMPORTED else str(local(CONFIGURATIONS[-1])),
        sections=report_sections([*THEORY, *FIGURES]),
        statements=describe_tables("Claims", PAGES),
        tables=describe_tables("Tables", PAGES),
        design=lambda wildcards: {
            key: config[key] for key in ("datasets", "epsilon", "delta", "repeats")
        }
        | {"is_paper": run_checks.is_paper_run(config, paper_design())},
    script:
        "../scripts/write_index.py"


# This rule has no outputs. Otherwise Snakemake would delete the gallery of the repository before
# the script can refuse to rewrite it.
rule gallery:
    input:
        claims=f"{RESULTS}/claims.csv",
        pictures=[
            f"{RESULTS}/figures/figure_{number}.png" for number in sorted([*THEORY, *FIGURES])
        ],
        readings=READINGS_FILE,
        templates=[f"{TEMPLATES}/gallery.md.j2", f"{TEMPLATES}/claims.md.j2"],
    log:
        f"{RESULTS}/logs/gallery.log",
    localrule: True
    params:
        code=code("write_gallery.py"),
        # a function of wildcards, so that it is evaluated only if this job runs
        is_paper=lambda wildcards: config == paper_design(),
        figures=[describe_figure(number) for number in sorted([*THEORY, *FIGURES])],
        made_with=f"{DESIGN.repeats} repeats at each grid point and the seed {DESIGN.seed}",
    script:
        "../scripts/write_gallery.py"
