"""Which records and levels `ggexp sanitize` publishes, compared with counts by pandas.

At ε = 30 for each table, the probability of any noise at all is below 1e-12 a count.
"""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import done, refused, save
from survey_files import FILES, LABELS

FROM_FILE = ["--levels-from-file", "--missing"]
TABLES = [("sex", "region"), ("education",), ("region", "diagnosis")]
WORDS = [word for columns in TABLES for word in ("--tables", ",".join(columns))]


def published(call, file, *words, tables=1):
    output = file.parent / f"out-{len([*file.parent.iterdir()])}.csv"
    words = [*words, "--epsilon", 30 * tables, "--output", output, "--json"]
    statement = json.loads(done(call("sanitize", file, *words)))
    paths = sorted(file.parent.glob(f"{output.stem}*.csv"))
    assert len(paths) == tables
    frames = [pd.read_csv(path, keep_default_na=False, dtype=str) for path in paths]
    return statement, [f.set_index([*f.columns[:-1]])["count"].astype(float) for f in frames]


def expected(records, columns, missing):
    answers = records[[*columns]].astype(object)
    answers = answers.dropna() if missing == "omit" else answers.fillna("missing")
    return answers.value_counts()


def assert_counts(table, true):
    """Assert that a released table has the true counts, and 0 in all other cells."""
    index = [*map(tuple, true.index)] if table.index.nlevels > 1 else [key[0] for key in true.index]
    assert table.sum() == true.sum() > 0
    np.testing.assert_array_equal(table.loc[index], true)


@pytest.mark.parametrize(("name", "missing"), [*product(FILES, ["omit", "level"])])
def test_each_table_counts_the_records_with_answers_in_its_own_columns(name, missing, survey, call):
    """Tables with missing answers as a level are made consistent, which changes no true count."""
    folder, records = survey
    words = [*WORDS, *FROM_FILE, missing, *["--consistent"] * (missing == "level")]
    statement, tables = published(call, folder / FILES[name], *words, tables=3)
    tables = [table.round(6) for table in tables]
    for columns, table in zip(TABLES, tables, strict=True):
        assert table.index.names == [*columns]
        assert_counts(table, expected(records, columns, missing))
    assert statement["missing_answers"] == {"omit": "omitted", "level": "counted"}[missing]
    totals = {table.sum() for table in tables}
    assert len(totals) == (3 if missing == "omit" else 1)


@pytest.mark.parametrize("name", FILES)
def test_levels_of_the_file_are_those_of_its_codebook(name, survey, call):
    """SPSS and Parquet files declare the levels of all factors, Stata of those with numbers."""
    folder, records = survey
    words = ["--tables", "sex", "--tables", "education", *FROM_FILE, "omit"]
    statement, (_, education) = published(call, folder / FILES[name], *words, tables=2)
    both = ["sex", "education"]
    declared = {"SPSS": both, "Parquet": both, "Stata": both[1:]}.get(name, [])
    assert statement["levels_from_codebook"] == declared
    assert {*statement["levels_from_file"]} == {*both} - {*declared}
    if declared:  # in order, with the one that nobody gave
        assert [*education.index] == [*LABELS["education"].values()]
        assert education["Other"] == 0
    else:
        assert [*education.index] == sorted(records["education"].dropna().unique())


CONFIG = """\
histograms:
  s:
    mechanisms: [laplace]
    records:
      file: survey.csv
      header: true
      missing: ["", "?"]
      columns:
        region: {levels: [North, East, South, West]}
        sex: {levels: [Female, Male, Other]}
        age: {edges: [18, 30, 50, 95]}
        diagnosis: categorical
"""


@pytest.mark.parametrize("missing", ["", "omit", "level"])
def test_a_configuration_leaves_records_out_of_tables_of_their_missing_columns(
    missing, survey, call, tmp_path
):
    folder, records = survey
    config = save(tmp_path / "mine.yaml", CONFIG)
    words = ["--config", config, "--levels-from-file", "--tables", "region,sex"]
    words += ["--tables", "sex,age", *(["--missing", missing] if missing else [])]
    statement, (first, second) = published(call, folder / "survey.csv", *words, tables=2)
    age = pd.cut(records["age"].astype(float), [18, 30, 50, 95.1], right=False)
    names = dict(zip(age.cat.categories, ["[18, 30)", "[30, 50)", "[50, 95]"], strict=True))
    binned = records.assign(age=age.map(names))
    assert_counts(first, expected(binned, ["region", "sex"], missing or "omit"))
    assert_counts(second, expected(binned, ["sex", "age"], missing or "omit"))
    assert statement["missing_texts"] == ["", "?"]


