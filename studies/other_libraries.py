"""What other programs compute: tests/data/other_libraries.csv, which tests compare with ggexp.

    python -m venv ../others
    ../others/bin/pip install opendp dp-accounting diffprivlib 'scikit-learn<1.6' riskcal
    ../others/bin/python studies/other_libraries.py FOLDER > tests/data/other_libraries.csv

It imports nothing of ggexp and needs none of its environment. FOLDER has checkouts of four public
repositories, under their names: SubbotinMechanism (laats), Generalized-Gaussians (RoyRin), and, run
by R, DPpack (cran) and gaussian_sparse_histogram_mechanism (facebookresearch). A program that is
not there is told and left out. It takes two minutes. Of one more, DP-via-DRO (selvi-aras), which
needs a solver with a licence, the rows are what its manuscript prints. OpenDP takes no seed: six
rows are other draws each time.

Columns: the program and its version; the quantity; its parameters (order p, scale b with density
∝ exp(-|x/b|^p), ε, δ, count: of releases, cells or draws); the value, and its error where the
program gives one: half the width of its bounds, or one standard error of its draws.
"""

import csv
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = (
    *("program", "version", "quantity", "order", "scale", "epsilon", "delta", "count"),
    *("value", "error"),
)
EPSILONS, DELTAS = (0.5, 1.0, 2.0), (0.01, 0.05, 0.1, 0.25)
POINTS = [*product(EPSILONS, DELTAS), (1.0, 1e-6), (0.1, 1e-9)]
ORDERS = (1, 1.5, 2, 3, 4)
DRAWS = 10**6
Row = dict[str, Any]


def dp_accounting(_: Path) -> Iterator[Row]:
    """Yield δ and σ of one release, and bounds of ε of many."""
    from dp_accounting import gaussian_mechanism
    from dp_accounting.pld import privacy_loss_distribution as pld
    from dp_accounting.pld import privacy_loss_mechanism as losses

    for epsilon, delta in POINTS:
        sigma = gaussian_mechanism.get_sigma_gaussian(epsilon, delta)
        yield {"quantity": "sd", "order": 2, "epsilon": epsilon, "delta": delta, "value": sigma}
    for epsilon, b in product(EPSILONS, (0.5, 1, 3)):
        at = {"epsilon": epsilon, "scale": b}
        for order, quantity, loss in (
            (1, "delta", losses.LaplacePrivacyLoss(b)),
            (1, "whole-delta", losses.DiscreteLaplacePrivacyLoss(1 / b)),
            (2, "delta", losses.GaussianPrivacyLoss(b / sqrt(2))),
            (2, "whole-delta", losses.DiscreteGaussianPrivacyLoss(b / sqrt(2))),
        ):
            value = loss.get_delta_for_epsilon(epsilon)
            yield {"quantity": quantity, "order": order, **at, "value": value}
    for order, b, k in ((1, 10, 30), (1, 10, 100), (1, 2, 10), (2, 10, 100), (2, 3, 10)):
        made = pld.from_laplace_mechanism if order == 1 else pld.from_gaussian_mechanism
        parameter = b if order == 1 else b / sqrt(2)
        ends = [
            made(parameter, value_discretization_interval=1e-4, pessimistic_estimate=above)
            .self_compose(k)
            .get_epsilon_for_delta(1e-6)
            for above in (False, True)
        ]
        yield {
            **{"quantity": "epsilon", "order": order, "scale": b, "delta": 1e-6, "count": k},
            **{"value": sum(ends) / 2, "error": (ends[1] - ends[0]) / 2},
        }


def riskcal(_: Path) -> Iterator[Row]:
    """Yield false negative rates at the false positive rate `delta`, and the largest advantage."""
    from dp_accounting.pld import privacy_loss_distribution as pld
    from riskcal.analysis import conversions

    for order, b, k in ((1, 1, 1), (1, 2, 10), (2, 3, 10)):
        made = pld.from_laplace_mechanism if order == 1 else pld.from_gaussian_mechanism
        loss = made(b if order == 1 else b / sqrt(2)).self_compose(k)
        at = {"order": order, "scale": b, "count": k}
        for rate in (0.01, 0.1, 0.5):
            value = float(conversions.get_beta_from_pld(loss, rate))
            yield {"quantity": "false-negative", **at, "delta": rate, "value": value}
        value = conversions.get_advantage_from_pld(loss)
        yield {"quantity": "advantage", **at, "value": value}
    for epsilon, delta in product(EPSILONS, (0.01, 0.25)):
        value = conversions.get_advantage_from_adp(epsilon, delta)
        yield {"quantity": "advantage", "epsilon": epsilon, "delta": delta, "value": value}


