"""Codes, identifiers, weights, crosstabs and marks: what is never binned, guessed or silent."""

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import describe

from ggexp.datasets.columns import level_key
from ggexp.datasets.records import make_histogram
from ggexp.datasets.sniff import sniff
from ggexp.proposal.describe import examine
from ggexp.proposal.guess import CountOptions, guess_table

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
    assert found.roles["code"].form == "unused"
    assert [" up to 2;" in warning for warning in found.warnings] == [True]
    few = examined(tmp_path / "t.csv", zip=["01234", "10115"] * 40, sex=["f", "m", "m", "f"] * 20)
    assert few.roles["zip"].levels == ["01234", "10115"]


@pytest.mark.parametrize("codes", [[77, 99], [-8, -9]])
def test_several_codes_of_missing_values_are_pointed_out(tmp_path, codes):
    values = [*RNG.integers(1, 8, 300), *codes * 3]
    found = examined(tmp_path / "t.csv", scale=values, sex=RNG.choice(["f", "m"], len(values)))
    assert all(str(code) in found.roles["scale"].note for code in codes)


def test_long_answers_weights_and_missing_records(tmp_path):
    answers = RNG.choice(["yes, " * 20, "no, " * 30], 300)
    sexes = RNG.choice(["f", "m", ""], 300, p=[0.3, 0.3, 0.4])
    weights = RNG.uniform(0, 2, 300).round(3)
    chosen = ["answer", "sex"]
    found = examined(tmp_path / "t.csv", chosen, answer=answers, sex=sexes, survey_wt=weights)
    assert len(found.roles["answer"].levels) == 2
    share = f"{(sexes == '').mean():.0%}"
    assert any(warning.startswith(share) for warning in found.warnings)
    assert any("survey_wt" in warning for warning in found.warnings)


def test_levels_that_begin_with_numbers_are_in_their_order():
    levels = ["100+", "10-14", "5-9", "0-4", "Under 5", "3", "<1"]
    expected = ["0-4", "<1", "3", "5-9", "10-14", "100+", "Under 5"]
    assert sorted(levels, key=level_key) == expected


CROSSTAB = "Sex,Yes,No,Total\nF,71,310,381\nM,95,336,431\nTotal,166,646,812\n"


@pytest.mark.parametrize("removed", ["", "Total,166,646,812\n"])
def test_a_crosstab_with_totals_is_refused(tmp_path, removed):
    for name, count in (("n", None), ("sum of all", "sum of all"), ("Total", None)):
        header = f"Sex,Yes,No,{name}\n"
        (tmp_path / "t.csv").write_text(header + CROSSTAB.split("\n", 1)[1].replace(removed, ""))
        with pytest.raises(ValueError, match=r"sum of 'Yes', 'No' .* --wide"):
            describe(tmp_path / "t.csv", count_options=CountOptions(count=count))
    found = guess_table(sniff(tmp_path / "t.csv"), CountOptions(wide=True))
    assert found.table.counts.tolist() == [71, 310, 95, 336]


@pytest.mark.parametrize("mark", ["'", "\u00a0"])
def test_thousands_marks_of_records(tmp_path, mark):
    numbers = RNG.integers(1000, 99_999, 200)
    texts = [f"{number:,}".replace(",", mark) for number in numbers]
    found = examined(tmp_path / "t.csv", income=texts, sex=RNG.choice(["f", "m"], 200))
    assert "--thousands" in found.roles["income"].note
    options = CountOptions(thousands=mark.replace("\u00a0", " "))
    printed = describe(tmp_path / "t.csv", count_options=options)
    (settings,) = yaml.safe_load(printed)["histograms"].values()
    records = settings["records"] | {"columns": {"income": {"edges": [0, 50_000, 100_000]}}}
    cells = make_histogram(records, dataset="own", seed=1).cells
    expected = [(numbers < 50_000).sum(), (numbers >= 50_000).sum()]
    assert cells["count"].tolist() == expected
