"""The output of `describe` for undescribed files, which is a valid configuration."""

import bz2
import gzip
import io
import lzma
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from conftest import PAPER, ROOT, SCHEMA

from ggexp import Mechanism, calibration
from ggexp.datasets.records import make_histogram
from ggexp.datasets.tables import make_table
from ggexp.datasets.text import stem
from ggexp.experiment import configuration
from ggexp.experiment.design import Design
from ggexp.experiment.proposed import PROPOSED_MECHANISMS
from ggexp.mechanisms.guarantee import of_release
from ggexp.plan import run_checks
from ggexp.proposal.describe import describe, name_of
from ggexp.proposal.guess import CountOptions


def people(records: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "Person": [f"P{i:03}" for i in range(records)],
            "row": range(1, records + 1),
            "Age at.entry": rng.integers(18, 80, records),
            "income": rng.normal(3e4, 5e3, records).round(2),
            "Smoker": rng.choice(["yes", "no"], records),
            "grade": rng.integers(1, 4, records),
            "region": rng.choice(["N", "S", "NA"], records),
            "what they said": [
                f"I said {i} things, and then {'more ' * 12}" for i in range(records)
            ],
            "since": [f"2020-01-{1 + i % 28:02}" for i in range(records)],
            "always": "x",
        }
    )


def described(
    path: Path, target: str | None = None, columns: list[str] | None = None
) -> tuple[str, dict[str, object]]:
    """The printed text, and the settings of its data set after the whole text has been checked."""
    printed = describe(path, target, columns=columns)
    changes = yaml.safe_load(printed)
    (name,) = changes["datasets"]
    both = {key: PAPER[key] | changes[key] for key in ("mechanisms", "histograms")}
    config = configuration.check(PAPER | changes | both, SCHEMA)
    run_checks.check_files(config, Path.cwd(), Path.cwd())
    assert len(Design.from_config(config).points[name]) == len(PROPOSED_MECHANISMS) * 6
    assert config["results_dir"] == f"results/{name}"
    assert config["theory"] is False
    return printed, config["histograms"][name]


def counted(settings: dict[str, object]) -> dict[str, int]:
    return make_histogram(settings["records"], dataset="own", seed=1).tally


def test_records(tmp_path):
    people().to_csv(tmp_path / "My people.csv", index=False)
    printed, settings = described(tmp_path / "My people.csv", "Smoker")
    records = settings["records"]
    assert records["columns"] == {
        "Person": "unused",
        "row": "unused",
        "Age at.entry": {"from": 0, "to": 100, "width": 50},
        "income": {"edges": [15000, 30000, 39000]},
        "Smoker": {"levels": ["no", "yes"]},
        "what they said": "unused",
        "since": "unused",
        "always": "unused",
    }
    for line in ('# grade: {levels: ["1", "2", "3"]}', '# region: {levels: ["N", "S"]}'):
        assert f"\n        {line}\n" in printed
    assert (records.get("missing"), records["header"]) == (None, True)
    assert settings["release"] == {"kind": "all", "total": "private"}
    assert (records["training"], settings["classifier"]["target"]) == ("2/3", "Smoker")
    assert settings["figures"] == {"releases": 1, "errors": 2, "accuracy": 3}
    tally = counted(settings)
    assert (tally["kept"], tally["training"], tally["bins"]) == (60, 40, 2 * 2 * 2)
    assert re.search(r"# 40 records in 8 cells, \d of them non-empty: 5 records per cell", printed)
    assert re.search("60 lines .*header.* commas.* UTF-8", printed)
    for name, reason in {
        "Person": "identifier or free text",
        "row": "identifier",
        "what they said": "free text",
        "since": "dates",
        "always": "one value",
    }.items():
        assert re.search(f"(?m)^#   {name}: .*{reason}", printed)
    assert "# Columns, levels and bins" in printed


