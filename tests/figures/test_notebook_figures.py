"""Figures of the result of `run_grid`, which the workflow draws in the same way."""

import numpy as np
import pandas as pd
import pytest

from ggexp import Mechanism, NoisyPoint, plot_errors, plot_releases, run_grid
from ggexp.experiment.notebook import measured_of
from ggexp.releases.simulate import Listed

COUNTS = [12, 0, 30, 7, 7]
MECHANISMS = {
    "laplace": Mechanism(1, "pure"),
    "ggm-3": Mechanism(3, "pdp"),
    "truncated": {"order": 1, "calibration": "adp-truncated"},
}


@pytest.fixture(scope="module")
def errors() -> pd.DataFrame:
    return run_grid(
        COUNTS, mechanisms=MECHANISMS, epsilon=[0.5, 2], delta=[0.1, 0.2], repeats=6, seed=3
    )


@pytest.mark.slow
def test_errors_are_the_means_over_repeats(errors: pd.DataFrame) -> None:
    first = plot_errors(errors).axes[0]
    assert first.get_title() == "δ = 0.1"
    means = errors[errors["mechanism"] == "laplace"].groupby("epsilon")["l1"].mean()
    assert list(first.containers[0].lines[0].get_ydata()) == pytest.approx(list(means))
    only_one = plot_errors(errors[errors["epsilon"] == 2])
    assert len(only_one.axes) == len(plot_errors(errors).axes)


def test_the_drawn_errors_are_those_of_the_measured_releases(errors: pd.DataFrame) -> None:
    figure = plot_releases(errors)
    assert len(figure.axes) == 2
    lines = iter(figure.axes[0].lines[1:])  # the first is at 0
    counts = np.array(COUNTS)
    levels = np.unique(counts)
    for noisy in map(NoisyPoint.from_parameters, measured_of(errors).points):
        point = noisy.point
        if (point.epsilon, point.delta or 0.1) == (0.5, 0.1):
            kind = Listed(counts.size)
            noise = np.array(
                [kind.release(counts, noisy, seed=3, repeat=i).counts - counts for i in range(6)]
            )
            rows = errors[errors["mechanism"] == point.mechanism].query("epsilon == 0.5")
            stored = rows.loc[rows["delta"].fillna(0.1) == 0.1, "l1"]
            assert list(np.abs(noise).sum(axis=1)) == pytest.approx(list(stored))
            for percentile in (5, 95):
                ends = [np.percentile(noise[:, counts == level], percentile) for level in levels]
                assert list(next(lines).get_ydata()) == pytest.approx(ends)


def test_frames_without_attrs_or_of_several_data_sets_are_rejected(errors: pd.DataFrame) -> None:
    without_attrs = pd.DataFrame(errors.to_dict("list"))
    assert plot_errors(without_attrs).axes
    with pytest.raises(ValueError, match="run_grid"):
        plot_releases(without_attrs)
    two_datasets = pd.concat([errors, errors.assign(dataset="other")])
    for plot in (plot_errors, plot_releases):
        with pytest.raises(ValueError, match="one data set, got 2"):
            plot(two_datasets)
        with pytest.raises(ValueError, match="one data set, got 0"):
            plot(errors[:0])
