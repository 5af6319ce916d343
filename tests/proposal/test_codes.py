"""Codes, identifiers, weights, crosstabs and marks: what is never binned, guessed or silent."""

import numpy as np
import pandas as pd
import pytest
from conftest import describe, examine, proposed, save

from ggexp.datasets.columns import level_key
from ggexp.datasets.records import make_histogram
from ggexp.datasets.sniff import sniff
from ggexp.proposal.guess import CountOptions, guess_table
from ggexp.proposal.roles import bins_of

RNG = np.random.default_rng(6)


def examined(path, chosen=None, **columns):
    pd.DataFrame(columns).to_csv(path, index=False)
    return examine(path, columns=chosen)


@pytest.mark.parametrize(
    "codes",
    [
        [f"{i:03d}" for i in range(200)],
        [str(10_000 + 7 * i) for i in range(200)],
        [str(4 * 10**17 + 3 * i) for i in range(200)],
        [str(3 * i * i + 900) for i in range(200)],
    ],
    ids=["leading zeros", "of one length", "accounts", "almost all different"],
)
def test_codes_are_never_binned(tmp_path, codes):
    repeated = [*codes, *codes[:10]] if len(codes[0]) < 17 else codes * 2
    sexes = RNG.choice(["f", "m"], len(repeated))
    found = examined(tmp_path / "t.csv", code=repeated, sex=sexes)
    assert found.roles["code"].form is None
    assert [" up to 2;" in warning for warning in found.warnings] == [True]
    few = examined(tmp_path / "t.csv", zip=["01234", "10115"] * 40, sex=["f", "m", "m", "f"] * 20)
    assert few.roles["zip"].levels == ["01234", "10115"]


AGES = [*range(18, 95)] * 8
BINS = {"from": 10, "to": 100, "width": 10}


@pytest.mark.parametrize(
    ("values", "near", "far", "form"),
    [
        ([*range(1, 8)] * 50, [], [77, 99], {"levels": [*"1234567"]}),
        ([*range(1, 8)] * 50, [], [-8, -9, -1], {"levels": [*"1234567"]}),
        ([0, 1] * 50, [-1], [-9, 9999], {"levels": ["-1", "0", "1"]}),
        (["no", "yes"] * 50, [], [-9, 99], {"levels": ["no", "yes"]}),
        (["0", "1", "2", "3+"] * 50, [], [-99], {"levels": ["0", "1", "2", "3+"]}),
        (AGES, [], [-99, -9, 999], BINS),
        (AGES, [97, 98, 99], [-99], BINS),
        ([*np.arange(-300, 400) / 10], [-9], [-99], {"from": -30, "to": 40, "width": 10}),
        ([77, 99] * 50, [77], [], {"levels": ["77", "99"]}),
        ([0, 99] * 50, [99], [], {"levels": ["0", "99"]}),
    ],
)
def test_codes_far_outside_of_the_other_values_are_proposed_as_missing(
    tmp_path, values, near, far, form
):
    """A code near the other values is a value: -1 is near 0, and -9 near numbers from -30 to 40."""
    present = [*values, *near * 3, *far * 3]
    sexes = RNG.choice(["f", "m"], len(present))
    found = examined(tmp_path / "t.csv", ["v"], v=present, sex=sexes)
    assert {*map(float, found.settings.missing)} == {*far}
    assert found.settings.form("v").written() == form
    assert found.total == len(present) - 3 * len(far)
    assert bool(far) == any("far outside" in warning for warning in found.warnings)


def test_a_code_that_is_a_value_of_another_column_stays(tmp_path):
    """The texts of missing values are the same for all columns."""
    ages = [*range(18, 100)] * 5
    scale = [*RNG.integers(1, 8, len(ages) - 20), *[99, -9] * 10]
    found = examined(tmp_path / "t.csv", ["scale"], scale=scale, age=ages)
    assert found.settings.missing == ["-9"]
    assert found.roles["scale"].levels == [*"1234567", "99"]
    assert "99" in found.roles["scale"].note
    assert found.total == len(ages) - 10
    not_used = range(1, len(ages) + 1)
    found = examined(tmp_path / "t.csv", ["scale"], scale=scale, id=not_used)
    assert {*found.settings.missing} == {"-9", "99"}


