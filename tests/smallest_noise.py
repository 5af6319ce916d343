"""The smallest noise for approximate DP, by a linear program: an independent derivation."""

from math import ceil, exp, expm1, log1p

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack


def least_moment(epsilon, delta, steps=1, power=2):
    """Return the smallest E|Y|^power of noise Y on multiples of 1/steps that satisfies (ε, δ).

    A statistic changes by a multiple of 1/steps, at most 1. Noise may be symmetric, because its
    mixture with its mirror image satisfies the same guarantee. The variables are Pr(Y = j/steps)
    for j >= 0 and, for each change by k/steps, the excess over e^ε times Pr(Y = (j - k)/steps).
    """
    end = ceil(steps * (log1p(expm1(epsilon) / (2 * delta)) / epsilon + 1.2))
    size, js = 2 * end + 1, np.arange(-end, end + 1)
    symmetric = csr_array((np.ones(size), (np.arange(size), abs(js))))
    excesses = [
        symmetric - exp(epsilon) * (eye_array(size, k=-k) @ symmetric) for k in range(1, steps + 1)
    ]
    sums = kron(eye_array(steps), np.ones((1, size)))
    limits = vstack(
        [
            hstack([vstack(excesses), -eye_array(size * steps)]),
            hstack([csr_array((steps, end + 1)), sums]),
        ]
    )
    number = np.where(np.arange(end + 1), 2.0, 1.0)  # of the values j and -j
    costs = number * (np.arange(end + 1) / steps) ** power
    excess = np.zeros(size * steps)
    result = linprog(
        np.concatenate([costs, excess]),
        A_ub=limits.tocsr(),
        b_ub=np.concatenate([excess, np.full(steps, delta)]),
        A_eq=np.concatenate([number, excess])[None],
        b_eq=[1],
    )
    return float(result.fun)


def least_sds(epsilon, delta, steps=20):
    """Return bounds on the smallest sd of real-valued noise if a statistic changes by at most 1.

    With h = 1/steps and the smallest variance L of lattice noise: rounding any noise to a
    neighbouring multiple of h at random, without bias, gives lattice noise and adds at most h²/4.
    Lattice noise and an independent uniform draw from [-h/2, h/2] satisfy (ε, δ) at every change.
    """
    least = least_moment(epsilon, delta, steps)
    return (least - 1 / (4 * steps**2)) ** 0.5, (least + 1 / (12 * steps**2)) ** 0.5
