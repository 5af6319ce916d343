"""The kind of release of a data set: allowed combinations of settings, and grid points."""

import re
import warnings
from copy import deepcopy

import pytest
import yaml
from conftest import PAPER, ROOT, pattern_of

from ggexp.experiment import configuration
from ggexp.experiment.design import grid
from ggexp.plan import run_checks


def configured(**changes):
    """Return the paper's design with Adult only, and changes."""
    config = deepcopy(PAPER) | {"datasets": ["adult"]}
    adult = config["histograms"]["adult"]
    del adult["figures"]
    config["neighbours"] = changes.pop("neighbours", "add-remove")
    config["mechanisms"]["bounded"] = {"order": 1, "calibration": "adp-truncated"}
    adult |= {"mechanisms": ["laplace", "gaussian-pdp"]} | changes
    return config


def merged(config, changes):
    """Return the configuration merged with changes, as by Snakemake."""
    result = {**config}
    for key, value in changes.items():
        nested = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if nested else value
    return result


def test_the_configuration_of_empty_cells_is_valid():
    own = yaml.safe_load((ROOT / "config/empty-cells.yaml").read_text("utf-8"))
    config = configuration.check(merged(PAPER, own))
    assert len(config.datasets) == 6
    sharing = [name for name, data in config.data.items() if data.records.split_of]
    assert sharing == ["adult-threshold", "adult-stability"]
    assert run_checks.warnings_of(config) == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        design = grid(config)
    assert len(design["adult-threshold"]) == 3 + 3 * 12
    assert len(design["adult-stability"]) == 4 * 12


def test_a_public_total_is_the_total_of_all_neighbours():
    config = configured(release={"total": "public"})
    assert configuration.check(config).neighbours == "replace-one"
    config["datasets"] = ["adult", "mildew"]
    with pytest.raises(ValueError, match=r"adult \(public\), mildew \(as-printed\)"):
        configuration.check(config)
    own = configured(release={}, mechanisms=["laplace"])
    assert configuration.check(own).neighbours == "add-remove"
    assert configuration.check(own).data["adult"].release.total == "private"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"release": {"kind": "empty"}},
            "release.kind: … non-empty, all, threshold, stability, got 'empty'",
        ),
        (
            {"release": {"expected_empty": 3}},
            "release.expected_empty: … histograms.adult.release.kind: threshold",
        ),
        (
            {"release": {"kind": "threshold", "expected_empty": 0}},
            "release.expected_empty: must be > 0, got 0",
        ),
        (
            {"release": {"kind": "stability"}, "neighbours": "replace-one"},
            "release.kind: stability is private only for neighbours: add-remove",
        ),
        (
            {"release": {"kind": "stability", "total": "public"}},
            "release.kind: stability is private only for neighbours: add-remove",
        ),
        ({"release": {"total": 812}}, "release.total: … private, public, as-printed, got 812"),
        (
            {"release": {}, "synthetic": ["largest-remainder", "counts"]},
            "synthetic: largest-remainder … adult.release.total: public",
        ),
        (
            {"release": {"kind": "threshold"}, "mechanisms": ["bounded"]},
            "mechanisms: 'bounded' … truncated Laplace",
        ),
    ],
)
def test_invalid_combinations_are_reported(changes, message):
    with pytest.raises(ValueError, match="not valid") as refused:
        configuration.check(configured(**changes))
    assert re.search(pattern_of(f"histograms.adult.{message}"), str(refused.value))


def test_kinds_for_records_are_refused_for_tables():
    for kind in ("threshold", "all"):
        config = deepcopy(PAPER)
        config["histograms"]["mildew"] |= {"release": {"kind": kind}, "figures": {}}
        with pytest.raises(ValueError, match=rf"mildew\.release\.kind: {kind} is for records"):
            configuration.check(config)


def test_laplace_noise_has_a_delta_if_stability_needs_it():
    for kind, points in (("non-empty", 3), ("all", 3), ("threshold", 3), ("stability", 12)):
        config = configuration.check(configured(release={"kind": kind}, mechanisms=["laplace"]))
        # only the paper's kind of release has a warning
        assert len(run_checks.warnings_of(config)) == (kind == "non-empty")
        noisy_points = grid(config)["adult"]
        assert len(noisy_points) == points
        assert {noisy.noise.scale * noisy.point.epsilon for noisy in noisy_points} == {1}


def test_classifiers_are_trained_on_the_releases_of_all_mechanisms_or_of_some():
    def trained(**classifier):
        config = configured(classifier={"target": "income", **classifier})
        return configuration.check(config).data["adult"].trained

    assert trained() == ["laplace", "gaussian-pdp"]
    assert trained(mechanisms=["laplace"]) == ["laplace"]
    assert trained(mechanisms=[]) == []
