"""Counts as users write them: marks in numbers, wide tables, errors with their line and value."""

import pytest
from conftest import describe, proposed, save

from ggexp.datasets.sniff import sniff
from ggexp.datasets.tables import make_table
from ggexp.proposal.guess import CountOptions, guess_table


def cells_of(table):
    levels = map(tuple, table.labels.to_numpy(object))
    return dict(zip(levels, table.counts.tolist(), strict=True))


def table(path, content, **options):
    """The cells of a table, checked against the configuration that `describe` proposes."""
    count_options = CountOptions(**options)
    guessed = guess_table(sniff(save(path, content)), count_options).table
    configured = make_table(proposed(path, count_options=count_options), "histograms.t")
    assert cells_of(guessed) == cells_of(configured)
    return cells_of(guessed)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [(['"1,234"', '"12,345,678"'], [1234, 12345678]), (['"3,0"', '"14,0"'], [3, 14])],
)
def test_marks_are_detected(tmp_path, counts, expected):
    lines = [f"{level},u,{count}" for level, count in zip("xy", counts, strict=True)]
    found = table(tmp_path / "t.csv", "\n".join(["a,b,count", *lines]))
    assert [*found.values()] == expected


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ('a,b,count\nx,"2,5","1,234"\ny,"2,5",7\n', {}),  # the file has a decimal comma
        ('a,b,count\nx,u,"3,0"\ny,u,"1,234"\n', {}),
        ('a,b,count\nx,u,"1,234"\ny,u,7\n', {"decimal": ","}),
    ],
)
def test_ambiguous_commas_give_a_message_with_the_options(tmp_path, content, options):
    path = save(tmp_path / "t.csv", content)
    with pytest.raises(ValueError, match=r"line [23]: count .*--decimal and --thousands.*'.*,.*'"):
        describe(path, count_options=CountOptions(**options))


WIDE = {("black", "brown"): 32, ("black", "blue"): 11, ("red", "brown"): 10, ("red", "blue"): 0}


@pytest.mark.parametrize(
    "content",
    [
        ",brown,blue\nblack,32,11\nred,10,0\n",
        "hair,brown,blue\nblack,32.0,11.0\nred,10.0,0.0\n",
        '"","hair","brown","blue"\n"1","black",32,11\n"2","red",10,0\n',
        "hair;brown;blue\nblack;32;11\nred;10;0\ntotal;42;11\n",
        "hair\tbrown\tblue\tall\nblack\t32\t11\t43\nred\t10\t0\t10\n",
    ],
    ids=["pandas crosstab", "floats", "R", "row of totals", "column of totals"],
)
def test_wide_tables(tmp_path, content):
    assert table(tmp_path / "t.csv", content, wide="column") == WIDE


def test_factors_of_wide_tables_distinguish_the_lines(tmp_path):
    content = "year,quarter,f,m\n1990,1,3,4\n1990,2,5,6\n1991,1,3,4\n"
    found = table(tmp_path / "t.csv", content, wide="column")
    assert found["1990", "2", "m"] == 6
    assert found["1991", "2", "m"] == 0  # it has no line
    assert len(found) == 8
    path = save(tmp_path / "t.csv", "a,b\nx,1\nx,2\n")
    with pytest.raises(ValueError, match="a wide table needs"):
        describe(path, count_options=CountOptions(wide="column"))


def test_the_column_of_the_counts(tmp_path):
    path, content = tmp_path / "t.csv", "sex,n,people\nf,1,30\nm,2,40\nf,2,5\n"
    expected = {("f", "1"): 30, ("f", "2"): 5, ("m", "1"): 0, ("m", "2"): 40}
    assert table(path, content, count="people") == expected
    with pytest.raises(ValueError, match="no column 'folk'; the columns are sex, n, people"):
        describe(path, count_options=CountOptions(count="folk"))
    without_names = save(path, "66,m\n70,f\n71,f\n")
    with pytest.raises(ValueError, match=r"the first line must name .* got '66', 'm'"):
        describe(without_names, count_options=CountOptions(count="column-1"))
    content = "sex,level,f\nf,1,30\nm,1,40\nf,2,5\nm,2,0\n"
    expected = {("f", "1"): 30, ("m", "1"): 40, ("f", "2"): 5, ("m", "2"): 0}
    assert table(path, content) == expected
    assert len(guess_table(sniff(path)).warnings) == 1
    assert "\n    records:" in describe(path, columns=["sex"])
    for changed in (content + "f,1,7\n", content[:-6], content.replace("40", "4.5")):
        assert "\n    records:" in describe(save(path, changed))
