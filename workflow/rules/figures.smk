# The figures: the numbers of each in a CSV, then the drawing of that CSV.


for number in THEORY:

    rule:
        name:
            f"tabulate_figure_{number:02d}"
        output:
            table=f"{RESULTS}/figures/figure_{number:02d}.csv",
        log:
            f"{RESULTS}/logs/tabulate_figure_{number:02d}.log",
        benchmark:
            f"{RESULTS}/benchmarks/tabulate_figure_{number:02d}.tsv"
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            code=code("tabulate_theory.py"),
            figure=number,
            seed=DESIGN.seed if number == 2 else None,
        script:
            "../scripts/tabulate_theory.py"

    rule:
        name:
            f"figure_{number:02d}"
        input:
            table=f"{RESULTS}/figures/figure_{number:02d}.csv",
        output:
            png=report(
                f"{RESULTS}/figures/figure_{number:02d}.png",
                caption=f"../report/figure_{number:02d}.rst",
                category="Figures",
                subcategory="Theory",
                labels={"figure": f"Figure {number}", "about": THEORY[number]},
            ),
            pdf=f"{RESULTS}/figures/figure_{number:02d}.pdf",
        log:
            f"{RESULTS}/logs/figure_{number:02d}.log",
        localrule: True
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            code=code("draw_theory.py"),
            figure=number,
        script:
            "../scripts/draw_theory.py"


for number, figure in FIGURES.items():
    table = f"{RESULTS}/figures/figure_{number:02d}.csv"

    if figure.kind == "releases":

        rule:
            name:
                f"tabulate_figure_{number:02d}"
            input:
                histogram=f"{RESULTS}/histograms/{figure.dataset}.parquet",
            output:
                table=table,
            log:
                f"{RESULTS}/logs/tabulate_figure_{number:02d}.log",
            benchmark:
                f"{RESULTS}/benchmarks/tabulate_figure_{number:02d}.tsv"
            resources:
                mem_mb=1000,
                runtime=10,
            params:
                code=code("tabulate_releases.py"),
                points=[POINTS[point.path] for point in DESIGN.points[figure.dataset]],
                seed=DESIGN.seed,
                repeats=DESIGN.repeats,
            script:
                "../scripts/tabulate_releases.py"

    elif figure.kind == "errors":

        rule:
            name:
                f"tabulate_figure_{number:02d}"
            input:
                summary=f"{RESULTS}/summary/{figure.dataset}.csv",
            output:
                table=table,
            log:
                f"{RESULTS}/logs/tabulate_figure_{number:02d}.log",
            localrule: True
            resources:
                mem_mb=500,
                runtime=5,
            params:
                code=code("tabulate_errors.py"),
            script:
                "../scripts/tabulate_errors.py"

    elif figure.kind == "accuracy":

        rule:
            name:
                f"tabulate_figure_{number:02d}"
            input:
                summary=f"{RESULTS}/summary/{figure.dataset}.csv",
                baseline=f"{RESULTS}/baselines/{figure.dataset}.csv",
            output:
                table=table,
            log:
                f"{RESULTS}/logs/tabulate_figure_{number:02d}.log",
            localrule: True
            resources:
                mem_mb=500,
                runtime=5,
            params:
                code=code("tabulate_accuracy.py"),
            script:
                "../scripts/tabulate_accuracy.py"

    rule:
        name:
            f"figure_{number:02d}"
        input:
            table=table,
        output:
            png=report(
                f"{RESULTS}/figures/figure_{number:02d}.png",
                caption=f"../report/{figure.kind}.rst",
                category="Figures",
                subcategory=figure.dataset.capitalize(),
                labels={"figure": f"Figure {number}", "about": figure.kind},
            ),
            pdf=f"{RESULTS}/figures/figure_{number:02d}.pdf",
        log:
            f"{RESULTS}/logs/figure_{number:02d}.log",
        localrule: True
        resources:
            mem_mb=1000,
            runtime=5,
        params:
            code=code("draw_experiment.py"),
            kind=figure.kind,
            dataset=figure.dataset,
        script:
            "../scripts/draw_experiment.py"
