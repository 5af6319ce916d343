"""The figures of the paper's first version (F1 to F3)."""

from functools import cache
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
def truncated_noise_of_pure_dp():
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


@cache
def unbounded():
    """Of Figure F2: the sd of Laplace noise by ε, and of Gaussian noise by ε and δ."""
    table = tabulate_first_version.densities()
    of_laplace = table[table["delta"].isna()].groupby("epsilon")["sd"].first()
    return of_laplace, table.dropna(subset="delta").groupby(["epsilon", "delta"])["sd"].first()


def over_laplace(delta):
    of_laplace, of_gaussian = unbounded()
    return [of_gaussian[epsilon, delta] / of_laplace[epsilon] for epsilon in EPSILONS]


@fact
def gaussian_over_laplace_at_a_quarter():
    return over_laplace(0.25)


@fact
def gaussian_over_laplace_at_a_tenth():
    return over_laplace(0.1)


@fact
def gaussian_within_the_median_of_laplace():
    near = [1 - 2 * norm.sf(log(2) / e / sd) for (e, _), sd in unbounded()[1].items()]
    return min(near), max(near)


@cache
def bounded():
    """Of Figure F3: Laplace (y) beside Gaussian noise (x), and whether bounding evens their sd."""
    table = tabulate_first_version.histograms(np.random.default_rng(1))
    first = table.drop_duplicates(["bound", "epsilon", "delta"])
    laplaces = first[first["delta"].isna()].drop(columns="delta")
    both = first[first["delta"].notna()].merge(laplaces, on=["bound", "epsilon"])
    before, after = both["sd_x"] / both["sd_y"], both["bounded_sd_x"] / both["bounded_sd_y"]
    evened = np.abs(np.log(after)) < np.abs(np.log(before))
    higher = both["probability_x"] > both["probability_y"]
    return both.assign(before=before, after=after, evened=evened, higher=higher)


@fact
def cases_that_bounding_evens():
    """They have narrow bounds and a δ up to 0.1, and none has δ = 0.25."""
    cases = bounded()
    assert cases["evened"][(cases["bound"] == 2) & (cases["delta"] <= 0.1)].all()
    assert not cases["evened"][cases["delta"] == 0.25].any()
    assert (cases["delta"] == 0.25).sum() == 6
    return cases["evened"].sum(), len(cases)


@fact
def ratio_of_sds_after_and_before_bounding():
    (case,) = bounded().query("bound == 2 and epsilon == 0.5 and delta == 0.01").itertuples()
    return case.after, case.before


@fact
def higher_bars_of_the_gaussian():
    cases = bounded()
    assert not cases["higher"][(cases["delta"] == 0.25) & (cases["bound"] == 5)].any()
    return cases["higher"].sum(), len(cases)
