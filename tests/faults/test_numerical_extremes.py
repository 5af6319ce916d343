"""From the smallest to the largest ε, δ, order and count: a right answer or a refusal, no NaN."""

import math
import warnings

import numpy as np
import pytest

from ggexp import calibration, privacy_loss
from ggexp.experiment.errors import measure_errors
from ggexp.experiment.grid import GridPoint
from ggexp.experiment.sanitize import sanitize
from ggexp.experiment.summary import summarize
from ggexp.mechanisms.distribution import GeneralizedGaussian

EPSILONS = [1e-6, 1e-3, 1.0, 30.0, 1e3]
DELTAS = [1e-15, 1e-9, 0.05, 0.5, 1 - 1e-9]
ORDERS = [1.0, 1.5, 2.0, 3.0, 10.0, 100.0]


@pytest.mark.parametrize("name", calibration.RULES)
@pytest.mark.parametrize("order", ORDERS)
def test_every_scale_is_finite_and_keeps_its_guarantee(name: str, order: float) -> None:
    rule = calibration.rule(name)
    if rule.order not in (None, order):
        with pytest.raises(ValueError, match="fits order"):
            calibration.scale(name, order=order, epsilon=1, delta=0.05)
        return
    for epsilon in EPSILONS:
        for delta in DELTAS if rule.uses_delta else [None]:
            if rule.bound and delta > 1 / 2:
                with pytest.raises(ValueError, match=r"delta must be a number in \(0, 1/2\]"):
                    calibration.scale(name, order=order, epsilon=epsilon, delta=delta)
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # proofs that need a smaller ε
                b = calibration.scale(name, order=order, epsilon=epsilon, delta=delta)
            assert math.isfinite(b)
            assert b > 0
            if name in ("pure", "adp-exact"):
                reached = privacy_loss.delta(order=order, scale=b, epsilon=epsilon)
                if delta is None:
                    assert reached <= 1e-15
                else:
                    assert reached == pytest.approx(delta, rel=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e300])
@pytest.mark.parametrize(
    "counts",
    [
        [0],
        [1],
        [10**12],
        [0, 0, 0],
        [10**12, 0, 1],
        [2**53 - 1, 1],
    ],
)
def test_releases_and_their_errors_are_finite(
    order: float, scale: float, counts: list[int]
) -> None:
    original = np.array(counts, dtype=np.int64)
    noise = GeneralizedGaussian(order, scale)
    for seed in range(5):
        released = sanitize(original, noise, np.random.default_rng(seed))
        assert np.isfinite(released).all()
        assert (released >= 0).all()
        assert released.sum() == pytest.approx(original.sum())

    point = GridPoint("table", "ggm", order, "pdp", 1.0, 0.05)
    columns = measure_errors(
        original,
        point,
        scale,
        seed=1,
        repeats=3,
        pseudo_count=0.5,
        direction="original-to-sanitized",
    )
    for metric in ("l1", "kl", "kl_reverse"):
        assert np.isfinite(columns[metric]).all()
        assert (columns[metric] >= 0).all()
    if len(counts) == 1:  # n is public, so a single cell is known
        assert columns["l1"] == pytest.approx([0, 0, 0], abs=1e-3)


@pytest.mark.parametrize("pseudo_count", [1e-300, 1e-9, 0.5, 1e12])
def test_divergences_are_finite_with_any_pseudo_count(pseudo_count: float) -> None:
    columns = measure_errors(
        np.array([10**12, 0, 3]),
        GridPoint("table", "laplace", 1, "pure", 1.0, None),
        1e6,
        seed=1,
        repeats=20,
        pseudo_count=pseudo_count,
        direction="original-to-sanitized",
    )
    assert np.isfinite(columns["kl"]).all()
    assert np.isfinite(columns["kl_reverse"]).all()


def test_a_summary_has_no_nan_but_the_spread_of_a_single_repeat() -> None:
    import pandas as pd

    columns = measure_errors(
        np.array([0]),
        GridPoint("table", "laplace", 1, "pure", 1.0, None),
        1.0,
        seed=1,
        repeats=1,
        pseudo_count=0.5,
        direction="original-to-sanitized",
    )
    summary = summarize([pd.DataFrame(columns)])
    assert (summary["mean"] == 0).all()
    assert summary["sd"].isna().all()