def test_only_levels_and_rounded_bounds_are_printed(tmp_path):
    table = people()
    table.to_csv(tmp_path / "p.csv", index=False)
    printed = describe(tmp_path / "p.csv")
    for column in ("Person", "income", "since", "what they said"):
        assert not [value for value in table[column].astype(str) if value in printed]


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("people.csv", content)
    return buffer.getvalue()


PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: pa.compress(content, "zstd", asbytes=True),
    "zip": zipped,
}


@pytest.mark.parametrize(
    ("name", "write", "expected"),
    [
        ("p.csv", lambda t: t.to_csv(index=False, sep=";").encode(), "by semicolons"),
        ("p.txt", lambda t: t.to_csv(index=False, sep="\t").encode(), "by tabs"),
        ("p.csv", lambda t: t.to_csv(index=False, sep="|").encode(), "by vertical bars"),
        ("p.csv", lambda t: t.to_csv(index=False, sep=" ").encode(), "by spaces"),
        ("p.csv", lambda t: t.to_csv(index=False, quotechar="'", quoting=1).encode(), "quotes '"),
        ("p.csv", lambda t: t.to_csv(index=False).encode("utf-16"), "in UTF-16"),
        (
            "p.csv",
            lambda t: t.replace("N", "Süd").to_csv(index=False).encode("cp1252"),
            "in CP1252, which is a guess",
        ),
        ("p.csv", lambda t: t.replace("N", "Süd").to_csv(index=False).encode(), "in UTF-8"),
        ("p.csv", lambda t: t.to_csv(index=False).replace("\n", "\r\n").encode("utf-8-sig"), "UTF"),
        *(
            (f"p.csv.{ending}", lambda t, pack=pack: pack(t.to_csv(index=False).encode()), "commas")
            for ending, pack in PACKERS.items()
        ),
        ("p.csv", lambda t: t.to_csv(index=False, header=False).encode(), "without a header"),
        ("p.csv", lambda t: t.to_csv().encode(), "with a header"),  # a first column without a name
    ],
)
def test_forms(tmp_path, name, write, expected):
    (tmp_path / name).write_bytes(write(people()))
    printed, settings = described(tmp_path / name)
    assert expected in printed
    assert counted(settings)["records"] == 60
    forms = settings["records"]["columns"].values()
    used = [form for form in forms if form != "unused"]
    assert used == [
        {"from": 0, "to": 100, "width": 50},
        {"edges": [15000, 30000, 39000]},
        {"levels": ["no", "yes"]},
    ]


def test_a_header_above_numbers_may_hold_numbers(tmp_path):
    """As in the files of scikit-learn, whose first line has their size and classes."""
    lines = ["4,1.5,setosa", *(f"{i},{i}.5,{i % 2}" for i in range(9))]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    _, settings = described(tmp_path / "x.csv", columns=["setosa"])
    assert counted(settings)["records"] == 9
    assert settings["records"]["columns"]["setosa"] == {"levels": ["0", "1"]}


def test_names_of_columns_may_be_values_too(tmp_path):
    """A first line of letters is a header only if chance hardly explains the evidence."""
    lines = ["party,vote,region", *("party,yes,north", "none,no,south", "other,yes,north") * 20]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    _, settings = described(tmp_path / "x.csv")
    assert counted(settings)["records"] == 60
    assert [*settings["records"]["columns"]] == ["party", "vote", "region"]
    (tmp_path / "y.csv").write_text("\n".join(["none,once,north", *lines[1:]]))
    printed, settings = described(tmp_path / "y.csv")
    assert counted(settings)["records"] == 61
    assert "none,once,north" in printed


