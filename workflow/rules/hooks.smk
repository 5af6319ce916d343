# What surrounds a run: one at a time in a folder, and a last screen that says what came of it.

import json

from snakemake.script import PythonScript
from snakemake.settings.types import ExecMode
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from ggexp.run import console, interpreter, lock, scheduling

interpreter.quote_path(PythonScript, RealExecutor)

SCREEN = console.LastScreen(
    RESULTS,
    sources={
        path: [name for name, records in RECORDS.items() if records["file"] == path]
        for path in DOWNLOADS
    },
    datasets=config["datasets"],
    pages=lambda: (
        f"{RESULTS}/guarantees" if "guarantees" in workflow.dag_settings.targets else RESULTS
    ),
    answer="".join(ANSWER) or None,
)
# not where Snakemake is one job, where nothing is to be run, nor in another workflow
if workflow.exec_mode == ExecMode.DEFAULT and not (workflow.output_settings.dryrun or IS_IMPORTED):
    console.follow(logger, SCREEN)


def asked_figures():
    """The picture of each figure that this run was asked for, and what it is about."""
    asked = {path for job in workflow.dag.jobs for path in job.output}
    pictures = {
        f"{RESULTS}/figures/figure_{number}.png": figure.dataset
        or ("theory" if number in THEORY else "supplement")
        for number, figure in EVERY_FIGURE.items()
    }
    return {path: about for path, about in pictures.items() if path in asked}


def check_replaced(planned):
    """Refuse to replace the results of a larger run."""
    manifest = Path(rules.write_manifest.output.manifest)
    if manifest.exists():
        before = json.loads(manifest.read_text("utf-8"))
        run_checks.check_overwriting(config, before, POINTS, planned)


onstart:
    # Snakemake lets a run with other targets in beside a running one
    try:
        lock.hold(lock.LOCK)
        planned = [path for job in workflow.dag.needrun_jobs() for path in job.output]
        check_replaced(planned)
    except (ValueError, OSError) as error:
        raise WorkflowError(str(error)) from None
    SCREEN.begin(asked_figures(), planned, workflow.logger_manager.get_logfile())
    for display in workflow.logger_manager.get_log_handlers():
        if hasattr(display, "live_display"):  # of snakemake-logger-plugin-rich
            from ggexp.run.display import fit

            fit(display, lambda: list(SCREEN.running.values()))
    scheduling.check_once_per_timespan(workflow.scheduler)
