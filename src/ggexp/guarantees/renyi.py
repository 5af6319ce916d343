"""Rényi divergences of orders α > 1 between GG noise and the noise of a neighbour at distance Δ.

    D_α = ln E_P (P/Q)^(α-1) / (α - 1),   P the density of the noise and Q that of the neighbour.

The divergences of independent releases add up. Noise with D_α <= ρα for every α satisfies ρ-zCDP.
"""

from collections.abc import Callable
from math import exp, expm1, lgamma, log, log1p

from ggexp import checks


def divergence(*, order: float, scale: float, alpha: float, sensitivity: float = 1.0) -> float:
    """Return the Rényi divergence D_α between GG noise and itself moved by Δ.

    order: p >= 1 of the noise. scale: b > 0. alpha: α > 1. sensitivity: Δ > 0, in the units of b.
    Orders 1 and 2 have closed forms; that of order 2 is αΔ²/(2σ²). Other orders are integrated, to
    a relative error of about 1e-9, or 1e-12 absolutely.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    checks.at_least_one("order", order)
    checks.above_one("alpha", alpha)
    h = checks.positive("sensitivity", sensitivity) / checks.positive("scale", scale)
    if order == 1:
        return _laplace(h, alpha)
    if order == 2:
        return alpha * h * h
    return _integrated(order, h, alpha)


def _laplace(h: float, alpha: float) -> float:
    """Return D_α = ln(α/(2α-1) e^((α-1)h) + (α-1)/(2α-1) e^(-αh)) / (α-1) (Mironov 2017)."""
    more, less = (alpha - 1) * h, -alpha * h
    if more > 30:
        weight = alpha / (2 * alpha - 1)
        return (more + log(weight) + log1p((1 - weight) / weight * exp(less - more))) / (alpha - 1)
    # the weights sum to 1: small divergences lose no digits
    excess = (alpha * expm1(more) + (alpha - 1) * expm1(less)) / (2 * alpha - 1)
    return log1p(excess) / (alpha - 1)


def _integrated(order: float, h: float, alpha: float) -> float:
    """Return D_α by quadrature of the integrand, divided by its largest value."""
    from scipy.integrate import quad

    def exponent(u: float) -> float:  # increasing up to the peak, then decreasing
        return (alpha - 1) * abs(u + h) ** order - alpha * abs(u) ** order

    try:
        peak = h / expm1(min(-log1p(-1 / alpha) / (order - 1), 700))  # (1+h/u)^(p-1) = α/(α-1)
        largest = exponent(peak)
        low, high = (_fallen(exponent, peak, sign * (h + 1)) for sign in (-1, 1))
    except OverflowError:
        raise ValueError(
            f"alpha must be smaller for a finite divergence at order {order!r} and a scale of "
            f"{1 / h!r} sensitivities, got {alpha!r}"
        ) from None
    bends = [point for point in (-h, 0.0, peak) if low < point < high]
    integral = quad(
        lambda u: exp(exponent(u) - largest),
        low,
        high,
        points=bends,
        epsabs=0,
        epsrel=1e-10,
        limit=500,
    )[0]
    return (largest + log(integral / 2) - lgamma(1 + 1 / order)) / (alpha - 1)


def _fallen(exponent: Callable[[float], float], peak: float, first: float) -> float:
    """Return a point where the integrand is negligible, beyond the first step from the peak."""
    step = first * 2.0**-60
    while exponent(peak + step) > exponent(peak) - 50:
        step *= 2
    return peak + step
