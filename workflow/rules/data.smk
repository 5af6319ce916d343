# The histogram of every data set: its cells and their counts.


rule make_table_histogram:
    input:
        table=lambda wildcards: HISTOGRAMS[wildcards.dataset]["counts"],
    output:
        histogram=f"{RESULTS}/histograms/{{dataset}}.parquet",
    log:
        f"{RESULTS}/logs/make_table_histogram/{{dataset}}.log",
    wildcard_constraints:
        dataset="|".join(TABLES) or "$^",
    params:
        code=code("make_table_histogram.py"),
        factors=lambda wildcards: HISTOGRAMS[wildcards.dataset]["factors"],
        total=lambda wildcards: HISTOGRAMS[wildcards.dataset]["total"],
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/make_table_histogram.py"
