# The experiments of "Generalized Gaussian Mechanism for Differential Privacy".
#
#   snakemake --cores N             the target `all`
#   snakemake --cores N figure_07   one figure

from importlib.util import find_spec
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

MISSING = [name for name in ("matplotlib", "numba", "sklearn") if not find_spec(name)]
try:
    from ggexp.run.interrupt import end_at_interrupt
    from ggexp.run.project import ROOT, check_library
except ModuleNotFoundError as error:
    MISSING.append(error.name)
if MISSING:
    raise WorkflowError(
        f"Python has no module {MISSING[-1]}. The package ggexp with its packages for runs must be "
        "in the environment of snakemake: pip install --editable 'FOLDER[workflow]', where FOLDER is "
        "the clone with this Snakefile."
    )

IS_IMPORTED = not Path(str(workflow.basedir)).resolve().is_relative_to(ROOT)
# not in the processes of single jobs, nor in another workflow that imports this one
IS_RUN = workflow.is_main_process and not IS_IMPORTED
if IS_RUN:
    end_at_interrupt()

min_version("9.27")

try:
    check_library(Path(str(workflow.current_basedir)))
except ValueError as error:
    raise WorkflowError(str(error)) from None

# The rules of the installed library, because they must agree with it. Therefore this file may lie
# anywhere, also in a remote repository (docs/importing.md).
RULES = ROOT / "workflow/rules"


include: RULES / "common.smk"
include: RULES / "functions.smk"
include: RULES / "data.smk"
include: RULES / "experiment.smk"
include: RULES / "figures.smk"
include: RULES / "synthetic.smk"
include: RULES / "multiverse.smk"
include: RULES / "report.smk"
include: RULES / "companions.smk"
include: RULES / "hooks.smk"


rule theory:
    input:
        FIGURES.files(FIGURES.of("theory")),
    localrule: True


rule tables:
    input:
        FIGURES.files(FIGURES.of("data", datasets=PLAN.having("counts"))),
    localrule: True


rule records:
    input:
        FIGURES.files(FIGURES.of("data", datasets=PLAN.having("records"))),
    localrule: True


rule figures:
    input:
        FIGURES.files(FIGURES.of(*OF_ALL)),
    localrule: True


rule claims:
    input:
        f"{RESULTS}/claims.csv" if "claims" in PLAN.verdicts else [],
    localrule: True


rule guarantees:
    input:
        FIGURES.files(FIGURES.of("supplement")),
        files_of(GUARANTEES),
        files_of(GUARANTEES, "_compared.csv"),
        rules.write_guarantees.output,
    localrule: True


rule multiverse:
    input:
        FIGURES.files(FIGURES.of("readings")),
        rules.judge_readings.output,
    localrule: True


rule releases:
    input:
        expand(f"{RESULTS}/releases/{{dataset}}.parquet", dataset=DATA),
    localrule: True


rule all:
    default_target: True
    input:
        # the files that the manifest lists, so that a missing one is made again
        PLAN.compared_files,
        rules.figures.input,
        rules.claims.input,
        rules.write_index.output,
    localrule: True
