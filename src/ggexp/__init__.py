"""ggexp: the experiments of "Generalized Gaussian Mechanism for Differential Privacy", reproduced.

What is where:

    Mechanism            noise of an order with the scale of a rule: release(values, rng, …)
    GeneralizedGaussian  the noise: sample, sd, and scipy's pdf, cdf, …
    calibration          the rules: from a guarantee to a scale (RULES, scale)
    privacy_loss         from a scale to the guarantee that it gives
    best_order           the order, with its scale, that needs the least noise for a guarantee
    noise_table          all rules and orders at one (ε, δ): noise, exact guarantees, advantage
    run_grid             the errors of a table's releases over a grid of mechanisms, ε and δ
    plot_errors, plot_releases
                         figures of what run_grid returned
    epsilon_for_error    the ε that keeps a table's error within a bound, before looking at it
    recommend, needed_epsilon
                         which mechanism it makes the best, and the ε that a small error needs
    sensitivity          how far one record moves what is released
    bounded, post_hoc    noise within bounds, and what bounding a release afterwards costs
    exponential, lp_ball, several_coordinates, distribution
                         other mechanisms, several statistics at once, the noise's distribution
    sanitize             one release of a histogram's counts, within bounds and summing to n
    GridPoint, NoisyPoint, release
                         the same for a repeat of an experiment, from its own random stream
    l1, kl_dirichlet     how far a release is from the original counts
    ggexp.datasets       from files to histograms
    ggexp.guarantees     what a guarantee amounts to: many queries, an adversary, an audit
    ggexp.svm            support vector machines, many on one kernel
    ggexp.releases, ggexp.experiment, ggexp.figures, ggexp.claims, ggexp.run
                         what the workflow does, in the order of a run
    ggexp.command        the command line: ggexp --help

    >>> import numpy as np
    >>> from ggexp import Mechanism, l1, sanitize
    >>> noise = Mechanism(order=2, calibration="pdp").noise(epsilon=1, delta=0.05)
    >>> counts = np.array([12, 0, 30, 7])
    >>> sanitized = sanitize(counts, noise, np.random.default_rng(1))
    >>> round(sanitized.sum(), 6), l1(counts, sanitized) > 0
    (np.float64(49.0), True)

It is made for experiments, not for releases of confidential data. The names of ``__init__.pyi`` are
imported when they are first used, so that a job of the workflow loads, and depends on, only the
modules that it names itself.
"""

import lazy_loader

_lazy, _names, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Return a name of the stub, imported now, or the version of the installed package."""
    if name == "__version__":  # not a constant here: a new one would rerun every job
        from importlib.metadata import version

        return version("ggexp")
    return _lazy(name)


def __dir__() -> list[str]:
    """Return the names that are there for users."""
    return [*_names(), "__version__"]
