"""The messages about a configuration: key, value, what is allowed."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from ggexp.experiment import configuration

ROOT = Path(__file__).parents[2]
SCHEMA = yaml.safe_load((ROOT / "config/schema.yaml").read_text("utf-8"))
PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))


def changed(path: str, value: Any) -> dict[str, Any]:
    """The paper's configuration with one key changed."""
    config = deepcopy(PAPER)
    *parents, last = path.split(".")
    part = config
    for parent in parents:
        part = part[parent]
    part[last] = value
    return config


def test_the_paper_s_design_is_valid() -> None:
    configuration.check(PAPER, SCHEMA)


def test_smoke_overrides_known_keys_only() -> None:
    smoke = yaml.safe_load((ROOT / "config/smoke.yaml").read_text("utf-8"))
    assert smoke["results_dir"] != PAPER["results_dir"]
    configuration.check(PAPER | smoke, SCHEMA)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("repeat", 5, "unknown key: repeat; allowed: datasets, delta,"),
        ("kl.prior", 1, "unknown key in kl: prior; allowed: direction, pseudo_count"),
        ("repeats", 0, "repeats: must be >= 1, got 0"),
        ("repeats", 2.5, "repeats: 2.5 is not a whole number"),
        ("repeats", True, "repeats: True is not a whole number"),
        ("repeats", 10**9, "repeats: must be <= 1000000, got 1000000000"),
        ("epsilon", [], "epsilon: must not be empty"),
        ("epsilon", [0], r"epsilon[0]: must be > 0, got 0"),
        ("epsilon", [1, -2], r"epsilon[1]: must be > 0, got -2"),
        ("epsilon", [float("nan")], r"epsilon[0]: must be a finite number, got nan"),
        ("epsilon", [float("inf")], r"epsilon[0]: must be a finite number, got inf"),
        ("epsilon", [1, 1.0], r"epsilon: names a value twice"),
        ("epsilon", ["1e-5"], "epsilon[0]: '1e-5' is not a number but text; YAML reads 1e-5 as"),
        ("epsilon", 1, "epsilon: 1 is not of type 'array'"),
        ("delta", [0], r"delta[0]: must be > 0, got 0"),
        ("delta", [0.1, 1], r"delta[1]: must be < 1, got 1"),
        ("delta", [float("nan")], r"delta[0]: must be a finite number, got nan"),
        ("kl.pseudo_count", 0, "kl.pseudo_count: must be > 0, got 0"),
        ("kl.direction", "both", "kl.direction: must be one of original-to-sanitized, sanitized"),
        ("datasets", ["mildew", "moths"], "datasets: unknown data set 'moths', defined in"),
        (
            "histograms.mildew.mechanisms",
            ["laplace", "staircase"],
            "histograms.mildew.mechanisms: unknown mechanism 'staircase', defined in mechanisms",
        ),
        (
            "mechanisms.laplace",
            {"order": 0.5, "calibration": "pure"},
            "mechanisms.laplace.order: must be >= 1, got 0.5",
        ),
        (
            "mechanisms.laplace",
            {"order": float("nan"), "calibration": "pure"},
            "mechanisms.laplace.order: must be a finite number, got nan",
        ),
        ("mechanisms.laplace", {"order": 1}, "missing key in mechanisms.laplace: calibration"),
        (
            "mechanisms.laplace",
            {"order": 1, "calibration": "pur"},
            "mechanisms.laplace: unknown calibration 'pur', known are: pure, pdp",
        ),
        (
            "mechanisms.laplace",
            {"order": 2, "calibration": "pure"},
            "mechanisms.laplace: calibration 'pure' fits order 1 only, got order 2: ",
        ),
        (
            "mechanisms.ggm-3",
            {"order": 3, "calibration": "adp-classical"},
            "mechanisms.ggm-3: calibration 'adp-classical' fits order 2 only, got order 3",
        ),
        ("mechanisms", {"../up": {"order": 1, "calibration": "pure"}}, "got '../up'"),
        ("histograms.mildew.figures.errors", 6, "6 is also the number of histograms.mildew"),
    ],
)
def test_message(path: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match="the configuration is not valid") as caught:
        configuration.check(changed(path, value), SCHEMA)
    assert message in str(caught.value)


def test_every_mistake_is_told_at_once() -> None:
    config = changed("repeats", 0) | {"epsilon": [-1], "colour": "blue"}
    with pytest.raises(ValueError, match="not valid") as caught:
        configuration.check(config, SCHEMA)
    assert len(str(caught.value).splitlines()) == 4
