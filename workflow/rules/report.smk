# What is said of the results: the paper's claims, the manifest, the index, pages of the report.

from ggexp.run import captions

# These write pages of results, and no results: an edit of a page makes no other manifest.
PRESENTING = (
    "describe_files.py",
    "write_archive.py",
    "write_gallery.py",
    "write_guarantees.py",
    "write_index.py",
)
SCRIPTS = [
    script
    for script in sorted((PROJECT / "workflow/scripts").glob("*.py"))
    if script.name not in PRESENTING
]
TABULATING = {figure_module("tabulate", number) for number in [*THEORY, *FIGURES]}
PAPER = PROJECT / "config/config.yaml"
EXAMINED = [number for number in ("01", "02", "03", "04", "05") if number in THEORY]  # by claims
BASELINE = [f"{RESULTS}/baseline.csv"] if CLASSIFIERS else []
IS_PRIVATE = {dataset: kinds.is_private(settings) for dataset, settings in HISTOGRAMS.items()}
OWN = run_checks.own_tables(config)
# What a claim of the paper must name: without theory a data set or a mechanism, and if all data sets are
# others than the paper's, a data set.
ABOUT = None
if not config["theory"]:
    ABOUT = ["dataset", "datasets"]
    ABOUT += ["mechanism", "mechanisms"] * (set(OWN) < set(config["datasets"]))
ANSWER = [f"{RESULTS}/answer.txt"] if OWN else []  # that of own tables, for the last screen
TEMPLATES = str(PROJECT / "workflow/report")
COMMON_PARTS = [f"{TEMPLATES}/{name}" for name in ("parts.html.j2", "style.css")]
# The report shows HTML, and offers CSV for download only. Name -> source, title, category, in turn.
PAGES = {}
if config["theory"] or set(OWN) < set(
    config["datasets"]
):  # the paper has no claims about other tables
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
# Those of the target `guarantees`, which has an index and a report of its own.
GUARANTEES_PAGES = {
    "guarantees": ("guarantees/claims.csv", "Claims of other texts", "Claims"),
    "audit": ("guarantees/audit.csv", "Audit of the releases", "Tables"),
}


localrules:
    recommend_mechanism,
    check_claims,
    write_manifest,
    describe_files,
    write_index,
    write_guarantees,
    verify,
    gallery,


def described(number):
    """A figure's number, title and caption, and what stands for it where it is not seen."""
    kind, dataset, *_ = EVERY_FIGURE[number]
    template = f"{TEMPLATES}/figures/{kind if dataset else number}.rst"
    caption, alternative = captions.read(
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
        "name": name_of(number),
        "title": title_of(number),
        "caption": caption,
        "alternative": alternative,
    }


def sections(numbers):
    """These figures, described, under the headings of the report."""
    figures = {}
    for number in numbers:
        figures.setdefault(EVERY_FIGURE[number].section, []).append(described(number))
    return [{"name": name, "figures": listed} for name, listed in figures.items()]


def caption_file(page):
    """The file that says what a page's table shows."""
    return f"tables/{page.partition('_')[0]}.rst"


def shown(name, source, title, category):
    """A page, as an output that the report shows."""
    return report(
        f"{RESULTS}/pages/{name}.html",
        caption=f"../report/{caption_file(name)}",
        category=category,
        labels={"page": title},
    )


def described_tables(category, pages):
    """Source, title and caption of each table of a category."""
    return [
        {
            "source": source,
            "title": title,
            "caption": captions.read(Path(TEMPLATES, caption_file(name)))[0],
        }
        for name, (source, title, of) in pages.items()
        if of == category
    ]


def sources(category, pages):
    """The files of these tables, in turn."""
    return [f"{RESULTS}/{table['source']}" for table in described_tables(category, pages)]


def listed_files():
    """What the manifest lists: the numbers that a run gives, in whatever steps it took.

    So without the accuracy of each repeat, which is in as many files as there were jobs: the
    summary shows a change in any of them.
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
    """The paper's own design, checked as a run's is."""
    return configuration.check(yaml.safe_load(PAPER.read_text("utf-8")), yaml.safe_load(schema))


def tally_of_records(dataset):
    """The file that counts a data set's records, none of a table of counts."""
    return [f"{RESULTS}/histograms/{dataset}_tally.csv"] if dataset in RECORDS else []


