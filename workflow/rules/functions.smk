# The functions of wildcards that state the inputs and parameters of jobs. ARRAY_FILES and FACTORIALS are
# in the files of the rules that use them.

from functools import cache


def data_of(wildcards):
    """Return a job's data set."""
    return DATA[wildcards.dataset]


def figure_of(wildcards):
    """Return a job's figure."""
    return FIGURES.all[wildcards.number]


def per_attempt(amount):
    """Return a resource that grows with the attempt: attempt k of a job requests k × amount."""
    return lambda wildcards, attempt: amount * attempt


def trained_points(wildcards):
    """Return the parameters of the grid points at which a job trains classifiers."""
    return data_of(wildcards).points_in(wildcards.trained)


def code_of(script, points=None, **options):
    """Return a function of wildcards: the code of a script at grid points, or at all of a data set."""
    return lambda wildcards: fingerprint_of(
        script,
        *data_of(wildcards).modules(points and points(wildcards), **options),
    )


def histogram_and_tally(wildcards):
    """Return the histogram and, if releases contain unlisted cells, the tally of all cells."""
    data = data_of(wildcards)
    tally = {} if data.release.lists_cells else {"tally": data.files("tally")[0]}
    return {"histogram": data.files("counts")[0], **tally}


def shared_arrays(wildcards):
    """Return the arrays that jobs read if the classifiers of a data set share a kernel."""
    return ARRAY_FILES if PLAN.training.shares(wildcards) else []


note = cache(lambda message: logger.warning(f"Note: {message}"))  # each only once


def training_minutes(wildcards, input, attempt):
    """Return the time limit of a training job, after a note if its data set takes long."""
    minutes = PLAN.training.minutes(wildcards, input, attempt)
    if workflow.is_main_process and (message := PLAN.training.warning(wildcards, input)):
        note(message)
    return minutes


def files_of(tables, ending=".csv"):
    """Return the files of tables, or files beside them whose names have another ending."""
    return [f"{RESULTS}/{table['source'].removesuffix('.csv')}{ending}" for table in tables]


def outer_of(wildcards):
    """Return the alternatives of the choices in `choices.OUTER` that a job measures."""
    return FACTORIALS[wildcards.factorial].parts()[wildcards.part]


def classifies(wildcards):
    """Return whether a job of the multiverse trains classifiers."""
    return FACTORIALS[wildcards.factorial].module == "accuracy"


def measured_cells(wildcards):
    """Return the files with the cells that a job sanitizes, and for classifiers other records."""
    dataset, outer = wildcards.dataset, outer_of(wildcards)
    if not DATA[dataset].records:
        return {"cells": f"{RESULTS}/histograms/{dataset}.parquet"}
    split = outer.get("seed", config["seed"])
    cells = f"{RESULTS}/splits/{outer.get('bins', dataset)}/{split}"
    unbinned = f"{RESULTS}/splits/{dataset}-unbinned/{split}"
    others = {
        "test": f"{cells}_test.parquet",
        "unbinned": f"{unbinned}.parquet",
        "unbinned_test": f"{unbinned}_test.parquet",
    }
    return {"cells": f"{cells}.parquet"} | (others if classifies(wildcards) else {})


def measuring_module(wildcards):
    """Return the module that measures the releases of a factorial."""
    return f"ggexp.multiverse.{FACTORIALS[wildcards.factorial].module}"
