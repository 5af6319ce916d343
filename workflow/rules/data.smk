# The histogram of every data set: its cells and their counts.


rule make_table_histogram:
    input:
        table=lambda wildcards: TABLES[wildcards.dataset]["counts"],
    output:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/make_table_histogram/{{dataset}}.log",
    wildcard_constraints:
        dataset="|".join(TABLES) or "$^",
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=code("make_table_histogram.py"),
        factors=lambda wildcards: TABLES[wildcards.dataset]["factors"],
        total=lambda wildcards: TABLES[wildcards.dataset]["total"],
    script:
        "../scripts/make_table_histogram.py"
