"""The manifest's facts on the computer depend only on the code that numpy and BLAS use."""

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest


def machine_with(**environment: str) -> dict[str, str]:
    """The facts that a new process finds, with additional environment variables."""
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
    facts = machine_with(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    assert facts == machine_with(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
    assert all(facts.values())
    assert sys.prefix not in str(facts)


def test_instructions_are_those_that_numpy_uses():
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    if not found:
        pytest.skip("numpy found no instructions beyond those it was built for")
    complete, reduced = machine_with(), machine_with(NPY_DISABLE_CPU_FEATURES=",".join(found))
    assert complete["instructions"] == " ".join([reduced["instructions"], *found])
    assert complete["processor"] == reduced["processor"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the kernels are for x86-64")
def test_blas_is_named_with_the_kernel_that_it_uses():
    libraries = {
        core: machine_with(OPENBLAS_CORETYPE=core)["blas"] for core in ("Haswell", "Nehalem")
    }
    if "openblas" not in libraries["Haswell"]:
        pytest.skip("the BLAS is not OpenBLAS")
    assert [blas.split()[-1] for blas in libraries.values()] == ["Haswell", "Nehalem"]
