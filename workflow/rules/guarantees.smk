# Beyond the paper: what a guarantee amounts to. A target of its own, `guarantees`, and no part of `all`.


def data_of(wildcards):
    """What a figure's numbers use: S6 the frequencies of Adult, if that is among the data sets."""
    cells = f"{RESULTS}/histograms/adult.parquet"
    return {"adult": cells} if wildcards.number == "s6" and "adult" in HISTOGRAMS else {}


localrules:
    draw_guarantee,


rule tabulate_guarantee:
    input:
        unpack(data_of),
    output:
        table=f"{RESULTS}/figures/figure_{{number}}.csv",
    log:
        f"{RESULTS}/logs/tabulate_guarantee/figure_{{number}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tabulate_guarantee/figure_{{number}}.tsv"
    wildcard_constraints:
        number=one_of(BEYOND),
    params:
        code=lambda wildcards: code(
            "tabulate_guarantee.py", figure_module("tabulate", wildcards.number)
        ),
        module=lambda wildcards: figure_module("tabulate", wildcards.number),
        seed=DESIGN.seed,
    script:
        "../scripts/tabulate_guarantee.py"


rule draw_guarantee:
    input:
        table=rules.tabulate_guarantee.output.table,
    output:
        png=report(
            f"{RESULTS}/figures/figure_{{number}}.png",
            caption="../report/beyond.rst",
            category="Figures",
            subcategory=lambda wildcards: section_of(wildcards.number),
            labels=figure_label,
        ),
        pdf=f"{RESULTS}/figures/figure_{{number}}.pdf",
    log:
        f"{RESULTS}/logs/draw_guarantee/figure_{{number}}.log",
    wildcard_constraints:
        number=one_of(BEYOND),
    params:
        code=lambda wildcards: code("draw_guarantee.py", figure_module("draw", wildcards.number)),
        module=lambda wildcards: figure_module("draw", wildcards.number),
    script:
        "../scripts/draw_guarantee.py"


rule audit:
    output:
        table=f"{RESULTS}/guarantees/audit.csv",
    log:
        f"{RESULTS}/logs/audit.log",
    benchmark:
        f"{RESULTS}/benchmarks/audit.tsv"
    threads: 64
    resources:
        mem_mb=scaled(1000),
        runtime=scaled(15),
    params:
        code=code("audit.py"),
        points=[at["point"] for at in POINTS.values()],
        seed=DESIGN.seed,
    script:
        "../scripts/audit.py"


for number in BEYOND:

    rule:
        name:
            f"figure_{number}"
        input:
            figure_files(number),
        localrule: True
