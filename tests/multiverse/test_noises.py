"""The scale in each reading, against probabilities of the privacy loss on a grid of quantiles."""

import numpy as np
import pytest
import yaml
from conftest import ROOT
from scipy.stats import gennorm

from ggexp.mechanisms.mechanism import Mechanism
from ggexp.multiverse.choices import read_factorials
from ggexp.multiverse.noises import noise, noises
from ggexp.releases.point import GridPoint

SECTION = yaml.safe_load((ROOT / "config/multiverse.yaml").read_text("utf-8"))["multiverse"]
TABLES = read_factorials(SECTION, 500)["tables"]
QUANTILES = 200_000
#: The probability of an event that the quantiles count is wrong by at most about 1 in QUANTILES,
#: which is 0.05 % of the smallest δ; the quantiles of the sum of two losses are as good.
TOLERANCE = 1e-3


def exceeds(values: np.ndarray, threshold: float, cells: int) -> float:
    """Return the probability that the sum of independent values exceeds the threshold."""
    values = np.sort(values)
    rest = threshold - values if cells == 2 else np.array([threshold])
    return float(1 - np.searchsorted(values, rest, side="right").mean() / len(values))


def probability(reading: str, scale: float, epsilon: float, cells: int) -> float:
    """Return the probability that a reading of the scale of GGM-3 bounds by δ."""
    e = gennorm(3, scale=scale).ppf((np.arange(QUANTILES) + 0.5) / QUANTILES)
    loss = (np.abs(e + 1) ** 3 - np.abs(e) ** 3) / scale**3
    if reading == "corollary-8":
        return exceeds(3 * e**2 + 3 * np.abs(e) + 1, epsilon * scale**3, cells)
    if reading == "two-sided":
        return exceeds(loss, epsilon, cells) + exceeds(-loss, epsilon, cells)
    if reading == "one-sided":
        return exceeds(loss, epsilon, cells)
    if reading == "as-printed":
        return exceeds(3 * e**2 + 3 * np.abs(e), scale**3 - cells * epsilon, cells)
    assert reading == "leading-term"
    return exceeds(3 * e**2, epsilon * scale**3, cells)


@pytest.mark.parametrize("cells", [1, 2])
@pytest.mark.parametrize("reading", [*SECTION["choices"]["ggm-3-scale"]["alternatives"]])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.01), (2.0, 0.25)])
def test_scales_of_ggm_3(reading: str, cells: int, epsilon: float, delta: float) -> None:
    neighbours = [*SECTION["choices"]["neighbours"]["alternatives"]][cells - 1]
    complete = TABLES.complete({"ggm-3-scale": reading, "neighbours": neighbours})
    point = GridPoint("mildew", "ggm-3", 3, "pdp", epsilon, delta)
    scale = noise(point, complete).scale
    assert probability(reading, scale, epsilon, cells) == pytest.approx(delta, rel=TOLERANCE)
    wrong = probability(reading, 0.99 * scale, epsilon, cells)
    assert wrong > delta * (1 + 3 * TOLERANCE)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_scales_of_the_gaussian_mechanism(epsilon: float) -> None:
    """The exact scale is used where the classical bound is not proven."""
    point = GridPoint("mildew", "gaussian-adp", 2, "adp-classical", epsilon, 0.1)
    scales = [
        noise(point, TABLES.complete({"gaussian-adp-scale": name})).scale
        for name in ("classical", "exact")
    ]
    classical, exact = (
        Mechanism(2, rule).noise(epsilon=epsilon, delta=0.1).scale
        for rule in ("adp-classical", "adp-exact")
    )
    assert scales == [classical, classical if epsilon < 1 else exact]
    assert len(list(noises(point, TABLES))) == (2 if epsilon < 1 else 4)  # with the neighbours


def test_two_cells_need_twice_the_laplace_scale() -> None:
    point = GridPoint("mildew", "laplace", 1, "pure", 0.5, None)
    scales = {reading["neighbours"]: noise.scale for reading, noise in noises(point, TABLES)}
    assert scales == pytest.approx({"add-remove": 2, "replace-one": 4})