# the summary says how large errors are, this which mechanism to take
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
    params:
        code=code("recommend_mechanism.py"),
        datasets=config["datasets"],
        metrics=config["metrics"],
        neighbours=config["neighbours"],
        approximate=[
            name for name, settings in HISTOGRAMS.items() if kinds.kind_of(settings).uses_delta
        ],
        unprotected=[dataset for dataset, private in IS_PRIVATE.items() if not private],
        # own tables all of whose cells are listed, so that their error is known without the data
        complete=[
            dataset
            for dataset in OWN
            if IS_PRIVATE[dataset] and kinds.kind_of(HISTOGRAMS[dataset]).lists_cells
        ]
        * (config["neighbours"] == "add-remove"),
    script:
        "../scripts/recommend_mechanism.py"


# of tables of one's own: what they hold, and sums of released cells
rule measure_margins:
    input:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
        test=lambda wildcards: (
            [f"{RESULTS}/histograms/{wildcards.dataset}_test.parquet"]
            if wildcards.dataset in RECORDS
            else []
        ),
        tally=lambda wildcards: tally_of_records(wildcards.dataset),
        recommendation=rules.recommend_mechanism.output.recommendation,
    output:
        margins=f"{RESULTS}/margins/{{dataset}}.csv",
        contents=f"{RESULTS}/contents/{{dataset}}.json",
    log:
        f"{RESULTS}/logs/measure_margins/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_margins/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(OWN),
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
        # enough for two digits
        repeats=min(25, DESIGN.repeats),
    script:
        "../scripts/measure_margins.py"


# Where the verdicts of each file of claims go, and the tables that its tests examine.
CLAIMS = {
    "claims": {
        "claims": str(PROJECT / "reference/claims.yaml"),
        "about": ABOUT,
        "summary": [f"{RESULTS}/summary.csv"],
        "scales": rules.tabulate_scales.output,
        "baseline": BASELINE,
        "tallies": {dataset: f"{RESULTS}/histograms/{dataset}_tally.csv" for dataset in RECORDS}
        | {dataset: f"{RESULTS}/histograms/{dataset}.parquet" for dataset in TABLES},
        "figures": {int(n): [f"{RESULTS}/figures/figure_{n}.csv"] for n in EXAMINED},
    },
    "guarantees/claims": {
        "claims": str(PROJECT / "reference/guarantees.yaml"),
        "figures": {number: [f"{RESULTS}/figures/figure_{number}.csv"] for number in BEYOND}
        | {"audit": [f"{RESULTS}/guarantees/audit.csv"]},
    },
    "synthetic/claims": {
        "claims": str(PROJECT / "reference/synthetic.yaml"),
        "summary": expand(f"{RESULTS}/summary/accuracy/{{dataset}}.csv", dataset=TRAINED),
        "baseline": expand(f"{RESULTS}/baselines/{{dataset}}.csv", dataset=TRAINED),
        "figures": {
            "records": expand(rules.summarize_records.output.summary, dataset=SYNTHETIC),
            "gains": [
                f"{RESULTS}/synthetic/gains/{path}.parquet"
                for dataset in SYNTHETIC
                for path in paths(dataset)
            ],
            "modes": [f"{RESULTS}/figures/figure_{n}.csv" for n in figures_of("mode")],
        },
    },
}


def examined(wildcards):
    """The files that claims are put to their tests in."""
    files = {"tallies": {}} | CLAIMS[wildcards.claims]
    files.pop("about", None)
    figures = [path for paths in files["figures"].values() for path in paths]
    return files | {"tallies": list(files["tallies"].values()), "figures": figures}


rule check_claims:
    input:
        unpack(examined),
    output:
        table=f"{RESULTS}/{{claims}}.csv",
    log:
        f"{RESULTS}/logs/check_claims/{{claims}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/check_claims/{{claims}}.tsv"
    wildcard_constraints:
        claims=one_of(CLAIMS),
    params:
        code=code("check_claims.py"),
        seed=DESIGN.seed,
        about=lambda wildcards: CLAIMS[wildcards.claims].get("about"),
        tallies=lambda wildcards: CLAIMS[wildcards.claims].get("tallies", {}),
        figures=lambda wildcards: CLAIMS[wildcards.claims]["figures"],
    script:
        "../scripts/check_claims.py"


rule write_manifest:
    input:
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
    params:
        code=code("write_manifest.py"),
        fingerprints={script.name: code(script.name) for script in SCRIPTS}
        | {"tabulate_figure.py": code("tabulate_figure.py", *TABULATING)},
    script:
        "../scripts/write_manifest.py"


def all_tables():
    """Every table that `all` makes, and the folders of synthetic records."""
    synthetic = [path for dataset in SYNTHETIC for path in paths(dataset)]
    return [
        *listed_files(),
        *(path for tables in MERGED.values() for path in tables),
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
            for dataset in TRAINED
            for point in classified(dataset)
        ),
        *rules.recommend_mechanism.output,
        *expand(rules.measure_margins.output.margins, dataset=OWN),
        *sources("Claims", PAGES),
    ]


