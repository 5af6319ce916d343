"""The numbers of docs/synthetic.md, from tables of a run (tests/data/README.md) and the library."""

from pathlib import Path

import pytest
from printed import agrees, check, numbers, table, text

from ggexp.experiment.synthetic import clamping_bias
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.run.columns import read_csv

PAGE = "synthetic.md"
TABLES = Path(__file__).parents[1] / "data/synthetic"
DATASETS = {"mildew": "mildew-records", "Czech": "czech-records", "Adult": "adult-records"}
MODES = ["exponential", "exponential-one-sided", "laplace", "gaussian-pdp", "ggm-3", "gaussian-adp"]


@pytest.fixture(scope="module")
def means():
    """The mean of a metric of synthetic records: dataset, metric, mechanism, epsilon, method."""
    rows = read_csv(TABLES / "records.csv")
    keys = ["dataset", "metric", "mechanism", "epsilon", "method"]
    return rows.set_index(keys)["mean"].to_dict()


@pytest.fixture(scope="module")
def wrong():
    rows = read_csv(TABLES / "modes.csv")
    return rows.set_index(["dataset", "mechanism", "epsilon"])["wrong"].to_dict()


def test_numbers_of_records(means):
    _, *rows = table(PAGE, "records made by `counts`")
    assert [row[0] for row in rows] == [*DATASETS]
    for name, n, *cells in rows:
        found = [
            means[DATASETS[name], "records", mechanism, epsilon, "counts"]
            for mechanism in ("laplace", "gaussian-pdp")
            for epsilon in (0.5, 1, 2)
        ]
        check(numbers(*cells), found)
        release = means[DATASETS[name], "records", "laplace", 1, "release"]
        check(numbers(n), [release])


def test_marginals(means):
    header, *rows = table(PAGE, "two-way marginals (%)")
    methods = ["release", *(name.strip("`") for name in header[3:])]
    assert len(rows) == 9
    for name, epsilon, *cells in rows:
        found = [
            100 * means[DATASETS[name], "two_way", "laplace", float(epsilon), method]
            for method in methods
        ]
        check(numbers(*cells), found)
    of_czech = [
        means["czech-records", "two_way", "laplace", 2, one] for one in ("multinomial", "release")
    ]
    assert "the error is 7.0 times that of the release" in text(PAGE)
    assert agrees("7.0", of_czech[0] / of_czech[1])


def test_single_marginals():
    errors = read_csv(TABLES / "marginals.csv")  # of Adult's releases, Laplace at 0.5
    assert errors["other"].notna().sum() == 91
    furthest, nearest = (
        errors.loc[errors["mean"] == end] for end in errors["mean"].agg(["max", "min"])
    )
    assert list(furthest[["attribute", "other"]].iloc[0]) == ["age", "occupation"]
    assert list(nearest["attribute"]) == ["capital-gain"]
    assert "age and occupation (4.3 %), and nearest in that of capital-gain (0.3 %)" in text(PAGE)
    check(["4.3", "0.3"], [100 * furthest["mean"].item(), 100 * nearest["mean"].item()])


def test_modes(wrong):
    _, *rows = table(PAGE, "wrong mode")
    datasets = {**DATASETS, "Adult, age": "adult-age"}
    for name, epsilon, *cells in rows:
        found = [wrong[datasets[name], mechanism, float(epsilon)] for mechanism in MODES]
        check(numbers(*cells), found)
    assert "wrong with probability 1e-13, GGM-3, whose noise has short tails, with 1e-26" in text(
        PAGE
    )
    assert wrong["czech-records", "laplace", 2] == pytest.approx(1e-13, rel=0.5)
    assert wrong["czech-records", "ggm-3", 2] == pytest.approx(1e-26, rel=0.5)
    for dataset in ("mildew-records", "czech-records", "adult-age"):
        for epsilon in (0.5, 1):
            assert wrong[dataset, MODES[1], epsilon] == pytest.approx(
                wrong[dataset, MODES[0], 2 * epsilon], rel=1e-6
            )


def test_clamping():
    page, noise = text(PAGE), GeneralizedGaussian(1, 2.0)
    assert "gains e^(-1/2) = 0.6065 records at scale 2" in page
    assert agrees("0.6065", clamping_bias(1, noise, rounded=False))
    assert "which is 0.6003 there" in page
    assert agrees("0.6003", clamping_bias(1, noise, rounded=True))
    gains = read_csv(TABLES / "gains.csv")
    here = (gains["dataset"] == "mildew-records") & (gains["mechanism"] == "laplace")
    here &= (gains["original"] == 16) & (gains["epsilon"] == 0.5)
    here &= gains["method"] == "largest-remainder"
    assert "the cell of 16 loses 6.6 records" in page
    assert agrees("6.6", -gains.loc[here, "mean"].item())