@pytest.mark.parametrize("about", [10, 5, 3, 2])
@pytest.mark.parametrize(
    ("values", "resolution"),
    [
        (np.arange(62, 73), 1),
        (np.arange(361, 372) / 10, 0.1),
        (np.arange(101), 1),
        (RNG.integers(18, 91, 400), 1),
        (RNG.integers(0, 30, 400) ** 2 + 7, 1),
    ],
    ids=["eleven whole", "eleven tenths", "percent", "ages", "squares"],
)
def test_outer_bins_contain_several_possible_values(values, resolution, about):
    """Otherwise, the outer edges would be the exact minimum and maximum."""
    edges = bins_of(np.sort(values).astype(float), about).bounds
    assert edges[0] <= values.min()
    assert values.max() <= edges[-1]
    assert edges[1] - edges[0] > 1.5 * resolution
    assert edges[-1] - edges[-2] > 1.5 * resolution


@pytest.mark.parametrize(("about", "outer"), [(10, (0, 1400)), (2, (0, 2000))])
def test_skewed_numbers_have_round_outer_edges(about, outer):
    incomes = np.sort(np.random.default_rng(1).lognormal(3.6, 0.9, 5000).round() + 12)
    low, *inner, high = bins_of(incomes, about).edges
    assert (incomes[0], incomes[-1], low, high) == (14, 1272, *outer)
    assert len(inner) == about - 1


def test_levels_that_begin_with_numbers_are_in_their_order():
    levels = ["100+", "10-14", "5-9", "0-4", "Under 5", "3", "<1"]
    expected = ["0-4", "<1", "3", "5-9", "10-14", "100+", "Under 5"]
    assert sorted(levels, key=level_key) == expected


@pytest.mark.parametrize("totals", ["Total,166,646,812\n", ""])
def test_a_crosstab_with_totals_is_refused(tmp_path, totals):
    for name, count in (("n", None), ("sum of all", "sum of all"), ("Total", None)):
        content = f"Sex,Yes,No,{name}\nF,71,310,381\nM,95,336,431\n{totals}"
        path = save(tmp_path / "t.csv", content)
        with pytest.raises(ValueError, match=r"sum of 'Yes', 'No' .* --wide"):
            describe(path, count_options=CountOptions(count=count))
    found = guess_table(sniff(path), CountOptions(wide="column"))
    assert found.table.counts.tolist() == [71, 310, 95, 336]


@pytest.mark.parametrize("mark", ["'", "\u00a0"])
def test_thousands_marks_of_records(tmp_path, mark):
    numbers = RNG.integers(1000, 99_999, 200)
    texts = [f"{number:,}".replace(",", mark) for number in numbers]
    found = examined(tmp_path / "t.csv", income=texts, sex=RNG.choice(["f", "m"], 200))
    assert "--thousands" in found.roles["income"].note
    options = CountOptions(thousands=mark.replace("\u00a0", " "))
    records = proposed(tmp_path / "t.csv", count_options=options)["records"]
    records |= {"columns": {"income": {"edges": [0, 50_000, 100_000]}}}
    cells = make_histogram(records, dataset="own", seed=1).table.cells
    expected = [(numbers < 50_000).sum(), (numbers >= 50_000).sum()]
    assert cells["count"].tolist() == expected


def test_whole_numbers_that_nearly_all_differ_are_bins_if_they_are_named(tmp_path):
    """An income in whole units of money is taken for an identifier, unless a user names it."""
    columns = {"income": RNG.choice(10**6, 400, replace=False), "sex": RNG.choice(["f", "m"], 400)}
    found = examined(tmp_path / "t.csv", **columns)
    assert found.roles["income"].is_identifier
    assert "--columns" in found.roles["income"].note
    found = examined(tmp_path / "t.csv", ["income", "sex"], **columns)
    assert found.table.total == 400
    assert [found.roles["income"].is_identifier, *found.left_out] == [False]
    assert found.settings.form("income").bounds[0] == 0