def test_counts(tmp_path):
    (tmp_path / "t.csv").write_text("Eye.Colour,Freq,2nd factor\ng,4,yes\nb,5,no\nb,0,yes\n")
    printed, settings = described(tmp_path / "t.csv")
    assert re.search(r"4 cells, 2 .* 9\b", printed)
    assert settings["factors"] == {"Eye.Colour": ["b", "g"], "2nd factor": ["no", "yes"]}
    assert (settings["count"], settings["total"], settings["omitted"]) == ("Freq", 9, "zero")
    assert make_table(settings, "histograms.t").counts.tolist() == [5, 0, 0, 4]
    with pytest.raises(ValueError, match="--target"):
        describe(tmp_path / "t.csv", "2nd factor")


@pytest.mark.slow
def test_the_message_about_many_columns_is_short(tmp_path):
    wide = 3000
    (tmp_path / "w.csv").write_text(
        "\n".join(",".join(f"{row}{i}x" for i in range(wide)) for row in "aba")
    )
    all_columns = [f"column-{i + 1}" for i in range(wide)]
    assert len([*described(tmp_path / "w.csv")[1]["records"]["columns"]]) == wide
    with pytest.raises(ValueError, match="3,000 columns") as refused:
        describe(tmp_path / "w.csv", columns=all_columns)
    assert len(str(refused.value)) < 1000
    (tmp_path / "c.csv").write_text(
        f"{','.join(f'f{i}' for i in range(wide))},count\n"
        + "\n".join(f"{','.join('ab'[j] for _ in range(wide))},{j}" for j in range(2))
    )
    with pytest.raises(ValueError, match=r"at most 1,000 columns.* got 3,001") as refused:
        describe(tmp_path / "c.csv", count_options=CountOptions(count="count"))
    assert len(str(refused.value)) < 1000


def test_the_papers_tables_describe_themselves():
    for name, total in (("mildew", 70), ("czech", 1841)):
        printed, settings = described(ROOT / f"data/{name}.csv")
        assert (settings["total"], len(settings["factors"])) == (total, 6)
        assert f"{name}-own:" in printed  # otherwise it would be merged with the paper's data set


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("Smoke", "no column 'Smoke'; a target must"),
        ("income", "target 'income' must have 2 to 20 classes, but it is numeric"),
        ("since", "target 'since' must have 2 to 20 classes, but dates or times"),
    ],
)
def test_columns_that_cannot_be_targets(tmp_path, target, message):
    people().to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(ValueError, match=message):
        describe(tmp_path / "p.csv", target)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no records"),
        (b"a,b\n", "no records below the names"),
        (b"\x00\x01\x02" * 9, "NUL byte"),
        (b"\x89PNG\r\n\x1a\n1,2", "but a PNG image"),
        (b"%PDF-1.7\n1,2", "but a PDF document"),
        (b"PK\x03\x04 a,b", "name it .xlsx or .zip"),
        (b"<!DOCTYPE html>\n<html>", "but an HTML page"),
        (b'[{"a": 1, "b": 2}]', "but JSON"),
        (b"\x7fELF\x02\x01\x01,2", "not text"),
        (b"a,b\n1,2\n3\n", "line 3: 2 fields .* 1$"),
        (b"a,b\nr1,1,2\nr2,3,4\n", "row.names = FALSE"),
        (b'a,b\n1,"2\n', "line 2: "),
        (b"who\nann\nbob\neve\nkim\ntom\nsue\n", "no column can be used"),
        (b"a,a\nx,y\nx,z\n", "2 columns named 'a'"),
        (b"a,a,count\nx,x,1\ny,y,2\n", "2 columns named 'a'"),
        (b"a,a,count\nx,u,1\ny,v,2\nx,v,3\ny,u,4\n", "got 'a', 'a', 'count'"),
        (b"a,count\nx,3\nx,4\n", "lines repeat"),
        (b"a,b,count\nx,u,1\nx,u,2\nx,v,3\n", "line 3: .* x,u.* line 2"),
        (b"a,b,count\nx,u,1\n\nx,v,2.5\ny,u,3\n", r"line 4: count .*whole .*2\.5"),
        (b"a,b,count\nx,u,1\nx,v,-3\n", "line 3: count .*negative .*-3"),
        (b"count\n3\n4\n", "there is no other column"),
    ],
)
def test_what_is_refused(tmp_path, content, message):
    (tmp_path / "p.csv").write_bytes(content)
    with pytest.raises(ValueError, match=rf"{re.escape(str(tmp_path))}/p\.csv.*{message}"):
        describe(tmp_path / "p.csv")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("a,b,count\nx,u,one\nx,v,two\ny,u,one\n", "none .* number"),
        ("a,b,count\nx,u,1\nx,u,2\nx,v,3\nx,v,2\n", "lines repeat"),
        ("eye,n\n" + "g,4\nb,5\n" * 10, "lines repeat"),
        ("a,b,count\nx,1.5,1\nx,2.5,2\ny,3.5,3\n", "'b' .* different"),
        ("a,n,total\nx,1,1\nx,2,2\ny,1,3\n", "several columns"),
    ],
)
def test_reasons_why_lines_are_not_cells(tmp_path, content, reason):
    (tmp_path / "t.csv").write_text(content)
    printed, _ = described(tmp_path / "t.csv")
    warnings = [line for line in printed.splitlines() if "may be a count" in line]
    assert warnings
    assert "lines of records" in printed
    assert all(re.search(reason, line) for line in warnings)


