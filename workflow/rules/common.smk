# Shared by all rules: the plan of the run, which states the inputs and parameters of jobs.

import os
import re
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from ggexp.plan.data_set import families
from ggexp.plan.plan import Plan, fingerprint_of, relative
from ggexp.run.project import ROOT, check_pinned
from ggexp.run.start import private_mask

# The paper's design, and the files of --configfile, each of which overrides those before it. Their
# paths are absolute, also if --directory has changed the folder.
CONFIGURATIONS = [ROOT / "config/config.yaml", *workflow.overwrite_configfiles]

try:
    for snakefile in workflow.included_stack if workflow.is_main_process else ():
        if ref := getattr(snakefile, "ref", None):
            check_pinned(ref)
    PLAN = Plan.of(config, CONFIGURATIONS if workflow.is_main_process else ())
    # print notes once, not in each job
    for note in PLAN.check_start() if workflow.is_main_process else ():
        logger.warning(f"Note: {note}")
except (ValueError, OSError) as error:
    raise WorkflowError(str(error)) from None

# the files of jobs; those of the main process become confidential when the run starts (hooks.smk)
if PLAN.own and not workflow.is_main_process:
    os.umask(private_mask(Path(PLAN.results)))

config.update(PLAN.config.written())
DATA, FIGURES, RESULTS = PLAN.data, PLAN.figures, PLAN.results


report: "../report/workflow.rst"


def one_of(names):
    """Return a regular expression that matches only these names, or nothing if there are none."""
    return "|".join(map(re.escape, names)) or "$^"


wildcard_constraints:
    dataset="[A-Za-z0-9._-]+",
    mechanism="[A-Za-z0-9._-]+",
    point="epsilon-[^/]+",
    trained="[A-Za-z0-9._-]+(/epsilon-[^/]+)?",
    measured="errors|accuracy",
    merged=one_of(PLAN.merged),
    number=one_of(FIGURES.all),
    claims="([a-z]+/)?claims",


def of_project(path):
    """Return the path of a file of the project, which is never in a storage (docs/cluster.md)."""
    return local(str(PLAN.project / path))
