"""Compute tests/data/other_libraries.csv with other programs; tests compare it with ggexp.

    python -m venv ../others
    ../others/bin/pip install opendp dp-accounting diffprivlib 'scikit-learn<1.6' riskcal
    ../others/bin/python studies/other_libraries.py FOLDER > tests/data/other_libraries.csv

This script neither imports ggexp nor needs its environment. FOLDER has checkouts of four public
repositories, under their names: SubbotinMechanism (laats) and Generalized-Gaussians (RoyRin), and,
run by R, DPpack (cran) and gaussian_sparse_histogram_mechanism (facebookresearch). Missing programs
are reported and skipped. DP-via-DRO (selvi-aras) needs a solver with a licence, therefore its rows
are numbers printed in its manuscript. OpenDP takes no seed, therefore six rows change with each
run. Takes two minutes.

Columns: the program and its version; the quantity; its parameters (order p, scale b with density
∝ exp(-|x/b|^p), ε, δ, and a count of releases, cells or draws); the value; and its error, if the
program gives one: half the width of its bounds, or one standard error of its draws.
"""

import csv
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib.metadata import version
from itertools import product
from math import sqrt
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np

COLUMNS = (
    *("program", "version", "quantity", "order", "scale", "epsilon", "delta", "count"),
    *("value", "error"),
)
EPSILONS, DELTAS = (0.5, 1.0, 2.0), (0.01, 0.05, 0.1, 0.25)
POINTS = [*product(EPSILONS, DELTAS), (1.0, 1e-6), (0.1, 1e-9)]
ORDERS = (1, 1.5, 2, 3, 4)
LOSSES, SCALES = (0.0, 1e-3, 0.5, 1.0, 2.0), (0.3, 0.5, 1, 2.5, 3, 6)
RELEASES = [  # order, scale, number of releases, δ
    *((1, 10, 30, 1e-6), (1, 10, 50, 1e-5), (1, 10, 100, 1e-6), (1, 20, 100, 1e-3)),
    *((1, 2, 10, 1e-6), (2, 10, 50, 1e-5), (2, 10, 100, 1e-6), (2, 3, 10, 1e-6)),
]
DRAWS = 10**6
Row = dict[str, Any]


def row(quantity: str, value: float, **others: float | None) -> Row:
    """Return a row; others: parameters, and the error."""
    return {"quantity": quantity, "value": value, **others}


def loss_distribution(pld: Any, order: int, b: float, **options: Any) -> Any:
    """Return dp-accounting's privacy loss distribution of Laplace or Gaussian noise."""
    if order == 1:
        return pld.from_laplace_mechanism(b, **options)
    return pld.from_gaussian_mechanism(b / sqrt(2), **options)


def dp_accounting(_: Path) -> Iterator[Row]:
    """Yield δ and σ of one release, and bounds on the ε of many releases."""
    from dp_accounting import gaussian_mechanism
    from dp_accounting.pld import privacy_loss_distribution as pld
    from dp_accounting.pld import privacy_loss_mechanism as losses

    for epsilon, delta in POINTS:
        sigma = gaussian_mechanism.get_sigma_gaussian(epsilon, delta)
        yield row("sd", sigma, order=2, epsilon=epsilon, delta=delta)
    families = [
        (1, "delta", losses.LaplacePrivacyLoss),
        (1, "integer-delta", lambda b: losses.DiscreteLaplacePrivacyLoss(1 / b)),
        (2, "delta", lambda b: losses.GaussianPrivacyLoss(b / sqrt(2))),
        (2, "integer-delta", lambda b: losses.DiscreteGaussianPrivacyLoss(b / sqrt(2))),
    ]
    for (order, quantity, loss), epsilon, b in product(families, LOSSES, SCALES):
        value = loss(b).get_delta_for_epsilon(epsilon)
        yield row(quantity, value, order=order, scale=b, epsilon=epsilon)
    for order, b, k, delta in RELEASES:
        low, high = (
            loss_distribution(
                pld, order, b, value_discretization_interval=1e-4, pessimistic_estimate=is_upper
            )
            .self_compose(k)
            .get_epsilon_for_delta(delta)
            for is_upper in (False, True)
        )
        parameters = {"order": order, "scale": b, "delta": delta, "count": k}
        yield row("epsilon", (low + high) / 2, **parameters, error=(high - low) / 2)


