"""A user's own table of counts is read unchanged or refused. For refusals see tests/command."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggexp.proposal.labelled import read_labelled


def test_labels_are_text_and_cells_are_in_the_order_of_levels(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(
        "\ufeffyear,count,sex\r\n01,5,NA\r\n2,0,\r\n01,7,f\r\n".encode()  # as Excel writes it
    )
    table = read_labelled(path)
    assert table.levels == {"year": ["01", "2"], "sex": ["", "NA", "f"]}
    assert table.labels == {"year": ["01", "01", "2"], "sex": ["NA", "f", ""]}
    assert table.counts.tolist() == [5, 7, 0]
    assert (table.name, table.absent) == ("count", 2 * 3 - 3)
    complete = read_labelled(path, complete=True)
    assert complete.labels == {"year": ["01"] * 3 + ["2"] * 3, "sex": ["", "NA", "f"] * 2}
    assert complete.counts.tolist() == [0, 5, 7, 0, 0, 0]
    assert (complete.levels, complete.absent) == (table.levels, 0)


def test_a_table_up_to_the_largest_exact_total(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"a,count\nx,{2**53 - 1}\ny,1\n")
    assert read_labelled(path).counts.sum() == 2**53
    path.write_text(f"a,count\nx,{2**53}\ny,1\n")
    with pytest.raises(ValueError, match="sum to 9007199254740993"):
        read_labelled(path)


TEXT = st.text('ax,"\n\r10 ;\0é', max_size=40) | st.text(max_size=40)


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(text=TEXT.map(lambda rows: f"a,count\n{rows}") | TEXT)
def test_any_file_is_read_or_refused(tmp_path, text):
    path = tmp_path / "any.csv"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        table = read_labelled(path)
    except ValueError as error:
        assert str(path) in str(error)
    else:
        assert table.counts.size == len(next(iter(table.labels.values())))
        assert table.counts.min() >= 0
        assert table.absent >= 0
