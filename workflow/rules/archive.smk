# The archive of a run: results, code and their description in one zip (docs/archive.md).

from snakemake.io import IOFile


def made_of(targets):
    """When the job of each result that led to the targets started and ended, as Snakemake recorded."""
    times, waiting = {}, list(targets)
    while waiting:
        path = str(waiting.pop())
        record = workflow.persistence.metadata(IOFile(path))  # None of what no job made
        if record and path not in times:
            times[path] = (record.starttime, record.endtime)
            waiting += record.input
    kept = [path for path in times if path.startswith(f"{RESULTS}/") and Path(path).is_file()]
    # what classifiers share takes 2 GB, and is numbers of the records
    return {path: times[path] for path in kept if not path.startswith(f"{RESULTS}/classifiers/")}


def histograms_of():
    """The results that hold a file of data in another form, for each such file."""
    files = {}
    for dataset, settings in HISTOGRAMS.items():
        file = settings["records"]["file"] if dataset in RECORDS else settings["counts"]
        forms = [f"{RESULTS}/histograms/{dataset}{end}.parquet" for end in ("", "_test")]
        files.setdefault(file, []).extend(forms)
    return files


# target -> whether its archive holds records and wheels, besides results and code
ARCHIVES = {
    f"archive{'_with_records' * records}{'_with_wheels' * wheels}": (records, wheels)
    for records in (False, True)
    for wheels in (False, True)
}


localrules:
    archive,
    archive_with_records,
    archive_with_wheels,
    archive_with_records_with_wheels,


# None has an output: its name has the commit, which only the script asks for.
for archive, (records, wheels) in ARCHIVES.items():

    rule:
        name:
            archive
        input:
            lambda wildcards: rules.all.input,
            template=f"{TEMPLATES}/crate.html.j2",
            parts=COMMON_PARTS,
        log:
            f"{RESULTS}/logs/{archive}.log",
        params:
            code=code("write_archive.py"),
            made=lambda wildcards: made_of(rules.all.input),
            histograms=histograms_of(),
            figures=FIGURE_KINDS,
            records=records,
            wheels=wheels,
        script:
            "../scripts/write_archive.py"