def riskcal(_: Path) -> Iterator[Row]:
    """Yield false negative rates at the false positive rate `delta`, and largest advantages."""
    from dp_accounting.pld import privacy_loss_distribution as pld
    from riskcal.analysis import conversions

    for order, b, k in ((1, 1, 1), (1, 2, 10), (2, 3, 10)):
        loss = loss_distribution(pld, order, b).self_compose(k)
        parameters = {"order": order, "scale": b, "count": k}
        for rate in (0.01, 0.1, 0.5):
            value = float(conversions.get_beta_from_pld(loss, rate))
            yield row("false-negative", value, **parameters, delta=rate)
        yield row("advantage", conversions.get_advantage_from_pld(loss), **parameters)
    for epsilon, delta in product(EPSILONS, (0.01, 0.25)):
        value = conversions.get_advantage_from_adp(epsilon, delta)
        yield row("advantage", value, epsilon=epsilon, delta=delta)


def diffprivlib(_: Path) -> Iterator[Row]:
    """Yield noise scales, and probabilities of the exponential mechanism."""
    from diffprivlib import mechanisms

    for epsilon, delta in POINTS:
        point = {"epsilon": epsilon, "delta": delta}
        value = mechanisms.GaussianAnalytic(**point, sensitivity=1)._scale
        yield row("sd", value, order=2, **point)
        if epsilon <= 1:
            value = mechanisms.Gaussian(**point, sensitivity=1)._scale
            yield row("sd-classical", value, order=2, **point)
        value = sqrt(mechanisms.Laplace(**point, sensitivity=1).variance(0))
        yield row("sd-sufficient", value, order=1, **point)
        bounded = mechanisms.LaplaceBoundedNoise(**point, sensitivity=1)
        bounded.randomise(0.0)
        yield row("bound", bounded._noise_bound, order=1, **point)
        if delta > 1e-6:
            value = mechanisms.GaussianDiscrete(**point)._scale
            yield row("integer-sigma", value, order=2, **point)
    for epsilon in EPSILONS:
        noise = {"epsilon": epsilon, "sensitivity": 1}
        value = sqrt(mechanisms.Geometric(**noise).variance(0))
        yield row("sd-integer", value, order=1, epsilon=epsilon)
        yield row("staircase-width", mechanisms.Staircase(**noise).gamma, epsilon=epsilon)
        selection = mechanisms.Exponential(**noise, utility=[0, 1, 3, 7])
        yield row("exponential", selection._probabilities[2], epsilon=epsilon, count=4)
        for width in (5, 20):
            domain = mechanisms.LaplaceBoundedDomain(**noise, lower=0, upper=width)
            value = domain._find_scale()
            yield row("scale-within-bounds", value, order=1, epsilon=epsilon, count=width)


def opendp(_: Path) -> Iterator[Row]:
    """Yield privacy maps, accuracies, and frequencies of the values of rounded canonical noise."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    for b in (0.5, 1.0, 3.0):
        laplace = dp.m.make_laplace(*space, scale=b)
        yield row("pure-epsilon", laplace.map(1.0), order=1, scale=b)
        gaussian = dp.m.make_gaussian(*space, scale=b / sqrt(2))
        yield row("rho", gaussian.map(1.0), order=2, scale=b)
        loss = dp.c.make_zCDP_to_approxDP(gaussian).map(1.0)
        for delta in (0.01, 1e-6):
            yield row("epsilon-by-zcdp", loss.epsilon(delta), order=2, scale=b, delta=delta)
        value = dp.discrete_laplacian_scale_to_accuracy(scale=b, alpha=0.05)
        yield row("integer-accuracy", value, order=1, scale=b, delta=0.05)
    for epsilon, delta in ((1.0, 0.05), (0.5, 0.1)):
        noise = dp.m.make_canonical_noise(*space, 1.0, (epsilon, delta))
        draws = np.rint([noise(0.0) for _ in range(20_000)])
        for k in range(3):
            share = float(np.mean(np.abs(draws) == k))
            parameters = {"order": k, "epsilon": epsilon, "delta": delta, "count": len(draws)}
            error = sqrt(share * (1 - share) / len(draws))
            yield row("canonical", share, **parameters, error=error)


def subbotin(folder: Path) -> Iterator[Row]:
    """Yield the scales of Vinterbo's program, whose density is ∝ exp(-|x/s|^p / p)."""
    module = run_path(str(folder / "SubbotinMechanism/SLDP.py"))
    for order, (epsilon, delta) in product(ORDERS, POINTS):
        value = module["EDSubbotinScale"](order, epsilon, delta) * order ** (1 / order)
        yield row("scale", value, order=order, epsilon=epsilon, delta=delta)