def test_a_factor_of_one_level_is_a_factor(tmp_path):
    (tmp_path / "t.csv").write_text("sex,region,count\nf,north,3\nm,north,5\n")
    _, settings = described(tmp_path / "t.csv")
    assert settings["factors"] == {"sex": ["f", "m"], "region": ["north"]}
    assert settings["total"] == 8


def test_bins_are_round_and_contain_all_values(tmp_path):
    rng = np.random.default_rng(8)
    for size in 10.0 ** np.arange(-12, 13, 4):
        values = rng.normal(1, 3, 50) * size
        pd.DataFrame({"x": values}).to_csv(tmp_path / "x.csv", index=False)
        _, settings = described(tmp_path / "x.csv")
        form = settings["records"]["columns"]["x"]
        assert form["from"] <= values.min()
        assert values.max() <= form["to"]
        assert re.fullmatch(r"[125]0*", f"{form['width'] / size * 1e15:.0f}")
        assert 5 <= (form["to"] - form["from"]) / form["width"] <= 13
        assert counted(settings)["kept"] == 50


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("data/own/My table (2).csv.gz", "My-table-2"),
        ("a..b.parquet", "a.b"),
        ("ADULT.data", "ADULT-own"),
        ("日本.csv", "table"),
        (f"{'x' * 99}.csv", "x" * 34),
    ],
)
def test_names(path, name):
    assert name_of(stem(path)) == name


def test_a_path_that_snakemake_would_take_for_a_pattern(tmp_path):
    with pytest.raises(ValueError, match="rename the file"):
        describe(tmp_path / "{a}.csv")


def test_the_stated_guarantee_of_a_mechanism_is_that_of_its_releases(tmp_path):
    (tmp_path / "c.csv").write_text("a,count\nx,12\ny,5000\n")
    printed, _ = described(tmp_path / "c.csv")
    config = yaml.safe_load(printed)
    changed = {**PAPER, **config, "neighbours": "add-remove"}
    points = [noisy.point for noisy in Design.from_config(changed).points["c"]]
    assert {point.mechanism for point in points} == set(config["mechanisms"])
    for point in points:
        (line,) = re.findall(rf"^  {point.mechanism}: .*# (.*)$", printed, re.MULTILINE)
        mechanism = Mechanism(point.order, point.calibration)
        at = {"epsilon": point.epsilon, "delta": point.delta}
        stated = calibration.RULES[point.calibration].guarantee
        satisfied = of_release(stated, mechanism.noise(**at), **at, processed=True)
        assert line.startswith(satisfied)
