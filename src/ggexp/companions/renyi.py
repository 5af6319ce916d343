"""Rényi divergences of orders α > 1 between GG noise and the same noise shifted by Δ.

    D_α = ln E_P (P/Q)^(α-1) / (α - 1),

where P is the density of the noise and Q the density of the shifted noise. The divergences of
independent releases add up. Noise with D_α <= ρα for every α satisfies ρ-zCDP.
"""

from collections.abc import Callable
from math import exp, expm1, inf, lgamma, log, log1p, sqrt

from ggexp import checks
from ggexp.ranges import Delta, Order, Releases, Scale, Sensitivity


def divergence(
    *, order: Order, scale: Scale, alpha: float, sensitivity: Sensitivity = 1.0
) -> float:
    """Return the Rényi divergence D_α between GG noise and the same noise shifted by Δ.

    alpha: α > 1. sensitivity: in the units of b.
    Orders 1 and 2 have closed forms; for order 2, it is αΔ²/(2σ²). For other orders, the divergence
    is integrated numerically, with a relative error of about 1e-9 or an absolute error of 1e-12.
    """
    checks.at_least_one("order", order)
    if not 1 < alpha < inf:
        raise ValueError(f"alpha must be a finite number > 1, got {alpha!r}")
    h = checks.positive("sensitivity", sensitivity) / checks.positive("scale", scale)
    if order == 1:
        return _laplace(h, alpha)
    if order == 2:
        return alpha * h * h
    return _integrated(order, h, alpha)


def _laplace(h: float, alpha: float) -> float:
    """Return D_α = ln(α/(2α-1) e^((α-1)h) + (α-1)/(2α-1) e^(-αh)) / (α-1) (Mironov 2017)."""
    rise, fall = (alpha - 1) * h, -alpha * h
    if rise > 30:
        weight = alpha / (2 * alpha - 1)
        return (rise + log(weight) + log1p((1 - weight) / weight * exp(fall - rise))) / (alpha - 1)
    # because the weights sum to 1, this form keeps all digits of a small divergence
    excess = (alpha * expm1(rise) + (alpha - 1) * expm1(fall)) / (2 * alpha - 1)
    return log1p(excess) / (alpha - 1)


def _integrated(order: float, h: float, alpha: float) -> float:
    """Return D_α by quadrature of the integrand, which is first divided by its maximum."""
    from scipy.integrate import quad

    def exponent(u: float) -> float:  # increasing up to the peak, then decreasing
        return (alpha - 1) * abs(u + h) ** order - alpha * abs(u) ** order

    try:
        peak = h / expm1(min(-log1p(-1 / alpha) / (order - 1), 700))  # (1 + h/u)^(p-1) = α/(α-1)
        largest = exponent(peak)
        low, high = (_negligible_point(exponent, peak, sign * (h + 1)) for sign in (-1, 1))
    except OverflowError:
        raise ValueError(
            f"alpha must be smaller for a finite divergence at order {order!r} and a scale of "
            f"{1 / h!r} sensitivities, got {alpha!r}"
        ) from None
    breakpoints = [point for point in (-h, 0.0, peak) if low < point < high]
    integral = quad(
        lambda u: exp(exponent(u) - largest),
        low,
        high,
        points=breakpoints,
        epsabs=0,
        epsrel=1e-10,
        limit=500,
    )[0]
    return (largest + log(integral / 2) - lgamma(1 + 1 / order)) / (alpha - 1)


def _negligible_point(exponent: Callable[[float], float], peak: float, direction: float) -> float:
    """Return a point where the integrand is negligible, in a direction from its peak."""
    step = direction * 2.0**-60
    while exponent(peak + step) > exponent(peak) - 50:
        step *= 2
    return peak + step


def zcdp_scale(rho: float, sensitivity: Sensitivity = 1.0) -> float:
    """Return the scale b = Δ_2/√ρ of Gaussian noise (σ = b/√2) that satisfies ρ-zCDP.

    sensitivity: Δ_2, of all statistics together. Source: Bun and Steinke 2016, Proposition 1.6.
    """
    b = checks.positive("sensitivity", sensitivity) / sqrt(checks.positive("rho", rho))
    return checks.positive("scale", b)


def zcdp_epsilon(*, rho: float, delta: Delta, k: Releases) -> float:
    """Return the joint ε at δ of k releases that each satisfy ρ-zCDP: kρ + 2√(kρ ln(1/δ)).

    Together they satisfy kρ-zCDP. rho: ρ >= 0, which is Δ²/(2σ²) = (Δ/b)² for Gaussian noise.
    Source: Bun and Steinke (2016), Lemma 1.7 and Proposition 1.3.
    """
    together = checks.count("k", k) * checks.not_negative("rho", rho)
    return together + 2 * sqrt(together * -log(checks.open_unit("delta", delta)))
