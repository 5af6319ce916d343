"""ggexp.sanitize: the release of the command, from a data frame or a file."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from conftest import done

import ggexp
from ggexp.checks import RefusedTableError
from ggexp.releases import sanitize as module
from ggexp.releases.statement import Statement

RNG = np.random.default_rng(7)
SURVEY = pd.DataFrame(
    {
        "region": pd.Categorical(RNG.choice(["N", "S"], 200), categories=["W", "N", "S"]),
        "age": pd.array(RNG.choice([18, 30, np.nan], 200), dtype="Int64"),
        "happy": RNG.choice([True, False], 200),
        4: RNG.choice(["a ", 1, 2, None], 200),
        "lists": [[1]] * 200,
    }
)
COUNTS = pd.DataFrame({"a": ["x", "y", "z"], "b": 1, "n": [70, 0, 31]})
FROM_FILE = {"levels_from_file": True, "epsilon": 1}
#: The data, the arguments of the function, and the options of the command.
CASES = {
    "counts": (
        COUNTS,
        FROM_FILE | {"factors": ["a"], "count": "n", "ignore": ["b"], "delta": 0.01},
        "--factors a --count n --ignore b --levels-from-file --epsilon 1 --delta 0.01",
    ),
    "three tables": (
        SURVEY.drop(columns="lists"),
        FROM_FILE | {"tables": ["region", ["age", "happy"], ["4"]], "missing": "omit"},
        "--tables region --tables age,happy --tables 4 --missing omit --levels-from-file "
        "--epsilon 1",
    ),
    "weights": (
        SURVEY.drop(columns="lists"),
        {"levels": {"happy": [False, True], "region": ["N", "S"]}, "epsilon": 2}
        | {"tables": "one-way", "factors": ["happy", "region"], "weights": [2, 1]}
        | {"consistent": True},
        "--tables one-way --factors happy,region --levels happy=False,True --levels region=N,S "
        "--weights 2,1 --consistent --epsilon 2",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_function_and_command_make_the_same_release(case, call, tmp_path, monkeypatch):
    frame, arguments, options = CASES[case]
    file = tmp_path / "t.csv"
    frame.to_csv(file, index=False)
    made = [
        ggexp.sanitize(data, **arguments, _random_bytes=np.random.default_rng(1).bytes)
        for data in (frame, file)
    ]
    fixed = partial(ggexp.sanitize, _random_bytes=np.random.default_rng(1).bytes)
    monkeypatch.setattr(module, "sanitize", fixed)
    done(call("sanitize", file, *options.split()))
    names = sorted(path.name for path in tmp_path.glob("t-release*.csv"))
    statement = (tmp_path / "t-release.json").read_text("utf-8")
    for released in made:
        assert released.statement.in_files(names).json_text() + "\n" == statement
        for name, table in zip(names, released.tables, strict=True):
            written = pd.read_csv(tmp_path / name, dtype=dict.fromkeys(table.columns[:-1], str))
            pd.testing.assert_frame_equal(table, written, check_dtype=False)
    other = ggexp.sanitize(frame, **arguments | {"epsilon": 0.01})
    assert not other.tables[0].equals(made[0].tables[0])


@pytest.mark.parametrize(
    "arguments",
    [
        (np.array([3, 4]), ggexp.Mechanism(1, "pure").noise(epsilon=1), np.random.default_rng(1)),
        ([3, 4],),
        (COUNTS, 1.0),
    ],
    ids=len,
)
def test_the_arguments_of_a_simulation_are_refused(arguments):
    with pytest.raises(TypeError, match=r"ggexp\.simulate"):
        ggexp.sanitize(*arguments)


def test_categories_are_declared_levels_only_if_the_caller_says_so():
    of_region = partial(ggexp.sanitize, SURVEY, tables=["region"], epsilon=1)
    with pytest.raises(ValueError, match="--levels 'region"):
        of_region()
    for word, levels in (("file", ["N", "S"]), ("categories", ["W", "N", "S"])):
        released = of_region(**{f"levels_from_{word}": True})
        assert [*released.tables[0]["region"]] == levels
        assert released.statement.levels_from_file == ["region"] * (word == "file")


def test_data_that_cannot_be_released():
    of = partial(ggexp.sanitize, **FROM_FILE)
    for tables, message in ((["age"], "line .*age.*--missing"), (["lists"], "'lists'")):
        with pytest.raises(RefusedTableError, match=message):
            of(SURVEY, tables=tables)
    with pytest.raises(ValueError, match="no records"):
        of(SURVEY[:0], tables=["happy"])
    with pytest.raises(ValueError, match=r"epsilon .* got None"):
        of(SURVEY, tables=["happy"], epsilon=None)


def test_codes_of_missing_answers_among_the_levels_are_named_for_the_owner_alone():
    of = partial(ggexp.sanitize, tables=["age"], **FROM_FILE)
    ages = pd.DataFrame({"age": [18, 30, 44, 52] * 20 + [-9] * 5})
    for frame, number in ((ages, 1), (ages[ages["age"] > 0], 0)):
        released = of(frame)
        assert sum("'-9'" in note for note in released.private_notes) == number
        assert not any("'-9'" in note for note in released.statement.notes)


def test_a_statement_prints_and_is_a_table_in_notebooks():
    frame = COUNTS.assign(a=["<b>", "=1", "z"], b=2)
    released = ggexp.sanitize(
        frame, factors=["a"], count="n", ignore=["b"], levels={"a": frame["a"]}, epsilon=12
    )
    statement = released.statement
    assert isinstance(statement, Statement)
    said = [*statement.in_short().values(), *statement.notes, *statement.warnings]
    assert len(statement.warnings) == 2
    assert all(text in str(statement) for text in said)
    shown = released._repr_html_()
    assert "&#x27;=1&#x27;" in shown
    assert "<b>" not in shown
    assert shown.count("<table") == 2


def test_a_wrong_delta_is_refused_before_the_file_is_read():
    with pytest.raises(ValueError, match=r"delta must be .*, got 2"):
        ggexp.sanitize("no-such-file.csv", factors=["a"], count="n", epsilon=1, delta=2)
