"""The command-line interface ``ggexp``."""

import os

# Linear algebra is a small part of each command. Otherwise, loading numpy and scipy starts threads
# that wait actively, which takes 0.2 s of processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
