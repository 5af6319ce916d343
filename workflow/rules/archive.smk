# The archive of a run: one zip file with results, code and their description (docs/archive.md).

from snakemake.io import IOFile


def job_times(targets):
    """Return result -> start and end of its job, for the targets and all files they were made from.

    The times are those that Snakemake recorded.
    """
    times, pending = {}, list(targets)
    while pending:
        path = str(pending.pop())
        record = workflow.persistence.metadata(IOFile(path))  # None if no job made the file
        if record and path not in times:
            times[path] = (record.starttime, record.endtime)
            pending += record.input
    results = [path for path in times if path.startswith(f"{RESULTS}/") and Path(path).is_file()]
    # without the arrays that classifiers share, which take 2 GB and are computed from the records
    return {path: times[path] for path in results if not path.startswith(f"{RESULTS}/classifiers/")}


def histograms_by_file():
    """Return data file -> the results that contain the same data in another format."""
    files = {}
    for dataset, file in DATA_FILES.items():
        copies = [f"{RESULTS}/histograms/{dataset}{end}.parquet" for end in ("", "_test")]
        files.setdefault(file, []).extend(copies)
    return files


# Target -> whether its archive contains wheels, besides results and code.
ARCHIVES = {"archive": False, "archive_with_wheels": True}


localrules:
    archive,
    archive_with_wheels,


# These rules have no output, because the archive's name contains the commit, which only the script
# determines.
for archive, wheels in ARCHIVES.items():

    rule:
        name:
            archive
        input:
            lambda wildcards: rules.all.input,
        log:
            f"{RESULTS}/logs/{archive}.log",
        params:
            code=code("write_archive.py"),
            made=lambda wildcards: job_times(rules.all.input),
            histograms=histograms_by_file(),
            figures=FIGURE_KINDS,
            wheels=wheels,
        script:
            "../scripts/write_archive.py"
