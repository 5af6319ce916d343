"""Where a run takes place, as far as the last bits of its numbers may depend on that."""

import platform

import numpy as np
from llvmlite import binding
from threadpoolctl import threadpool_info


def machine() -> dict[str, str]:
    """Return processor, instructions, system and blas of the machine that runs this.

    The processor is its kind as LLVM names it, which numba compiles for: operating systems often
    know no more than a maker's name. instructions are the sets that numpy chooses its logarithms
    by, those that NPY_DISABLE_CPU_FEATURES names left out; blas is the library of linear algebra
    with the kernel that it has chosen. Paths and numbers of threads, on which no result depends,
    are in none of them.
    """
    sets = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "processor": binding.get_host_cpu_name(),
        "instructions": " ".join([*sets["baseline"], *sets.get("found", [])]),
        "system": platform.platform(),
        "blas": _blas(),
    }


def _blas() -> str:
    """Return name, version and kernel of the loaded BLAS, of one that hides its kernel the name."""
    loaded = threadpool_info()
    kernels = {
        f"{library['internal_api']} {library['version']} {library.get('architecture', '')}".rstrip()
        for library in loaded
        if library["user_api"] == "blas"
    }
    built_with = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    return ", ".join(sorted(kernels)) or built_with