rule describe_files:
    input:
        tables=lambda wildcards: all_tables(),
        description=str(PROJECT / "src/ggexp/run/files.yaml"),
    output:
        package=f"{RESULTS}/datapackage.json",
    log:
        f"{RESULTS}/logs/describe_files.log",
    params:
        code=code("describe_files.py"),
        figures=FIGURE_KINDS,
    script:
        "../scripts/describe_files.py"


# It reads the results themselves: the manifest says what they were when they were made.
rule verify:
    input:
        manifest=rules.write_manifest.output.manifest,
        data=rules.write_manifest.input.data,
        outputs=lambda wildcards: listed_files(),
        claims=f"{RESULTS}/claims.csv",
    log:
        f"{RESULTS}/logs/verify.log",
    params:
        code=code("verify_run.py"),
        reference=str(PROJECT / "reference/manifest.json"),
    script:
        "../scripts/verify_run.py"


rule write_index:
    input:
        template=f"{TEMPLATES}/index.html.j2",
        page=f"{TEMPLATES}/table.html.j2",
        parts=[*COMMON_PARTS, f"{TEMPLATES}/index.css"],
        pictures=[f"{RESULTS}/figures/figure_{number}.png" for number in [*THEORY, *FIGURES]],
        claims=sources("Claims", PAGES),
        tables=sources("Tables", PAGES),
        recommendation=rules.recommend_mechanism.output.recommendation,
        epsilon=rules.recommend_mechanism.output.epsilon,
        contents=expand(rules.measure_margins.output.contents, dataset=OWN),
        margins=expand(rules.measure_margins.output.margins, dataset=OWN),
        summary=f"{RESULTS}/summary.csv",
        baseline=BASELINE,
        scales=rules.tabulate_scales.output.scales,
        manifest=rules.write_manifest.output.manifest,
    output:
        index=f"{RESULTS}/index.html",
        answer=ANSWER,
        pages=[shown(name, *page) for name, page in PAGES.items()],
    log:
        f"{RESULTS}/logs/write_index.log",
    params:
        code=code("write_index.py"),
        neighbours=config["neighbours"],
        is_private=IS_PRIVATE,
        own=OWN,
        sections=sections([*THEORY, *FIGURES]),
        statements=described_tables("Claims", PAGES),
        tables=described_tables("Tables", PAGES),
        design=lambda wildcards: {
            key: config[key] for key in ("datasets", "epsilon", "delta", "repeats")
        }
        | {"is_paper": run_checks.is_papers(config, paper_design())},
    script:
        "../scripts/write_index.py"


rule write_guarantees:
    input:
        template=f"{TEMPLATES}/guarantees.html.j2",
        page=f"{TEMPLATES}/table.html.j2",
        parts=[*COMMON_PARTS, f"{TEMPLATES}/index.html.j2", f"{TEMPLATES}/index.css"],
        pictures=[f"{RESULTS}/figures/figure_{number}.png" for number in BEYOND],
        claims=sources("Claims", GUARANTEES_PAGES),
        tables=sources("Tables", GUARANTEES_PAGES),
    output:
        index=f"{RESULTS}/guarantees/index.html",
        pages=[shown(name, *page) for name, page in GUARANTEES_PAGES.items()],
    log:
        f"{RESULTS}/logs/write_guarantees.log",
    params:
        code=code("write_guarantees.py"),
        sections=sections(BEYOND),
        statements=described_tables("Claims", GUARANTEES_PAGES),
        tables=described_tables("Tables", GUARANTEES_PAGES),
        design={key: config[key] for key in ("datasets", "epsilon", "delta", "seed")},
    script:
        "../scripts/write_guarantees.py"


# It has no outputs: Snakemake would delete the gallery of the repository before it is refused.
rule gallery:
    input:
        claims=f"{RESULTS}/claims.csv",
        pictures=[
            f"{RESULTS}/figures/figure_{number}.png" for number in sorted([*THEORY, *FIGURES])
        ],
        templates=[f"{TEMPLATES}/gallery.md.j2", f"{TEMPLATES}/claims.md.j2"],
    log:
        f"{RESULTS}/logs/gallery.log",
    params:
        code=code("write_gallery.py"),
        # what takes wildcards is computed for this job alone
        is_paper=lambda wildcards: config == paper_design(),
        figures=[described(number) for number in sorted([*THEORY, *FIGURES])],
        made_with=f"{DESIGN.repeats} repeats at each grid point and the seed {DESIGN.seed}",
    script:
        "../scripts/write_gallery.py"
