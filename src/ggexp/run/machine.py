"""The properties of the computer that can change the last bits of a run's numbers."""

import platform

import numpy as np
from llvmlite import binding
from threadpoolctl import threadpool_info


def machine() -> dict[str, str]:
    """Return processor, instructions, system and blas of the computer that runs this process.

    processor: LLVM's name of the processor type, for which numba compiles. Operating systems often
        know only the manufacturer.
    instructions: the instruction sets by which numpy chooses its implementation of logarithms,
        without the sets that NPY_DISABLE_CPU_FEATURES disables.
    system: the operating system.
    blas: the library of linear algebra, with the kernel that it has chosen.
    Paths and numbers of threads are not included, because no result depends on them.
    """
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "processor": binding.get_host_cpu_name(),
        "instructions": " ".join([*extensions["baseline"], *extensions.get("found", [])]),
        "system": platform.platform(),
        "blas": _blas(),
    }


def _blas() -> str:
    """Return name, version and kernel of the loaded BLAS.

    If threadpoolctl does not recognize it, return the name of the BLAS that numpy was built with.
    """
    libraries = threadpool_info()
    kernels = {
        f"{library['internal_api']} {library['version']} {library.get('architecture', '')}".rstrip()
        for library in libraries
        if library["user_api"] == "blas"
    }
    built_with = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    return ", ".join(sorted(kernels)) or built_with
