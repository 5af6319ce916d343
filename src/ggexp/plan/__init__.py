"""The plan of a run: which files its rules make, from which files, and with which parameters."""

import os

# For Snakemake's own process (see ggexp/command). Each job has as many threads as its rule states.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
