"""ggexp: the experiments of "Generalized Gaussian Mechanism for Differential Privacy", reproduced.

Only `sanitize`, as the command ``ggexp sanitize``, makes releases of confidential data that may be
published, each with a statement of what its guarantee covers. All other functions are for
experiments and for planning: their noise has a known seed or is drawn in floating point, and
results that are computed from a table are as confidential as the table. The paper is F. Liu, IEEE
Transactions on Knowledge and Data Engineering 31(4), 2019, doi:10.1109/TKDE.2018.2845388. The
package offers:

    Mechanism            an order and a calibration rule: release(values, rng, …)
    GeneralizedGaussian  the noise distribution: sample, sd, delta, epsilon, scipy (pdf, cdf, …)
    calibration          rules that compute the noise for a guarantee (RULES, calibrate)
    best_order           the noise with the smallest standard deviation
    noise_table          all rules and orders at one (ε, δ), with exact guarantees
    run_grid             errors of a table's releases, by mechanism, ε and δ
    plot_errors, plot_releases
                         figures of the result of run_grid
    recommend, needed_epsilon
                         the best mechanism, and the ε for a given error
    epsilon_for_error    the ε at which a table's error is small enough, without the data
    sensitivity          global sensitivity: the largest change that one record can cause
    bounded              noise within bounds, and bounds applied afterwards
    selection, lp_ball   other mechanisms: exponential, noisy argmax, noise in l_p balls
    several_coordinates  the scale if one record changes several statistics
    distribution         the module of GeneralizedGaussian
    sanitize             a release that may be published, of a data frame or a file
    simulate             one release of a histogram's counts, as the paper's experiment makes it
    GridPoint, NoisyPoint, release
                         the release of one repeat, from its own random stream
    l1, kl_dirichlet     distances between a release and the original counts
    ggexp.datasets       histograms from files
    ggexp.guarantees     composition, largest errors, guessing advantage
    ggexp.companions     four other texts: their mechanisms, claims and figures; an audit
    ggexp.svm            support vector machines that share a kernel
    ggexp.proposal       a configuration for an undescribed file
    ggexp.tables         several tables of the same records: noise, consistency
    ggexp.releases, ggexp.experiment, ggexp.figures, ggexp.claims, ggexp.run
                         the steps of the workflow, in the order of a run
    ggexp.multiverse     the experiment in all readings of the paper
    ggexp.plan           what a run computes, from its configuration
    ggexp.command        the command line: ggexp --help

A type such as `ggexp.ranges.Epsilon` states the range of an argument, here ε > 0. An argument
outside its range, or of the wrong shape, raises ValueError with its name, its value and the allowed
range. Random numbers come from a `numpy.random.Generator`; anything else, for example a seed,
raises TypeError. Docstrings mention only other errors. "The paper" is the one above.

The names in ``__init__.pyi`` are imported at their first use. Therefore a job of the workflow
loads, and depends on, only the modules that it imports itself.

>>> import numpy as np
>>> from ggexp import Mechanism, l1, simulate
>>> noise = Mechanism(order=2, calibration="pdp").noise(epsilon=1, delta=0.05)
>>> counts = np.array([12, 0, 30, 7])
>>> sanitized = simulate(counts, noise, np.random.default_rng(1))
>>> round(float(sanitized.sum()), 6), l1(counts, sanitized) > 0
(49.0, True)
"""

import lazy_loader

_lazy, _names, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Return an exported object, imported at its first use, or the installed version."""
    if name == "__version__":  # not a constant: an edit of this file reruns every job
        from importlib.metadata import version

        return version("ggexp")
    return _lazy(name)


def __dir__() -> list[str]:
    """Return the public names."""
    return [*_names(), "__version__"]
