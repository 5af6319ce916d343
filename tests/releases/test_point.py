"""Random streams of names and of grid points, and releases in groups of any size."""

import dataclasses

import numpy as np
import pytest

from ggexp import GeneralizedGaussian
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
from ggexp.releases import export as releases
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.simulate import Listed, release, simulate
from ggexp.streams import digest, stream

POINT = GridPoint("mildew", "ggm-3", 3, "pdp", 1.0, 0.05)


def first_draws(point, seed=1, repeat=0):
    return point.stream(seed, repeat).standard_normal(4)


def test_a_release_is_made_by_simulate_on_the_stream_of_the_point():
    counts, noise = np.array([16, 0, 7, 3, 0, 1, 11]), GeneralizedGaussian(3, 1.7)
    for repeat in (0, 7):
        expected = simulate(counts, noise, POINT.stream(3, repeat))
        released = release(counts, NoisyPoint(POINT, noise), seed=3, repeat=repeat)
        np.testing.assert_array_equal(released, expected)


@pytest.mark.parametrize(
    "change",
    [
        {"mechanism": "ggm-three"},
        {"order": 2},
        {"calibration": "pdp-exact"},
        {"epsilon": 1.0000000000000002},
        {"delta": None},
        # fields are distinguished by name, not concatenated
        {"dataset": "mildewggm-3", "mechanism": ""},
        {"epsilon": 0.05, "delta": 1.0},
    ],
    ids=str,
)
def test_a_change_of_any_field_changes_the_stream(change):
    other = dataclasses.replace(POINT, **change)
    assert not np.isin(first_draws(other), first_draws(POINT)).any()


def test_the_stream_is_that_of_the_published_results():
    """A change of these numbers changes every published result; announce it if it is intended."""
    assert POINT.stream(1, 0).integers(0, 1000, 5).tolist() == [160, 954, 719, 266, 798]
    other = GridPoint("mildew", "ggm-3", 3.0, "pdp", 1, np.float64(0.05))
    np.testing.assert_array_equal(first_draws(POINT), first_draws(other))


COUNTS = np.array([16, 0, 7, 3, 0])
POINTS = [
    NoisyPoint(GridPoint("mildew", "laplace", 1, "pure", 0.5, None), GeneralizedGaussian(1, 1.7)),
    NoisyPoint(
        GridPoint("mildew", "truncated", 1, "adp-truncated", 1, 0.05), TruncatedLaplace(0.6, 2.0)
    ),
]


@pytest.mark.parametrize(("values", "sizes"), [(2**22, [7, 7]), (19, [3, 3, 1] * 2), (4, [1] * 14)])
def test_groups_of_any_size_hold_the_same_releases(monkeypatch, values, sizes):
    monkeypatch.setattr(releases, "MAX_COUNTS", values)
    kind = Listed(COUNTS.size, total="public")
    groups = list(releases.list_releases(COUNTS, kind, POINTS, seed=3, repeats=7))
    assert [len(group["counts"]) for group in groups] == sizes
    columns = {name: [x for group in groups for x in group[name]] for name in groups[0]}
    assert columns["repeat"] == [*range(7)] * 2
    assert columns["mechanism"] == ["laplace"] * 7 + ["truncated"] * 7
    assert columns["delta"] == [None] * 7 + [0.05] * 7
    expected = [release(COUNTS, noisy, seed=3, repeat=k) for noisy in POINTS for k in range(7)]
    np.testing.assert_array_equal(columns["counts"], expected)


def test_streams_depend_on_all_arguments_and_never_change():
    arguments = [(1, "a"), (2, "a"), (1, "b"), (1, "a", 0), (1, "a", 1)]
    assert len({stream(*values).random() for values in arguments}) == len(arguments)
    number = 0x_CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB  # sha256 of "a"
    assert digest("a") == number
    for indices in [(), (0,), (3,)]:
        sequence = np.random.SeedSequence([7, number], spawn_key=indices)
        expected = np.random.Generator(np.random.PCG64DXSM(sequence)).bytes(16)
        assert stream(7, "a", *indices).bytes(16) == expected