def diffprivlib(_: Path) -> Iterator[Row]:
    """Yield the scales that its mechanisms add noise with, and the exponential mechanism."""
    from diffprivlib import mechanisms as made

    for epsilon, delta in POINTS:
        at = {"epsilon": epsilon, "delta": delta, "sensitivity": 1}
        shown = {"epsilon": epsilon, "delta": delta}
        value = made.GaussianAnalytic(**at)._scale
        yield {"quantity": "sd", "order": 2, **shown, "value": value}
        if epsilon <= 1:
            value = made.Gaussian(**at)._scale
            yield {"quantity": "sd-classical", "order": 2, **shown, "value": value}
        value = sqrt(made.Laplace(**at).variance(0))
        yield {"quantity": "sd-sufficient", "order": 1, **shown, "value": value}
        bounded = made.LaplaceBoundedNoise(**at)
        bounded.randomise(0.0)
        yield {"quantity": "bound", "order": 1, **shown, "value": bounded._noise_bound}
        if delta > 1e-6:
            value = made.GaussianDiscrete(epsilon=epsilon, delta=delta)._scale
            yield {"quantity": "whole-sigma", "order": 2, **shown, "value": value}
    for epsilon in EPSILONS:
        value = sqrt(made.Geometric(epsilon=epsilon, sensitivity=1).variance(0))
        yield {"quantity": "sd-whole", "order": 1, "epsilon": epsilon, "value": value}
        value = made.Staircase(epsilon=epsilon, sensitivity=1).gamma
        yield {"quantity": "staircase-width", "epsilon": epsilon, "value": value}
        utility = [0, 1, 3, 7]
        cumulated = made.Exponential(epsilon=epsilon, sensitivity=1, utility=utility)._probabilities
        yield {"quantity": "exponential", "epsilon": epsilon, "count": 4, "value": cumulated[2]}
        for width in (5, 20):
            domain = made.LaplaceBoundedDomain(epsilon=epsilon, sensitivity=1, lower=0, upper=width)
            at = {"order": 1, "epsilon": epsilon, "count": width}
            yield {"quantity": "scale-within-bounds", **at, "value": domain._find_scale()}


def opendp(_: Path) -> Iterator[Row]:
    """Yield privacy maps, accuracies, and how often canonical noise rounds to each number."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    number = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    for b in (0.5, 1.0, 3.0):
        value = dp.m.make_laplace(*number, scale=b).map(1.0)
        yield {"quantity": "pure-epsilon", "order": 1, "scale": b, "value": value}
        value = dp.m.make_gaussian(*number, scale=b / sqrt(2)).map(1.0)
        yield {"quantity": "rho", "order": 2, "scale": b, "value": value}
        zcdp = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*number, scale=b / sqrt(2)))
        for delta in (0.01, 1e-6):
            at = {"order": 2, "scale": b, "delta": delta}
            yield {"quantity": "epsilon-by-zcdp", **at, "value": zcdp.map(1.0).epsilon(delta)}
        value = dp.discrete_laplacian_scale_to_accuracy(scale=b, alpha=0.05)
        yield {"quantity": "whole-accuracy", "order": 1, "scale": b, "delta": 0.05, "value": value}
    for epsilon, delta in ((1.0, 0.05), (0.5, 0.1)):
        noise = dp.m.make_canonical_noise(*number, 1.0, (epsilon, delta))
        count = 20_000
        drawn = np.rint([noise(0.0) for _ in range(count)])
        for k in range(3):
            value = float(np.mean(np.abs(drawn) == k))
            yield {
                **{"quantity": "canonical", "order": k, "epsilon": epsilon, "delta": delta},
                **{"count": count, "value": value, "error": sqrt(value * (1 - value) / count)},
            }


def subbotin(folder: Path) -> Iterator[Row]:
    """Yield the scales of Vinterbo's program, whose density is ∝ exp(-|x/s|^p / p)."""
    module = loaded(folder / "SubbotinMechanism/SLDP.py")
    for order, (epsilon, delta) in product(ORDERS, POINTS):
        value = module.EDSubbotinScale(order, epsilon, delta) * order ** (1 / order)
        at = {"order": order, "epsilon": epsilon, "delta": delta}
        yield {"quantity": "scale", **at, "value": value}


def generalized_gaussians(folder: Path) -> Iterator[Row]:
    """Yield Pr(loss <= ε) by draws of RoyRin's sampler, as its accountant takes them."""
    sys.modules.setdefault("torch", types.ModuleType("torch"))
    sampling = loaded(folder / "Generalized-Gaussians/data_aware_dp/sampling.py")
    for order, b, epsilon in product((1.5, 3), (1.0, 3.0), EPSILONS):
        drawn = sampling.beta_exponential_sampler_from_scale(order, b)(DRAWS)
        loss = (np.abs(drawn - 1) ** order - np.abs(drawn) ** order) / b**order
        value = float(np.mean(loss <= epsilon))
        at = {"order": order, "scale": b, "epsilon": epsilon, "count": DRAWS}
        error = sqrt(max(value * (1 - value), 1 / DRAWS) / DRAWS)
        yield {"quantity": "loss-at-most", **at, "value": value, "error": error}


