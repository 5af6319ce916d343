# The figures: the data of each are written to a CSV file, from which the figure is drawn.


rule tabulate_figure:
    input:
        unpack(FIGURES.inputs),
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_figure/figure_{{number}}.log",
    conda:
        "../envs/ggexp.yaml"
    params:
        code=lambda wildcards: fingerprint_of("tabulate.py", *FIGURES.modules(wildcards)),
        function=lambda wildcards: figure_of(wildcards).made.function("tabulate"),
        settings=FIGURES.settings,
        of_data_sets=lambda wildcards: figure_of(wildcards).group == "data sets",
    script:
        "../scripts/tabulate.py"


rule draw_figure:
    input:
        table=rules.tabulate_figure.output.table,
    output:
        png=report(
            f"{RESULTS}/figures/figure_{{number}}.png",
            caption="../report/caption.rst",
            category=lambda wildcards: figure_of(wildcards).section,
            # only one label, because the report treats others as switches between results
            labels=lambda wildcards: {"figure": figure_of(wildcards).title},
        ),
        pdf=f"{RESULTS}/figures/figure_{{number}}.pdf",
    log:
        f"{RESULTS}/logs/draw_figure/figure_{{number}}.log",
    localrule: True
    conda:
        "../envs/ggexp.yaml"
    params:
        code=lambda wildcards: fingerprint_of("draw_figure.py", figure_of(wildcards).module("draw")),
        function=lambda wildcards: figure_of(wildcards).made.function("draw"),
        subject=lambda wildcards: [*filter(None, [figure_of(wildcards).dataset])],
        # a function of the output: Snakemake does not redraw a figure if only such a parameter
        # changes
        caption=lambda wildcards, output: FIGURES.describe(figure_of(wildcards))["caption"],
    script:
        "../scripts/draw_figure.py"


# A target for each figure, because a rule with wildcards cannot be one.
for figure in FIGURES.all.values():

    rule:
        name:
            f"figure_{figure.number}"
        input:
            FIGURES.files([figure]),
        localrule: True