def generalized_gaussians(folder: Path) -> Iterator[Row]:
    """Yield Pr(loss <= ε), estimated from draws of RoyRin's sampler as its accountant does."""
    sys.modules.setdefault("torch", types.ModuleType("torch"))
    module = run_path(str(folder / "Generalized-Gaussians/data_aware_dp/sampling.py"))
    sampler_of = module["beta_exponential_sampler_from_scale"]
    for order, b, epsilon in product((1.5, 3), (1.0, 3.0), EPSILONS):
        draws = sampler_of(order, b)(DRAWS)
        loss = (np.abs(draws - 1) ** order - np.abs(draws) ** order) / b**order
        share = float(np.mean(loss <= epsilon))
        parameters = {"order": order, "scale": b, "epsilon": epsilon, "count": DRAWS}
        error = sqrt(max(share * (1 - share), 1 / DRAWS) / DRAWS)
        yield row("loss-at-most", share, **parameters, error=error)


def dppack(folder: Path) -> Iterator[Row]:
    """Yield σ of Gaussian mechanisms: their noise divided by R's normal draw of the same seed."""
    options = {"sd-pdp": ', type.DP = "pDP"', "sd-classical": "", "sd": ", analytic = TRUE"}
    settings = [
        (quantity, epsilon, delta)
        for (epsilon, delta), quantity in product(POINTS, options)
        if quantity != "sd-classical" or epsilon < 1
    ]
    calls = [
        "set.seed(1); z <- rnorm(1); set.seed(1); "
        f"out(GaussianMechanism(0, {epsilon!r}, {delta!r}, 1{options[quantity]}) / z)"
        for quantity, epsilon, delta in settings
    ]
    files = ("AnalyticGaussianMechanismUtils.R", "Mechanisms.R")
    values = by_r([folder / "DPpack/R" / name for name in files], calls)
    for (quantity, epsilon, delta), value in zip(settings, values, strict=True):
        yield row(quantity, value, order=2, epsilon=epsilon, delta=delta)


def sparse_histograms(folder: Path) -> Iterator[Row]:
    """Yield δ of the Gaussian sparse histogram mechanism if a record changes one cell by 1."""
    settings = [(epsilon, b, t) for epsilon in EPSILONS for b, t in ((2, 1.5), (2, 8), (5, 10))]
    calls = [f"out(gshm_delta(1, {b / sqrt(2)!r}, {t}, {epsilon}))" for epsilon, b, t in settings]
    values = by_r([folder / "gaussian_sparse_histogram_mechanism/R/GSHM_Figures.R"], calls)
    for (epsilon, b, t), value in zip(settings, values, strict=True):
        yield row("sparse-delta", value, order=2, scale=b, epsilon=epsilon, count=t)


def dp_via_dro(_: Path) -> Iterator[Row]:
    """Yield the standard deviations in the manuscript's Example 1: at (1, 0.2), Δ = 360 rupees."""
    point = {"epsilon": 1.0, "delta": 0.2, "scale": 360, "error": 0.005}
    yield row("sd", 300.96, order=2, **point)
    yield row("sd-classical", 689.21, order=2, **point)
    yield row("sd-truncated", 273.48, order=1, **point)
    yield row("sd-least", 257.68, **point)


def by_r(files: list[Path], lines: list[str]) -> list[float]:
    """Return the numbers that R code prints with `out`; the code may call functions of the files.

    Other code in the files is not run.
    """
    for file in files:
        file.read_bytes()  # raises OSError if it is missing
    definitions = [
        f"for (e in parse({str(file)!r})) if (is.call(e) && length(e) == 3 && is.call(e[[3]]) &&"
        ' identical(e[[3]][[1]], as.name("function"))) eval(e)'
        for file in files
    ]
    out = 'out <- function(x) cat(format(x, digits = 17), "\\n")'
    program = "\n".join([*definitions, out, *lines])
    completed = subprocess.run(
        ["Rscript", "-"], input=program, capture_output=True, text=True, check=True
    )
    return [float(line) for line in completed.stdout.split()]


#: Program -> its version, or "" for an installed package, and the function that yields its rows.
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
    for name, (known_version, compute) in PROGRAMS.items():
        try:
            with redirect_stdout(sys.stderr):
                rows = list(compute(Path(*sys.argv[1:2])))
        except (ImportError, OSError) as error:
            print(f"{name} is skipped: {error}", file=sys.stderr)
            continue
        program = {"program": name, "version": known_version or version(name)}
        writer.writerows(program | computed for computed in rows)
