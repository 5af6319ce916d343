"""The figures of the paper's first version (F1 to F3)."""

from math import log

import numpy as np
from scipy.optimize import brentq
from scipy.stats import gennorm, norm

from facts import fact
from facts.library import EPSILONS
from ggexp.figures import tabulate_first_version


def cost(order, b, width):
    """The largest log ratio of two neighbours' truncated densities, on a grid of both."""
    s, release = np.linspace(0, width - 1, 181)[:, None], np.linspace(0, width, 201)

    def log_density(value):
        noise = gennorm(order, loc=value, scale=b)
        return noise.logpdf(release) - np.log(noise.cdf(width) - noise.cdf(0))

    return np.abs(log_density(s + 1) - log_density(s)).max()


def sd_within(order, b, x):
    """The standard deviation of noise on a grid that ends at its bounds."""
    density = np.exp(-((np.abs(x) / b) ** order))
    density /= np.trapezoid(density, x)
    mean = np.trapezoid(x * density, x)
    return np.trapezoid((x - mean) ** 2 * density, x) ** 0.5


@fact
def truncated_noise():
    """Of F1: ε, true ε, sd, and sd at exactly ε; each of Laplace and of Gaussian noise."""
    curves = tabulate_first_version.truncated_densities()
    rows = []
    for panel in "ab":
        costs, sds, exact_sds = [], [], []
        for order, mechanism in ((1, "laplace"), (2, "gaussian")):
            at = (curves["panel"] == panel) & (curves["mechanism"] == mechanism)
            width, epsilon, b = curves.loc[at, ["width", "epsilon", "scale"]].iloc[0]
            x = curves.loc[at, "x"].to_numpy()
            exact = brentq(lambda b, p=order, w=width, e=epsilon: cost(p, b, w) - e, b / 4, b)
            costs.append(cost(order, b, width))
            sds.append(sd_within(order, b, x))
            exact_sds.append(sd_within(order, exact, x))
        rows.append([f"({panel})", epsilon, *costs, *sds, *exact_sds])
    return rows


@fact
def unbounded_noise():
    """Of F2: the sd of Gaussian noise over Laplace noise's; its mass within Laplace's median."""
    table = tabulate_first_version.densities()
    laplace = table[table["delta"].isna()].groupby("epsilon")["sd"].first()
    gaussian = table.dropna(subset="delta").groupby(["epsilon", "delta"])["sd"].first()
    near = [1 - 2 * norm.sf(log(2) / epsilon / sd) for (epsilon, _), sd in gaussian.items()]
    return {
        "quarter": [gaussian[epsilon, 0.25] / laplace[epsilon] for epsilon in EPSILONS],
        "tenth": [gaussian[epsilon, 0.1] / laplace[epsilon] for epsilon in EPSILONS],
        "near": (min(near), max(near)),
    }


@fact
def noise_put_on_bounds():
    """Of F3: how many cases bounding evens, the ratios of sd in one, and the higher bars."""
    table = tabulate_first_version.histograms(np.random.default_rng(1))
    first = table.drop_duplicates(["bound", "epsilon", "delta"])
    laplace = first[first["delta"].isna()].drop(columns="delta")
    cases = first[first["delta"].notna()].merge(laplace, on=["bound", "epsilon"])
    before, after = cases["sd_x"] / cases["sd_y"], cases["bounded_sd_x"] / cases["bounded_sd_y"]
    evened = np.abs(np.log(after)) < np.abs(np.log(before))
    higher = cases["probability_x"] > cases["probability_y"]
    narrow, large = cases["bound"] == 2, cases["delta"] == 0.25
    assert evened[narrow & (cases["delta"] <= 0.1)].all()
    assert not evened[large].any()
    assert large.sum() == 6
    assert not higher[large & (cases["bound"] == 5)].any()
    one = narrow & (cases["epsilon"] == 0.5) & (cases["delta"] == 0.01)
    return {
        "evened": (evened.sum(), len(cases)),
        "ratios": (after[one].item(), before[one].item()),
        "higher-bars": (higher.sum(), len(cases)),
    }
