"""The errors of equal counts, with reference values for the paper's data."""

import pandas as pd
import pytest
from conftest import ROOT

from ggexp.experiment.equal_counts import tabulate_equal_counts


def errors(listed, **options):
    listed = pd.DataFrame({"count": listed}) if isinstance(listed, list) else listed
    table = tabulate_equal_counts(listed, dataset="own", pseudo_count=0.5, **options)
    return table.set_index("metric")["equal"].to_dict()


#: Data set -> l1, KL and reverse KL of equal counts, as computed elsewhere.
KNOWN = {
    "mildew": (94.125, 0.7136156794, 0.5840250986),
    "czech": (1655.375, 0.5296126904, 0.6344555727),
    "adult": (3717.825290, 0.0329315185, 0.0240936623),
}


@pytest.mark.parametrize("dataset", KNOWN)
def test_errors_of_the_papers_data(dataset, request):
    if dataset == "adult":
        cells = request.getfixturevalue("adult_histogram").table.cells
    else:
        cells = pd.read_csv(ROOT / f"data/{dataset}.csv")
    computed = [errors(cells)[name] for name in ("l1", "kl", "kl_reverse")]
    assert computed == pytest.approx(KNOWN[dataset], rel=1e-8)


def test_equal_counts_in_unlisted_cells_have_almost_nothing_in_common():
    """Of 10^12 cells, each has 10^-11 of 10 records."""
    for bins, distance in ((10**12, 20), (4, 6.5 + 1.5 + 2 * 2.5)):
        computed = errors([9, 1], cells=bins)
        assert computed["l1"] == pytest.approx(distance, rel=1e-10)
        assert (computed["kept"], computed["added"]) == (0, 0)
    assert errors([9, 1])["l1"] == 8  # in the listed cells


def test_marginals_of_equal_counts():
    cells = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv"), "count": [6, 2, 1, 1]})
    computed = errors(cells, has_marginals=True)
    assert computed["one_way"] == pytest.approx((0.3 + 0.2) / 2)  # 8 : 2 and 7 : 3
    assert computed["two_way"] == pytest.approx(0.35)
    assert "two_way" not in errors(cells[["a", "count"]], has_marginals=True)
