"""The errors of equal counts, computed again from the data, and beside the errors of releases."""

import numpy as np
import pandas as pd
import pytest
from conftest import PAPER, ROOT, layout_of
from scipy.stats import entropy

from ggexp.datasets.records import read_histogram
from ggexp.experiment.equal_counts import tabulate_equal_counts


def errors(counts, tally=None, **options):
    """Return metric -> error of equal counts."""
    cells = counts if isinstance(counts, pd.DataFrame) else pd.DataFrame({"count": counts})
    table = tabulate_equal_counts(cells, tally, dataset="own", pseudo_count=0.5, **options)
    assert set(table["dataset"]) == {"own"}
    return table.set_index("metric")["equal"].to_dict()


def expected(counts):
    """Return l1 and both divergences of n/k in each of k cells, with 1/2 added to each count."""
    equal = np.full(len(counts), sum(counts) / len(counts))
    original, others = counts + 0.5, equal + 0.5
    divergences = entropy(original, others), entropy(others, original)
    return {"l1": abs(counts - equal).sum(), "kl": divergences[0], "kl_reverse": divergences[1]}


#: Data set -> l1, KL and reverse KL of equal counts, as computed elsewhere.
KNOWN = {
    "mildew": (94.125, 0.7136156794, 0.5840250986),
    "czech": (1655.375, 0.5296126904, 0.6344555727),
    "adult": (3717.825290, 0.0329315185, 0.0240936623),
}


@pytest.mark.parametrize("dataset", KNOWN)
def test_errors_of_the_papers_data(dataset, request):
    if dataset == "adult":
        layout = layout_of(PAPER["histograms"][dataset]["records"])
        file = request.getfixturevalue("adult_data")
        read = read_histogram(file, layout, dataset=dataset, seed=PAPER["seed"])
        counts = read.cells["count"].to_numpy()
    else:
        counts = pd.read_csv(ROOT / f"data/{dataset}.csv")["count"].to_numpy()
    computed = errors(counts)
    assert computed == pytest.approx(expected(counts), rel=1e-9)
    assert [*computed.values()] == pytest.approx(KNOWN[dataset], rel=1e-8)


def test_equal_counts_in_unlisted_cells_have_almost_nothing_in_common():
    """Of 10^12 cells, each has 10^-11 of 10 records."""
    tally = pd.DataFrame({"quantity": ["bins", "cells"], "count": [10**12, 2]})
    computed = errors([9, 1], tally)
    assert computed["l1"] == pytest.approx(20, rel=1e-10)
    assert (computed["kept"], computed["added"]) == (0, 0)
    assert errors([9, 1])["l1"] == 8  # in the listed cells
    few = pd.DataFrame({"quantity": ["bins"], "count": [4]})
    assert errors([9, 1], few)["l1"] == 6.5 + 1.5 + 2 * 2.5


def test_marginals_of_equal_counts():
    cells = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv"), "count": [6, 2, 1, 1]})
    computed = errors(cells, has_marginals=True)
    assert computed["one_way"] == pytest.approx((0.3 + 0.2) / 2)  # 8 : 2 and 7 : 3
    assert computed["two_way"] == pytest.approx(0.35)
    assert "two_way" not in errors(cells[["a", "count"]], has_marginals=True)
