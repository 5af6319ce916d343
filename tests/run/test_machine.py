"""What a manifest says of the machine follows what numpy and BLAS do, and nothing else."""

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest


def machine_with(**environment: str) -> dict[str, str]:
    """What a new process says of the machine, with other variables in its environment."""
    script = "import json; from ggexp.run.machine import machine; print(json.dumps(machine()))"
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ended.stdout)


def test_it_is_the_same_with_any_number_of_threads():
    said = machine_with(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    assert said == machine_with(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
    assert all(said.values())
    assert sys.prefix not in str(said)


def test_instructions_are_those_that_numpy_uses():
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    if not found:
        pytest.skip("numpy has found no more than the instructions it was built for")
    all_of_them, fewest = machine_with(), machine_with(NPY_DISABLE_CPU_FEATURES=",".join(found))
    assert all_of_them["instructions"] == " ".join([fewest["instructions"], *found])
    assert all_of_them["processor"] == fewest["processor"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names a kernel for x86-64")
def test_blas_is_named_with_the_kernel_that_it_uses():
    said = {core: machine_with(OPENBLAS_CORETYPE=core)["blas"] for core in ("Haswell", "Nehalem")}
    if "openblas" not in said["Haswell"]:
        pytest.skip("another BLAS than OpenBLAS")
    assert [blas.split()[-1] for blas in said.values()] == ["Haswell", "Nehalem"]
