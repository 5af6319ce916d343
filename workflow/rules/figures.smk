# The figures: the numbers of each in a CSV, then the drawing of that CSV. What there is to be read
# for the numbers is here, what a kind reads in its module tabulate_… of ggexp.figures.


localrules:
    draw_figure,


def tables_for(wildcards):
    """The files that a figure's numbers are made of, as far as this run has them."""
    kind, dataset, *_ = EVERY_FIGURE[wildcards.number]
    files = {"adult": [f"{RESULTS}/histograms/adult.parquet"] if "adult" in HISTOGRAMS else []}
    if dataset:
        files |= {
            "histogram": [f"{RESULTS}/histograms/{dataset}.parquet"],
            "errors": [f"{RESULTS}/summary/errors/{dataset}.csv"],
            "retained": [f"{RESULTS}/summary/errors/{dataset}.csv"],
            "tally": [f"{RESULTS}/histograms/{dataset}_tally.csv"],
            "accuracy": [f"{RESULTS}/summary/accuracy/{dataset}.csv"],
            "baseline": [f"{RESULTS}/baselines/{dataset}.csv"],
            "synthetic": [f"{RESULTS}/synthetic/summary/{dataset}.csv"],
            "gains": [f"{RESULTS}/synthetic/gains/{path}.parquet" for path in paths(dataset)],
        }
        for table in figure_kinds.missing_tables(HISTOGRAMS[dataset]):
            files[table] = []
    return {name: files[name] for name in figure_kinds.reads(kind) if files.get(name)}


def settings_for(wildcards):
    """The settings that a figure's numbers depend on."""
    kind, dataset, *_ = EVERY_FIGURE[wildcards.number]
    settings = {
        "number": wildcards.number,
        "seed": DESIGN.seed,
        "repeats": DESIGN.repeats,
        "neighbours": config["neighbours"],
        "metrics": config["metrics"],
    }
    if dataset:
        settings["points"] = points_of(dataset)
    return {name: settings[name] for name in figure_kinds.reads(kind) if name in settings}


def figure_code(wildcards):
    """A fingerprint of the code that makes a figure's numbers, and of the noise in them."""
    points = settings_for(wildcards).get("points", [])
    return code_and_noise("tabulate_figure.py", points, figure_module("tabulate", wildcards.number))


rule tabulate_figure:
    input:
        unpack(tables_for),
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_figure/figure_{{number}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tabulate_figure/figure_{{number}}.tsv"
    wildcard_constraints:
        number=one_of(EVERY_FIGURE),
    params:
        code=figure_code,
        module=lambda wildcards: figure_module("tabulate", wildcards.number),
        settings=settings_for,
    script:
        "../scripts/tabulate_figure.py"


rule draw_figure:
    input:
        table=rules.tabulate_figure.output.table,
    output:
        png=report(
            f"{RESULTS}/figures/figure_{{number}}.png",
            caption="../report/caption.rst",
            category="Figures",
            subcategory=lambda wildcards: EVERY_FIGURE[wildcards.number].section,
            labels=figure_label,
        ),
        pdf=f"{RESULTS}/figures/figure_{{number}}.pdf",
    log:
        f"{RESULTS}/logs/draw_figure/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(EVERY_FIGURE),
    params:
        code=lambda wildcards: code("draw_figure.py", figure_module("draw", wildcards.number)),
        module=lambda wildcards: figure_module("draw", wildcards.number),
        subject=lambda wildcards: EVERY_FIGURE[wildcards.number].dataset or wildcards.number,
        # what takes the output draws nothing anew when it changes
        caption=lambda wildcards, output: described(wildcards.number)["caption"],
    script:
        "../scripts/draw_figure.py"


# a target for each figure
for number in EVERY_FIGURE:

    rule:
        name:
            f"figure_{number}"
        input:
            figure_files(number),
        localrule: True
