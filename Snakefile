# The experiments of "Generalized Gaussian Mechanism for Differential Privacy".
#
#   snakemake --cores N             the target `all`
#   snakemake --cores N figure_07   one figure

from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/experiment.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/synthetic.smk"
include: "workflow/rules/guarantees.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/archive.smk"
include: "workflow/rules/hooks.smk"


localrules:
    all,
    theory,
    tables,
    records,
    figures,
    claims,
    guarantees,
    releases,


rule theory:
    input:
        [figure_files(n) for n in THEORY],


rule tables:
    input:
        [figure_files(n) for n in FIGURES if FIGURES[n].dataset in TABLES],


rule records:
    input:
        [figure_files(n) for n in FIGURES if FIGURES[n].dataset in RECORDS],


rule figures:
    input:
        [figure_files(n) for n in [*THEORY, *FIGURES]],


rule claims:
    input:
        f"{RESULTS}/claims.csv" if "claims" in PAGES else [],


rule guarantees:
    input:
        [figure_files(n) for n in SUPPLEMENT],
        f"{RESULTS}/guarantees/claims.csv",
        rules.write_guarantees.output,


rule releases:
    input:
        expand(rules.write_releases.output.releases, dataset=config["datasets"]),


rule all:
    default_target: True
    input:
        # the files that the manifest lists, so that a missing one is made again
        manifest_files(),
        rules.figures.input,
        rules.claims.input,
        rules.write_manifest.output,
        rules.describe_files.output,
        rules.write_index.output,
