"""Numbers about the figures of the paper's first version (F1 to F3)."""

from math import log

import numpy as np
from scipy.optimize import brentq
from scipy.stats import gennorm, norm

from facts import fact
from facts.library import EPSILONS
from ggexp.companions.figures import tabulate_first_version


def cost(order, b, width):
    """Return the largest log ratio of the truncated densities of two neighbours, on a grid."""
    s, release = np.linspace(0, width - 1, 181)[:, None], np.linspace(0, width, 201)

    def log_density(value):
        noise = gennorm(order, loc=value, scale=b)
        return noise.logpdf(release) - np.log(noise.cdf(width) - noise.cdf(0))

    return np.abs(log_density(s + 1) - log_density(s)).max()


def sd_within(order, b, x):
    """Return the standard deviation of noise, on a grid x that ends at its bounds."""
    density = np.exp(-((np.abs(x) / b) ** order))
    density /= np.trapezoid(density, x)
    mean = np.trapezoid(x * density, x)
    return np.trapezoid((x - mean) ** 2 * density, x) ** 0.5


@fact
def truncated_noise():
    """For F1: ε, true ε, sd, and the sd if the true ε equals ε, for Laplace and Gaussian noise."""
    curves = tabulate_first_version.truncated_densities()
    rows = []
    for panel in "ab":
        costs, sds, exact_sds = [], [], []
        for order, mechanism in ((1, "laplace"), (2, "gaussian")):
            curve = curves[(curves["panel"] == panel) & (curves["mechanism"] == mechanism)]
            width, epsilon, b = curve[["width", "epsilon", "scale"]].iloc[0]
            x = curve["x"].to_numpy()
            exact = brentq(lambda b, p=order, w=width, e=epsilon: cost(p, b, w) - e, b / 4, b)
            costs.append(cost(order, b, width))
            sds.append(sd_within(order, b, x))
            exact_sds.append(sd_within(order, exact, x))
        rows.append([f"({panel})", epsilon, *costs, *sds, *exact_sds])
    return rows


@fact
def unbounded_noise():
    """For F2: the sd of Gaussian noise divided by that of Laplace noise, and a probability.

    "near": Gaussian noise is smaller in size than the median size of Laplace noise.
    """
    table = tabulate_first_version.densities()
    laplace = table[table["delta"].isna()].groupby("epsilon")["sd"].first()
    gaussian = table.dropna(subset="delta").groupby(["epsilon", "delta"])["sd"].first()
    probabilities = [
        1 - 2 * norm.sf(log(2) / epsilon / sd) for (epsilon, _), sd in gaussian.items()
    ]
    return {
        "quarter": [gaussian[epsilon, 0.25] / laplace[epsilon] for epsilon in EPSILONS],
        "tenth": [gaussian[epsilon, 0.1] / laplace[epsilon] for epsilon in EPSILONS],
        "near": (min(probabilities), max(probabilities)),
    }


@fact
def noise_put_on_bounds():
    """For F3: the numbers of cases in which bounding makes sds more similar, and of higher bars.

    "ratios": the ratio of sds in one case, after and before bounding.
    """
    table = tabulate_first_version.histograms(np.random.default_rng(1))
    first = table.drop_duplicates(["bound", "epsilon", "delta"])
    laplace = first[first["delta"].isna()].drop(columns="delta")
    cases = first[first["delta"].notna()].merge(laplace, on=["bound", "epsilon"])
    before, after = cases["sd_x"] / cases["sd_y"], cases["bounded_sd_x"] / cases["bounded_sd_y"]
    evened = np.abs(np.log(after)) < np.abs(np.log(before))
    higher = cases["probability_x"] > cases["probability_y"]
    narrow, large_delta = cases["bound"] == 2, cases["delta"] == 0.25
    assert evened[narrow & (cases["delta"] <= 0.1)].all()
    assert not evened[large_delta].any()
    assert large_delta.sum() == 6
    assert not higher[large_delta & (cases["bound"] == 5)].any()
    shown = narrow & (cases["epsilon"] == 0.5) & (cases["delta"] == 0.01)
    return {
        "evened": (evened.sum(), len(cases)),
        "ratios": (after[shown].item(), before[shown].item()),
        "higher-bars": (higher.sum(), len(cases)),
    }
