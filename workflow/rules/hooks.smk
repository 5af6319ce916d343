# Hooks at the start of a run: only one run at a time in a folder, and the files that its last screen
# names.

import json
import signal
import sys

from ggexp.run import interpreter, lock
from ggexp.run.storage import check_source, check_writable


def check_replaced(planned):
    """Refuse to replace the results of another data file, or of a larger run."""
    for histogram, file in DATA_OF.items() if not config.get("overwrite") else ():
        check_source(
            histogram,
            file,
            f"Choose another folder (--config results_dir={RESULTS}-2), or allow it (--config "
            "overwrite=true)",
        )
    manifest = Path(rules.write_manifest.output.manifest)
    if manifest.exists():
        existing = json.loads(manifest.read_text("utf-8"))
        run_checks.check_overwriting(config, existing, POINTS, planned)


def interrupt(number, frame):
    """End the run without a traceback, and ignore further interrupts while it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(130)


# not in the processes of single jobs, nor in another workflow that imports this one
if workflow.is_main_process and not IS_IMPORTED:
    signal.signal(signal.SIGINT, interrupt)
    try:
        sys.executable = interpreter.path_without_blanks()
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
        lock.hold(lock.LOCK)
        planned = [path for job in workflow.dag.needrun_jobs() for path in job.output]
        check_replaced(planned)
        check_writable(planned)
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
