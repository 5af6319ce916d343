# The figures: the numbers of each in a CSV, then the drawing of that CSV.


localrules:
    draw_theory,
    tabulate_summary,
    tabulate_accuracy,
    draw_experiment,


rule tabulate_theory:
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_theory/figure_{{number}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tabulate_theory/figure_{{number}}.tsv"
    wildcard_constraints:
        number=one_of(THEORY),
    params:
        code=code("tabulate_theory.py"),
        # Figure 2 alone is drawn at random
        seed=lambda wildcards: DESIGN.seed if wildcards.number == "02" else None,
    script:
        "../scripts/tabulate_theory.py"


rule draw_theory:
    input:
        table=rules.tabulate_theory.output.table,
    output:
        png=report(
            f"{RESULTS}/figures/figure_{{number}}.png",
            caption="../report/theory.rst",
            category="Figures",
            subcategory=lambda wildcards: section_of(wildcards.number),
            labels=figure_label,
        ),
        pdf=f"{RESULTS}/figures/figure_{{number}}.pdf",
    log:
        f"{RESULTS}/logs/draw_theory/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(THEORY),
    params:
        code=code("draw_theory.py"),
    script:
        "../scripts/draw_theory.py"


rule tabulate_releases:
    input:
        histogram=lambda wildcards: f"{RESULTS}/histograms/{FIGURES[wildcards.number].dataset}.parquet",
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_releases/figure_{{number}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tabulate_releases/figure_{{number}}.tsv"
    wildcard_constraints:
        number=one_of(figures_of("releases")),
    params:
        code=lambda wildcards: code_and_noise(
            "tabulate_releases.py", points_of(FIGURES[wildcards.number].dataset)
        ),
        points=lambda wildcards: points_of(FIGURES[wildcards.number].dataset),
        seed=DESIGN.seed,
        repeats=DESIGN.repeats,
    script:
        "../scripts/tabulate_releases.py"


rule tabulate_summary:
    input:
        summaries=lambda wildcards: [
            f"{RESULTS}/summary/{part}/{dataset}.csv"
            for kind, dataset in [FIGURES[wildcards.number]]
            for part in OF_SUMMARIES[kind]
            if part in summarized(dataset)
        ],
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_summary/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(number for kind in OF_SUMMARIES for number in figures_of(kind)),
    params:
        code=lambda wildcards: code(
            "tabulate_summary.py", figure_module("tabulate", wildcards.number)
        ),
        module=lambda wildcards: figure_module("tabulate", wildcards.number),
        kind=lambda wildcards: FIGURES[wildcards.number].kind,
        metrics=SHOWN_METRICS,
    script:
        "../scripts/tabulate_summary.py"


rule tabulate_accuracy:
    input:
        summary=lambda wildcards: f"{RESULTS}/summary/accuracy/{FIGURES[wildcards.number].dataset}.csv",
        baseline=lambda wildcards: f"{RESULTS}/baselines/{FIGURES[wildcards.number].dataset}.csv",
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_accuracy/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(figures_of("accuracy")),
    params:
        code=code("tabulate_accuracy.py"),
    script:
        "../scripts/tabulate_accuracy.py"


rule draw_experiment:
    input:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    output:
        png=report(
            f"{RESULTS}/figures/figure_{{number}}.png",
            caption="../report/experiment.rst",
            category="Figures",
            subcategory=lambda wildcards: section_of(wildcards.number),
            labels=figure_label,
        ),
        pdf=f"{RESULTS}/figures/figure_{{number}}.pdf",
    log:
        f"{RESULTS}/logs/draw_experiment/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(FIGURES),
    params:
        code=lambda wildcards: code("draw_experiment.py", figure_module("draw", wildcards.number)),
        module=lambda wildcards: figure_module("draw", wildcards.number),
        kind=lambda wildcards: FIGURES[wildcards.number].kind,
        dataset=lambda wildcards: FIGURES[wildcards.number].dataset,
        metrics=lambda wildcards: axes_of(wildcards.number),
    script:
        "../scripts/draw_experiment.py"


# a target for each figure
for number in [*THEORY, *FIGURES]:

    rule:
        name:
            f"figure_{number}"
        input:
            figure_files(number),
        localrule: True
