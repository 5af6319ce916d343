"""The numbers of docs/limits.md on the noise of GGM-3."""

import pytest
from printed import check, numbers, table, text
from scipy.optimize import brentq
from scipy.stats import gennorm

from ggexp import calibration
from ggexp.mechanisms.distribution import GeneralizedGaussian

PAGE = "limits.md"
EPSILONS = (0.5, 1, 2)
DELTAS = (0.01, 0.05, 0.1, 0.25)


def sd(order, rule, epsilon, delta):
    scale = calibration.scale(rule, order=order, epsilon=epsilon, delta=delta)
    return GeneralizedGaussian(order, scale).sd


def row(epsilon, delta):
    """The sd of the two Gaussians, and of GGM-3 by its four readings."""
    return [
        sd(2, "pdp", epsilon, delta),
        sd(2, "adp-classical", epsilon, delta),
        sd(3, "pdp", epsilon, delta),
        sd(3, "pdp-exact", epsilon, delta),
        sd(3, "pdp", epsilon, 2 * delta),
        sd(3, "adp-exact", epsilon, delta),
    ]


@pytest.mark.filterwarnings("ignore:the proof of 'adp-classical'")
def test_the_place_of_ggm_3():
    _, *rows = table(PAGE, "| (ε, δ) | Gaussian-pDP | Gaussian-aDP | GGM-3, `pdp` |")
    points = [(epsilon, delta) for epsilon in EPSILONS for delta in DELTAS]
    assert [tuple(map(float, numbers(cells[0]))) for cells in rows[:12]] == points
    bold = "".join(
        line for line in text(PAGE).split("|") if line.strip().startswith("**") and "." in line
    )
    wider, between, in_bold = [0] * 4, [0] * 4, []
    for cells, point in zip(rows[:12], points, strict=True):
        pdp, adp, *of_ggm = values = row(*point)
        check(numbers(*cells[1:]), values)
        for k, value in enumerate(of_ggm):
            wider[k] += value > adp
            between[k] += pdp < value < adp
            if value > adp:
                in_bold.append(cells[3 + k])
    assert numbers(bold) == in_bold
    assert wider == [9, 5, 4, 1]
    assert max(between) < 12
    for name, counted, cells in zip(
        ("wider than Gaussian-aDP", "between the two Gaussians"),
        (wider, between),
        rows[12:],
        strict=True,
    ):
        assert cells == [name, "", "", *(f"{one} of 12" for one in counted)]


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (1, 0.25), (2, 0.1)])
def test_one_sided_is_twice_delta(epsilon, delta):
    def beyond(scale):
        """Pr(loss > ε): the loss ((x + 1)^3 - |x|^3) / b^3 rises in x."""

        def loss(x):
            return (abs(x + 1) ** 3 - abs(x) ** 3) / scale**3 - epsilon

        return gennorm.sf(brentq(loss, -1, 1000 * scale), 3, scale=scale) - delta

    found = brentq(beyond, 0.6, 100)
    expected = calibration.scale("pdp", order=3, epsilon=epsilon, delta=2 * delta)
    assert found == pytest.approx(expected)