def test_records_with_a_dropped_value_are_in_no_table_and_the_statement_says_so(
    survey, call, tmp_path
):
    folder, records = survey
    config = save(tmp_path / "mine.yaml", f"{CONFIG}      drop: {{diagnosis: [none]}}\n")
    words = ["--config", config, "--levels-from-file", "--tables", "region,sex"]
    statement, (table,) = published(call, folder / "survey.csv", *words)
    kept = records[records["diagnosis"] != "none"]
    assert_counts(table, expected(kept, ["region", "sex"], "omit"))
    assert statement["records_left_out"] == {"diagnosis": ["none"]}
    assert "tables" not in statement  # of one table, as without --tables
    assert "none in diagnosis" in Path(statement["page"]).read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--tables", "sex,region", "--levels-from-file"], "--missing"),
        (["--tables", "sex", "--levels", "sex=Female,Male,Other"], "--missing"),
        (
            ["--tables", "sex", "--tables", "region", *FROM_FILE, "omit", "--consistent"],
            "--missing level",
        ),
        (["--tables", "sex", *FROM_FILE, "omit", "--rescale"], "--missing level"),
        (["--factors", "sex", "--count", "age", *FROM_FILE, "omit"], "--missing"),
        (["--tables", "two-way", "--factors", "sex", *FROM_FILE, "omit"], "two-way"),
        (["--tables", "weight", *FROM_FILE, "omit"], "--levels"),
        (["--tables", "sex", *FROM_FILE, "omit", "--ignore", "height"], "height"),
    ],
)
def test_designs_of_records_that_are_refused(words, named, survey, call):
    folder, _ = survey
    before = {*folder.iterdir()}
    code, _, errors = call("sanitize", folder / "survey.csv", *words, "--epsilon", 1)
    assert code > 0
    assert named in errors
    assert {*folder.iterdir()} == before


def test_a_level_named_missing_is_refused_if_missing_answers_are_a_level(call, tmp_path):
    path = save(tmp_path / "t.csv", 'a\nmissing\nx\nx\n""\nmissing\n')
    words = ["--tables", "a", *FROM_FILE, "level", "--epsilon", 1]
    refused(call("sanitize", path, *words), 1, "missing")


COUNTS = "Class,Sex,Age,Freq\n" + "".join(
    f"{c},{s},{a},{17 * i % 23}\n"
    for i, (c, s, a) in enumerate(product(["1st", "2nd", "crew"], "fm", ["child", "adult"]))
)
#: Files whose lines are cells with counts, or records, and the columns of tables of records.
LINES = {
    "counts": (COUNTS, "Class,Sex", True),
    "counts of one factor": ("region,n\nnorth,4\nsouth,9\neast,7\n", "region", True),
    "ignored": (COUNTS, "Class,Sex --ignore Freq", False),
    "records with numbers": (
        "id,sex,age\n" + "".join(f"P{i},{'fm'[i % 2]},{20 + 7 * i % 60}\n" for i in range(40)),
        "sex",
        False,
    ),
    "records with a number for each line": (
        "no,sex,region\n" + "".join(f"{i},{'fm'[i % 2]},{'nse'[i % 3]}\n" for i in range(6)),
        "sex,region",
        False,
    ),
}


@pytest.mark.parametrize("kind", LINES)
def test_counts_are_not_read_as_records(kind, call, tmp_path):
    text, words, is_refused = LINES[kind]
    words = ["--tables", *words.split(), *FROM_FILE, "omit", "--epsilon", 1]
    code, _, errors = call("sanitize", save(tmp_path / "t.csv", text), *words)
    assert (code == 1) == ("--count" in errors) == is_refused


@pytest.mark.parametrize("name", ["pid", "person", "household", "hhid", "case_id"])
def test_identifiers_and_weights_are_named_to_the_owner_alone(name, call, tmp_path):
    rng, persons = np.random.default_rng(1), np.repeat(np.arange(1000, 1153), 4)
    columns = {"sex": rng.choice([*"fm"], 612), "wgt": rng.uniform(0.5, 2, 612).round(2)}
    pd.DataFrame({name: persons} | columns).to_csv(tmp_path / "t.csv", index=False)
    words = ["--levels-from-file", "--epsilon", 1]
    for command in (["describe"], ["sanitize", "--tables", "sex", *words]):
        code, _, errors = call(command[0], tmp_path / "t.csv", *command[1:])
        assert code == 0
        assert f"'{name}' has 153 values in 612 records" in errors
        assert "'wgt'" in errors
    released = [*tmp_path.glob("t-release.*")]
    assert len(released) == 3
    for path in released:
        assert "153" not in path.read_text()
        path.unlink()
    refused(call("sanitize", tmp_path / "t.csv", "--tables", name, *words), 1, "--levels")


def test_many_columns(call, tmp_path):
    """The joint table of these 50 columns has 10^30 cells."""
    rng = np.random.default_rng(2)
    records = pd.DataFrame({f"q{i}": rng.integers(0, 4, 400) for i in range(50)})
    records.to_csv(tmp_path / "t.csv", index=False)
    tables = [word for name in records for word in ("--tables", name)]
    output = ["--output", tmp_path / "out.csv", "--epsilon", 50 * 30]
    done(call("sanitize", tmp_path / "t.csv", *tables, "--levels-from-file", *output))
    for i in (1, 27, 50):
        counts = pd.read_csv(tmp_path / f"out-{i}.csv").set_index(f"q{i - 1}")["count"]
        assert counts.to_dict() == records[f"q{i - 1}"].value_counts().to_dict()


def test_a_factor_with_an_equals_sign_gets_its_levels(call, tmp_path):
    path = save(tmp_path / "t.csv", "a=b,a\nx=1,u\ny,u\ny,v\n")
    words = ["--tables", "a=b", "--tables", "a", "--levels", "a=b=y,x=1", "--levels", "a=v,u"]
    done(call("sanitize", path, *words, "--epsilon", 60))
    assert (tmp_path / "t-release-1.csv").read_text() == "a=b,count\ny,2\nx=1,1\n"
    assert (tmp_path / "t-release-2.csv").read_text() == "a,count\nv,1\nu,2\n"
