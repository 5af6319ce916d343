"""Time from a clone of this repository to its first figure, by step.

    python benchmarks/first_figure.py

Clones the current commit into a temporary folder, sets it up as `make` does, and makes Figure 7 on
all cores. The set-up needs a package index and spends most of its time on it.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
STEPS = {
    "clone": ["git", "clone", "--quiet", str(ROOT), "."],
    "set-up": ["make", ".venv/.installed", f"PYTHON={sys.executable}"],
    "plan (a dry run)": [".venv/bin/snakemake", "figure_07", "--dry-run", "--quiet", "all"],
    "Figure 7": [".venv/bin/snakemake", "--cores", "all", "figure_07"],
    "Figure 7 again (nothing to do)": [".venv/bin/snakemake", "--cores", "all", "figure_07"],
}


def main() -> None:
    """Run the steps and print the seconds that each takes."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    with tempfile.TemporaryDirectory() as folder:
        for name, command in STEPS.items():
            start = time.perf_counter()
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            print(f"{name:30s} {time.perf_counter() - start:6.1f} s", flush=True)
        assert Path(folder, "results/figures/figure_07.png").exists()


if __name__ == "__main__":
    main()