def dppack(folder: Path) -> Iterator[Row]:
    """Yield σ of its Gaussian mechanisms: the noise of a seed over the normal number of it."""
    calls, rows = [], []
    for epsilon, delta in POINTS:
        for quantity, extra in (
            ("sd-pdp", ', type.DP = "pDP"'),
            ("sd-classical", ""),
            ("sd", ", analytic = TRUE"),
        ):
            if quantity != "sd-classical" or epsilon < 1:
                calls.append(f"GaussianMechanism(0, {epsilon!r}, {delta!r}, 1{extra})")
                rows.append({"quantity": quantity, "order": 2, "epsilon": epsilon, "delta": delta})
    drawn = [f"set.seed(1); z <- rnorm(1); set.seed(1); out({call} / z)" for call in calls]
    files = [
        folder / "DPpack/R" / name for name in ("AnalyticGaussianMechanismUtils.R", "Mechanisms.R")
    ]
    for row, value in zip(rows, by_r(files, drawn), strict=True):
        yield {**row, "value": value}


def sparse_histograms(folder: Path) -> Iterator[Row]:
    """Yield δ of the Gaussian sparse histogram mechanism where one record moves one cell."""
    at = [(epsilon, b, t) for epsilon in EPSILONS for b, t in ((2, 1.5), (2, 8), (5, 10))]
    calls = [f"out(gshm_delta(1, {b / sqrt(2)!r}, {t}, {epsilon}))" for epsilon, b, t in at]
    files = [folder / "gaussian_sparse_histogram_mechanism/R/GSHM_Figures.R"]
    for (epsilon, b, t), value in zip(at, by_r(files, calls), strict=True):
        shown = {"order": 2, "scale": b, "epsilon": epsilon, "count": t}
        yield {"quantity": "sparse-delta", **shown, "value": value}


def dp_via_dro(_: Path) -> Iterator[Row]:
    """Yield the standard deviations that its Example 1 prints: at (1, 0.2), Δ = 360 rupees."""
    at = {"epsilon": 1.0, "delta": 0.2, "scale": 360}
    printed = {"sd": (2, 300.96), "sd-classical": (2, 689.21), "sd-truncated": (1, 273.48)}
    for quantity, (order, value) in printed.items():
        yield {"quantity": quantity, "order": order, **at, "value": value, "error": 0.005}
    yield {"quantity": "sd-least", **at, "value": 257.68, "error": 0.005}


def by_r(files: list[Path], lines: list[str]) -> list[float]:
    """Return what R prints by `out`, with the functions of files and nothing else of them."""
    for file in files:
        file.read_bytes()  # where it is missing, so
    sourced = [
        f"for (e in parse({str(file)!r})) if (is.call(e) && length(e) == 3 && is.call(e[[3]]) &&"
        ' identical(e[[3]][[1]], as.name("function"))) eval(e)'
        for file in files
    ]
    shown = 'out <- function(x) cat(format(x, digits = 17), "\\n")'
    program = "\n".join([*sourced, shown, *lines])
    ran = subprocess.run(
        ["Rscript", "-"], input=program, capture_output=True, text=True, check=True
    )
    return [float(line) for line in ran.stdout.split()]


def loaded(file: Path) -> types.ModuleType:
    """Return a file's module."""
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: Program -> its version, and what yields its rows.
PROGRAMS: dict[str, tuple[str, Callable[[Path], Iterator[Row]]]] = {
    "dp-accounting": ("", dp_accounting),
    "riskcal": ("", riskcal),
    "diffprivlib": ("", diffprivlib),
    "opendp": ("", opendp),
    "SubbotinMechanism": ("b5f885b", subbotin),
    "Generalized-Gaussians": ("3c803aa", generalized_gaussians),
    "DPpack": ("0.2.2", dppack),
    "gaussian_sparse_histogram_mechanism": ("c357e17", sparse_histograms),
    "DP-via-DRO": ("ef353ca", dp_via_dro),
}


if __name__ == "__main__":
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for name, (known, rows) in PROGRAMS.items():
        try:
            with redirect_stdout(sys.stderr):
                found = list(rows(Path(*sys.argv[1:2])))
        except (ImportError, OSError) as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        for row in found:
            writer.writerow({"program": name, "version": known or version(name), **row})
