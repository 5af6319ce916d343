# The figures: the data of each are written to a CSV file, from which the figure is drawn. This file
# lists all tables and settings that figures can use. Each figure's module tabulate_… selects from
# them.


def tables_for(wildcards):
    """Return the files from which a figure's data are computed, if this run has them."""
    dataset = ALL_FIGURES[wildcards.number].dataset
    files = {"adult": [f"{RESULTS}/histograms/adult.parquet"] if "adult" in HISTOGRAMS else []}
    if wildcards.number in READINGS:
        files |= {
            "shares": [f"{RESULTS}/shares.csv"],
            "choices": [f"{RESULTS}/choices.csv"],
            "measured": [f"{RESULTS}/measured/adult-accuracy.csv"],
        }
    if dataset:
        files |= {
            "histogram": [f"{RESULTS}/histograms/{dataset}.parquet"],
            "errors": [f"{RESULTS}/summary/errors/{dataset}.csv"],
            "retained": [f"{RESULTS}/summary/errors/{dataset}.csv"],
            "tally": [f"{RESULTS}/histograms/{dataset}_tally.csv"],
            "accuracy": [f"{RESULTS}/summary/accuracy/{dataset}.csv"],
            "baseline": [f"{RESULTS}/baselines/{dataset}.csv"],
            "synthetic": [f"{RESULTS}/synthetic/summary/{dataset}.csv"],
            "gains": [f"{RESULTS}/synthetic/gains/{path}.parquet" for path in point_paths(dataset)],
        }
        for table in figure_kinds.missing_tables(HISTOGRAMS[dataset]):
            files[table] = []
    return {name: files[name] for name in figure_inputs(wildcards.number) if files.get(name)}


def settings_for(wildcards):
    """Return the settings on which a figure's data depend."""
    dataset = ALL_FIGURES[wildcards.number].dataset
    settings = {
        "number": wildcards.number,
        "seed": DESIGN.seed,
        "repeats": DESIGN.repeats,
        "neighbours": config["neighbours"],
        "metrics": config["metrics"],
    }
    if dataset:
        settings["points"] = points_of(dataset)
        settings["release"] = kinds.parameters(HISTOGRAMS[dataset])
    return {name: settings[name] for name in figure_inputs(wildcards.number) if name in settings}


def figure_code(wildcards):
    """Return a fingerprint of the code and noise on which a figure's data depend."""
    settings = settings_for(wildcards)
    modules = [figure_module("tabulate", wildcards.number)]
    if "release" in settings:
        modules.append(module_of_kind(settings["release"]))
    return code_and_noise("tabulate_figure.py", settings.get("points", []), *modules)


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
        number=one_of(ALL_FIGURES),
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
            subcategory=lambda wildcards: ALL_FIGURES[wildcards.number].section,
            # only one label, because the report treats others as switches between results
            labels=lambda wildcards: {"figure": figure_title(wildcards.number)},
        ),
        pdf=f"{RESULTS}/figures/figure_{{number}}.pdf",
    log:
        f"{RESULTS}/logs/draw_figure/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(ALL_FIGURES),
    localrule: True
    params:
        code=lambda wildcards: code("draw_figure.py", figure_module("draw", wildcards.number)),
        module=lambda wildcards: figure_module("draw", wildcards.number),
        subject=lambda wildcards: ALL_FIGURES[wildcards.number].dataset or wildcards.number,
        # a function of the output: Snakemake does not redraw a figure if only such a parameter
        # changes
        caption=lambda wildcards, output: describe_figure(wildcards.number)["caption"],
    script:
        "../scripts/draw_figure.py"


# A target for each figure.
for number in ALL_FIGURES:

    rule:
        name:
            f"figure_{number}"
        input:
            figure_files(number),
        localrule: True
