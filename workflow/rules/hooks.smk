# Hooks at the start of a run: only one run in a folder, and the files that its last screen names.

import sys

from ggexp.run.bytecode import keep_bytecode
from ggexp.run.lock import LOCK, hold
from ggexp.run.project import requirement
from ggexp.run.start import path_without_blanks, private_mask

if IS_RUN:
    keep_bytecode()
    shell.prefix("trap '' INT; ")  # an interrupt is for this process, which ends its jobs
    # for the script that installs the library into a conda environment (workflow/envs)
    os.environ.update(GGEXP_SOURCE=requirement())
    try:
        sys.executable = path_without_blanks()
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
    files = {
        "results": RESULTS,
        "answer": "".join(ANSWER_FILE) or None,
        "pages": {"guarantees": f"{RESULTS}/guarantees"},  # of targets with pages of their own
    }
    logger.info(None, extra={"event": "ggexp", "files": files})


onstart:
    end_at_interrupt("")  # from here, the last screen of the run says it
    # Snakemake's own lock allows a second run that has other targets
    try:
        hold(LOCK)
        jobs = [*workflow.dag.needrun_jobs()]
        PLAN.check_planned([path for job in jobs for path in job.output])
        if workflow.touch:
            PLAN.check_touched((job.input, job.output) for job in jobs)
        if PLAN.own:
            os.umask(private_mask(Path(RESULTS)))
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
