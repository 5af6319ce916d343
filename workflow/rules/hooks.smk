# Hooks at the start of a run: only one run in a folder, and the files that its last screen names.

import signal

from ggexp.run import project


def interrupt(number, frame):
    """End the run without a traceback, and ignore further interrupts while it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(130)


# not in the processes of single jobs, nor in another workflow that imports this one
if workflow.is_main_process and not IS_IMPORTED:
    signal.signal(signal.SIGINT, interrupt)
    try:
        sys.executable = project.path_without_blanks()
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
    files = {
        "results": RESULTS,
        "answer": "".join(ANSWER_FILE) or None,
        "pages": {"guarantees": f"{RESULTS}/guarantees"},  # of targets with pages of their own
    }
    logger.info(None, extra={"event": "ggexp", "files": files})


onstart:
    # Snakemake's own lock allows a second run that has other targets
    try:
        project.hold(project.LOCK)
        PLAN.check_planned([path for job in workflow.dag.needrun_jobs() for path in job.output])
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
