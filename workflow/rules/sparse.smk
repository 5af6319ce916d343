# Histograms of too many cells to list, whose empty cells are released too (`cells:` of a data set).


localrules:
    tabulate_survivors,


rule tabulate_survivors:
    input:
        summaries=lambda wildcards: [
            f"{RESULTS}/summary/{metrics}/{FIGURES[wildcards.number].dataset}.csv"
            for metrics in summarized(FIGURES[wildcards.number].dataset)
        ],
        tally=lambda wildcards: f"{RESULTS}/histograms/{FIGURES[wildcards.number].dataset}_tally.csv",
        baseline=lambda wildcards: [
            f"{RESULTS}/baselines/{FIGURES[wildcards.number].dataset}.csv"
            for metrics in summarized(FIGURES[wildcards.number].dataset)
            if metrics == "accuracy"
        ],
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_survivors/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(figures_of("survivors")),
    params:
        code=code("tabulate_survivors.py"),
    script:
        "../scripts/tabulate_survivors.py"
