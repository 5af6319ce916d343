"""The output of `describe` for undescribed files, which is a valid configuration."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import PAPER, describe, design_of, save

from ggexp import Mechanism, calibration
from ggexp.datasets.form import stem
from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table
from ggexp.experiment import configuration
from ggexp.experiment.design import PROPOSED_MECHANISMS
from ggexp.mechanisms.guarantee import of_release
from ggexp.plan import run_checks
from ggexp.proposal.describe import name_of


def people(records=60):
    rng = np.random.default_rng(3)
    columns = {
        "Person": [f"P{i:03}" for i in range(records)],
        "row": range(1, records + 1),
        "Age at.entry": rng.integers(18, 80, records),
        "income": rng.normal(3e4, 5e3, records).round(2),
        "Smoker": rng.choice(["yes", "no"], records),
        "grade": rng.integers(1, 4, records),
        "region": rng.choice(["N", "S", "NA"], records),
        "what they said": [f"I said {i} things, and {'more ' * 12}" for i in range(records)],
        "since": [f"2020-01-{1 + i % 28:02}" for i in range(records)],
    }
    return pd.DataFrame(columns | {"always": "x"})


USED = {
    "Age at.entry": {"from": 0, "to": 100, "width": 50},
    "income": {"edges": [0, 30000, 40000]},
    "Smoker": {"levels": ["no", "yes"]},
}


def described(path, target=None, columns=None):
    """The printed text, and the settings of its data set after the whole text has been checked."""
    printed = describe(path, target, columns=columns)
    changes = yaml.safe_load(printed)
    (name,) = changes["datasets"]
    config = configuration.check(configuration.merged(PAPER, changes))
    run_checks.check_files(config, Path.cwd(), Path.cwd())
    assert {*config.data[name].mechanisms} == {*PROPOSED_MECHANISMS}
    assert config.results_dir == f"results/{name}"
    assert config.theory is False
    return printed, config.written()["histograms"][name]


def counted(settings):
    return make_histogram(settings["records"], dataset="own", seed=1).tally


def test_records(tmp_path):
    people().to_csv(tmp_path / "My people.csv", index=False)
    printed, settings = described(tmp_path / "My people.csv", "Smoker")
    records = settings["records"]
    used = {name: form for name, form in records["columns"].items() if form != "unused"}
    assert [*used.items()] == [*USED.items()]
    unused = {*people()} - {*USED, "grade", "region"}
    assert records["columns"] == used | dict.fromkeys(unused, "unused")
    for line in ("# grade: {levels: ['1', '2', '3']}", "# region: {levels: [N, S]}"):
        assert f"\n        {line}\n" in printed
    assert (records.get("missing"), records["header"]) == (None, True)
    assert settings["release"] == {"kind": "all", "total": "private"}
    assert (records["training"], settings["classifier"]["target"]) == ("2/3", "Smoker")
    assert settings["figures"] == {"releases": 1, "errors": 2, "accuracy": 3}
    tally = counted(settings)
    assert (tally["kept"], tally["training"], tally["bins"]) == (60, 40, 2 * 2 * 2)
    # only levels and rounded bounds are printed
    for column in ("Person", "income", "since", "what they said"):
        assert not [value for value in people()[column].astype(str) if value in printed]


def csv(table, **options):
    return table.to_csv(index=False, **options).encode()


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("p.csv", csv(people(), sep=";"), "by semicolons"),
        ("p.csv", csv(people(), quotechar="'", quoting=1), "quotes '"),
        ("p.csv", people().to_csv(index=False).encode("utf-16"), "in UTF-16"),
        ("p.csv", csv(people().replace("N", "Süd")).decode().encode("cp1252"), "which is a guess"),
        ("p.csv", csv(people().replace("N", "Süd")), "in UTF-8"),
        ("p.csv", b"\xef\xbb\xbf" + csv(people()).replace(b"\n", b"\r\n"), "UTF-8"),
        ("p.csv", csv(people(), header=False), "without a header"),
        ("p.csv", people().to_csv().encode(), "with a header"),  # a first column without a name
    ],
    ids=range(8),
)
def test_forms(tmp_path, name, content, expected):
    printed, settings = described(save(tmp_path / name, content))
    assert expected in printed
    assert counted(settings)["records"] == 60
    used = [form for form in settings["records"]["columns"].values() if form != "unused"]
    assert used == [*USED.values()]


def test_names_of_columns_may_be_values_too(tmp_path):
    """A first line of letters is a header only if chance hardly explains the evidence."""
    lines = ["party,vote,region", *("party,yes,north", "none,no,south", "other,yes,north") * 20]
    _, settings = described(save(tmp_path / "x.csv", "\n".join(lines)))
    assert counted(settings)["records"] == 60
    assert [*settings["records"]["columns"]] == ["party", "vote", "region"]
    lines[0] = "none,once,north"
    printed, settings = described(save(tmp_path / "y.csv", "\n".join(lines)))
    assert counted(settings)["records"] == 61
    assert "none,once,north" in printed


def test_counts(tmp_path):
    path = save(tmp_path / "t.csv", "Eye.Colour,Freq,2nd factor\ng,4,yes\nb,5,no\nb,0,yes\n")
    printed, settings = described(path)
    assert re.search(r"4 cells, 2 .* 9\b", printed)
    assert settings["factors"] == {"Eye.Colour": ["b", "g"], "2nd factor": ["no", "yes"]}
    assert (settings["count"], settings["total"], settings["omitted"]) == ("Freq", 9, "zero")
    assert make_table(settings, "histograms.t").counts.tolist() == [5, 0, 0, 4]
    with pytest.raises(ValueError, match="--target"):
        describe(path, "2nd factor")


def test_columns_that_cannot_be_targets(tmp_path):
    people().to_csv(tmp_path / "p.csv", index=False)
    for target, message in (
        ("Smoke", "the target .Smoke. must .* there is no such column"),
        ("income", "target 'income' must have 2 to 20 classes, but it is numeric"),
    ):
        with pytest.raises(ValueError, match=message):
            describe(tmp_path / "p.csv", target)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no records"),
        (b"\x89PNG\r\n\x1a\n1,2", "but a PNG image"),
        (b'[{"a": 1, "b": 2}]', "but JSON"),
        (b"a,b\n1,2\n3\n", "line 3: 2 fields .* 1$"),
        (b'a,b\n1,"2\n', "line 2: "),
        (b"who\nann\nbob\neve\nkim\ntom\nsue\n", "no column can be used"),
        (b"a,a,count\nx,u,1\ny,v,2\nx,v,3\ny,u,4\n", "got 'a', 'a', 'count'"),
        (b"a,b,count\nx,u,1\n\nx,v,2.5\ny,u,3\n", r"line 4: count .*whole .*2\.5"),
        (b"count\n3\n4\n", "there is no other column"),
    ],
)
def test_what_is_refused(tmp_path, content, message):
    path = save(tmp_path / "p.csv", content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}.*{message}"):
        describe(path)


def test_names():
    for path, name in {
        "data/own/My table (2).csv.gz": "My-table-2",
        "a..b.parquet": "a.b",
        "ADULT.data": "ADULT-own",
        "日本.csv": "table",
        f"{'x' * 99}.csv": "x" * 34,
    }.items():
        assert name_of(stem(path)) == name
    with pytest.raises(ValueError, match="rename the file"):
        describe("{a}.csv")


def test_the_stated_guarantee_of_a_mechanism_is_that_of_its_releases(tmp_path):
    printed, _ = described(save(tmp_path / "c.csv", "a,count\nx,12\ny,5000\n"))
    config = yaml.safe_load(printed)
    changed = {**PAPER, **config, "neighbours": "add-remove"}
    points = [noisy.point for noisy in design_of(changed)["c"]]
    assert {point.mechanism for point in points} == set(config["mechanisms"])
    for point in points:
        (line,) = re.findall(rf"^  {point.mechanism}: .*# (.*)$", printed, re.MULTILINE)
        mechanism = Mechanism(point.order, point.calibration)
        stated = calibration.RULES[point.calibration].guarantee
        noise = mechanism.noise(epsilon=point.epsilon, delta=point.delta)
        satisfied = of_release(stated, noise, point.budget, processed=True)
        assert line.startswith(satisfied)


def bodies(records=60, **columns):
    rng = np.random.default_rng(5)
    table = {"bmi": rng.normal(25, 3, records).round(1), "sex": rng.choice(["f", "m"], records)}
    return pd.DataFrame(table | columns)


def columns_of(settings):
    return settings["records"]["columns"]


def test_row_names_are_not_a_factor(tmp_path):
    """Numbers of lines are a factor only if nothing else distinguishes the lines."""
    for header in ('"","Eye","Sex","Freq"', "rownames,Eye,Sex,Freq"):
        content = f"{header}\n1,b,f,3\n2,b,m,4\n3,g,f,0\n4,g,m,5\n"
        _, settings = described(save(tmp_path / "t.csv", content))
        assert settings["factors"] == {"Eye": ["b", "g"], "Sex": ["f", "m"]}
        assert make_table(settings, "histograms.t").counts.tolist() == [3, 4, 0, 5]
    _, settings = described(save(tmp_path / "t.csv", ",children,count\nx,0,3\ny,1,4\nz,2,4\n"))
    assert settings["factors"] == {"children": ["0", "1", "2"]}


def test_numbers_as_write_csv2_writes_them(tmp_path):
    table = bodies(weight=range(60), dose=[0.125, 1.375] * 30)
    with_points, names = tmp_path / "points.csv", [*table]
    names.remove("weight")  # it looks like an identifier
    _, settings = described(save(with_points, table.to_csv(index=False)), columns=names)
    commas = table.to_csv(sep=";", decimal=",", index=False)
    printed, same_settings = described(save(tmp_path / "commas.csv", commas), columns=names)
    assert "decimal: ','" in printed
    assert columns_of(same_settings) == columns_of(settings)
    assert columns_of(same_settings)["dose"] == {"from": 0, "to": 2, "width": 1}


def test_numbers_with_decimal_commas_are_reported_as_in_the_file(tmp_path):
    """A point among decimal commas may be a thousands mark."""
    table = bodies().to_csv(sep=";", decimal=",", index=False)
    _, settings = described(save(tmp_path / "t.csv", table), columns=["bmi"])
    columns_of(settings)["bmi"] = {"edges": [17.5, 35.5]}
    for line, message in {"1.234": "comma", "99,25": "17,5 to 35,5"}.items():
        save(tmp_path / "t.csv", f"{table}{line};f\n")
        with pytest.raises(ValueError, match=rf"t\.csv, line 62: bmi .*{message}, got '{line}'"):
            make_histogram(settings["records"], dataset="own", seed=1)


@pytest.mark.parametrize(
    "write",
    [
        lambda number: f"{1000 * number:,.0f}",
        lambda number: f"{number} %",
        lambda number: f"${1000 * number:,.2f}",
        lambda number: f"{number:.1f}".replace(".", ","),
    ],
)
def test_numbers_with_symbols_are_left_out_with_advice(tmp_path, write):
    table = bodies()
    table["paid"] = [write(number) for number in table["bmi"]]
    printed, settings = described(save(tmp_path / "t.csv", table.to_csv(index=False)))
    assert columns_of(settings)["paid"] == "unused"
    assert "#   paid: numbers with " in printed
    assert "decimal" not in settings["records"]


def test_the_separator_is_found_despite_a_wrong_line(tmp_path):
    table = bodies().to_csv(sep="\t", index=False)
    with pytest.raises(ValueError, match=r"line 2: 1 fields .* got 2; .*title"):
        described(save(tmp_path / "t.csv", f"# measured in 1976\n{table}"))
    with pytest.raises(ValueError, match=r"line 62: 2 fields expected, .* but got 3"):
        described(save(tmp_path / "t.csv", f"{table}25\tf\tm\n"))


def test_a_column_with_gaps_is_left_out_if_that_saves_the_most_records(tmp_path):
    """Not the column with the most missing values, because two lack values in the same records."""
    lacking = {"x0": range(25), "x1": range(25), "x2": range(25, 45)}
    table = pd.DataFrame(
        {name: [None if j in rows else j % 2 for j in range(60)] for name, rows in lacking.items()}
    )
    printed, settings = described(save(tmp_path / "t.csv", table.to_csv(index=False)))
    assert [*columns_of(settings)] == ["x0", "x1"]
    assert make_histogram(settings["records"], dataset="own", seed=1).tally["kept"] == 35
    assert re.search("# 25 records .*missing.* 35 .*complete", printed)
    assert "        # x2: {levels: " in printed


@pytest.mark.parametrize(
    ("content", "is_reported"),
    [
        (",Brown,Blue\nBlack,32,11\nRed,10,10\nBlond,3,30\n", True),
        ("age,drinks,cases,controls\n<30,no,0,40\n<30,yes,1,60\n>30,no,4,9\n>30,yes,9,2\n", True),
        ("who,sex,age\nann,f,31\nbob,m,31\neve,f,50\nkim,f,20\ntom,m,45\nsue,f,50\n", False),
        ("sex,age\nf,31\nm,31\nf,50\nf,20\nm,45\nf,50\n", False),
    ],
    ids=["cross-table", "cases and controls", "people with names", "people"],
)
def test_lines_that_may_be_cells_are_reported(tmp_path, content, is_reported):
    printed, _ = described(save(tmp_path / "t.csv", content))
    assert ("use --wide" in printed) == is_reported
