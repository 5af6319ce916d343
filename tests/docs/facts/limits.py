"""Where GGM-3 stands by four readings of its guarantee: docs/limits.md."""

from marks import Bold

from facts import fact
from facts.library import GRID, sd


@fact
def noise_of_ggm_3():
    """The sd of both Gaussians, and of GGM-3 by its readings, bold if above Gaussian-aDP's."""
    rows, wider, between = [], [0] * 4, [0] * 4
    for epsilon, delta in GRID:
        pdp, adp = sd("pdp", 2, epsilon, delta), sd("adp-classical", 2, epsilon, delta)
        readings = [
            sd("pdp", 3, epsilon, delta),
            sd("pdp-exact", 3, epsilon, delta),
            sd("pdp", 3, epsilon, 2 * delta),
            sd("adp-exact", 3, epsilon, delta),
        ]
        for k, one in enumerate(readings):
            wider[k] += one > adp
            between[k] += pdp < one < adp
        bold = [Bold(one) if one > adp else one for one in readings]
        rows.append([(epsilon, delta), pdp, adp, *bold])
    assert max(between) < 12  # no reading gives the paper's order everywhere
    counts = [[None, (), (), *((one, 12) for one in each)] for each in (wider, between)]
    return [*rows, *counts]
