# Hooks at the start and end of a run: only one run at a time in a folder, and a summary on the last
# screen.

import json

from snakemake.script import PythonScript
from snakemake.settings.types import ExecMode
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from ggexp.run import console, interpreter, lock, scheduling

interpreter.quote_path(PythonScript, RealExecutor)

SCREEN = console.LastScreen(
    RESULTS,
    pages=lambda: (
        f"{RESULTS}/guarantees" if "guarantees" in workflow.dag_settings.targets else RESULTS
    ),
    answer="".join(ANSWER_FILE) or None,
)
# not in the processes of single jobs, in a dry run, or in another workflow that imports this one
if workflow.exec_mode == ExecMode.DEFAULT and not (workflow.output_settings.dryrun or IS_IMPORTED):
    console.follow(logger, SCREEN)


def requested_figures():
    """Return picture -> data set, "theory" or "supplement" for each requested figure."""
    requested = {path for job in workflow.dag.jobs for path in job.output}
    pictures = {
        f"{RESULTS}/figures/figure_{number}.png": figure.dataset
        or ("theory" if number in THEORY else "supplement")
        for number, figure in ALL_FIGURES.items()
    }
    return {path: subject for path, subject in pictures.items() if path in requested}


def check_replaced(planned):
    """Refuse to replace the results of a larger run."""
    manifest = Path(rules.write_manifest.output.manifest)
    if manifest.exists():
        existing = json.loads(manifest.read_text("utf-8"))
        run_checks.check_overwriting(config, existing, POINTS, planned)


onstart:
    # Snakemake's own lock allows a second run that has other targets
    try:
        lock.hold(lock.LOCK)
        planned = [path for job in workflow.dag.needrun_jobs() for path in job.output]
        check_replaced(planned)
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
    SCREEN.begin(requested_figures(), planned, workflow.logger_manager.get_logfile())
    for display in workflow.logger_manager.get_log_handlers():
        if hasattr(display, "live_display"):  # the display of snakemake-logger-plugin-rich
            from ggexp.run.display import fit

            fit(display, lambda: list(SCREEN.running.values()))
    scheduling.check_once_per_timespan(workflow.scheduler)
