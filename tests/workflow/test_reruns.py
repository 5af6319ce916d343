"""An edit reruns only the jobs that depend on it."""

import os
import re
from contextlib import contextmanager

import pytest

pytestmark = pytest.mark.slow

METRICS = "src/ggexp/experiment/metrics.py"
RULES = "src/ggexp/mechanisms/rules.py"
FIGURES = "src/ggexp/figures"
#: The rule that writes the fingerprints of all scripts, into the manifest.
FINGERPRINTS = {"write_index"}


@pytest.fixture(scope="module")
def run(every_kind, tmp_path_factory):
    """A finished run of all kinds of data sets, and of a figure of the supplement."""
    project = every_kind.copy(tmp_path_factory.mktemp("reruns"))
    project.run(targets=("figure_s6",))
    return project


@contextmanager
def edited(project, *edits):
    """Yield the jobs that edits of files (path, old text, new text) rerun, and undo the edits."""
    before = {}
    for path, old, new in edits:
        file = project.folder / path
        before[file] = (file.read_bytes(), file.stat())
        project.edit(path, lambda text, old=old, new=new: text.replace(old, new, 1))
    try:
        yield project.planned(targets=("all", "figure_s6"))
    finally:
        for file, (content, stat) in before.items():
            file.write_bytes(content)
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def values(planned, wildcard, *rules):
    jobs = "".join("".join(planned.get(rule, [])) for rule in rules)
    return {*re.findall(rf"\b{wildcard}=([\w-]+)", jobs)}


STYLE = [(f"{FIGURES}/style.py", "PIXELS = 1400", "PIXELS = 1300")]
OTHER_KINDS = [
    (f"{FIGURES}/tabulate_releases.py", '"low": 5', '"low": 6'),
    (f"{FIGURES}/draw_rows.py", "DARKEST_EXCESS = 100", "DARKEST_EXCESS = 90"),
    ("src/ggexp/companions/figures/draw_noise.py", "markersize=3", "markersize=4"),
]
SAME_SCALE = [(RULES, "(1 / Fraction", "(1 * 1 / Fraction")]
#: Of these edits, only the first one changes what a run makes.
INDEX = [
    ("src/ggexp/run/pages.py", "WIDTH = 1400", "WIDTH = 1300"),
    *((path, '"""', '"""In other words: ') for path in (METRICS, RULES)),
    ("src/ggexp/experiment/summary.py", "import pandas", "# a comment\nimport pandas"),
    *(
        (f"src/ggexp/companions/{name}.py", '"""', '"""Edited."""\nEDITED = """')
        for name in ("audit", "claims/lectures", "figures/tabulate_queries")
    ),
]
TEXTS = [
    ("src/ggexp/run/files.yaml", "name of the data set", "the data set"),
    ("workflow/report/figures/errors.rst", "Errors of releases", "All errors"),
]
TABULATED = {"tabulate_figure", "draw_figure"}


@pytest.mark.parametrize(
    ("edits", "rules", "figures"),
    [
        (STYLE, {"draw_figure"}, {"06", "07", *map(str, range(20, 30)), "s6"}),
        (OTHER_KINDS, TABULATED, {"06", "20", "23", "24", "s6"}),
        (SAME_SCALE, {"check_claims", "compare_mechanisms", *TABULATED}, {"s6"}),
        (INDEX, set(), set()),
        (TEXTS, set(), set()),
    ],
    ids=["style", "other kinds", "same scale", "index and docstrings", "descriptions"],
)
def test_exactly_the_dependent_jobs_rerun(run, edits, rules, figures):
    with edited(run, *edits) as planned:
        assert planned.keys() == rules | FINGERPRINTS
        assert values(planned, "number", "draw_figure") == figures
        assert "24" not in values(planned, "number", "tabulate_figure")  # only its drawing changed


def test_a_metric_reruns_measurements_but_no_classifier(run):
    """Nor does it draw the figures of releases again."""
    with edited(run, (METRICS, "np.abs(", "2 * np.abs(")) as planned:
        measured = {"measure_releases", "make_records", "check_claims", "summarize_errors"}
        assert {*measured, "compare_mechanisms", *FINGERPRINTS} < {*planned}
        assert not [rule for rule in planned if re.search("classif|accuracy", rule)]
        drawn = values(planned, "number", "draw_figure")
        assert drawn == {"07", "21", "22", "24", "25", "26", "27", "28"}


def test_a_new_scale_reruns_the_releases_of_its_mechanism(run):
    """Histograms and the arrays that classifiers share are not computed again."""
    with edited(run, (RULES, "(1 / Fraction", "(2 / Fraction")) as planned:
        assert {"summarize_errors", "compare_mechanisms"} < {*planned}
        assert {"06", "20", "23", "29"} < values(planned, "number", "tabulate_figure")
        assert values(planned, "trained", "measure_accuracy") == {"laplace"}
        assert values(planned, "mechanism", "make_records") == {"laplace"}
        assert "measure_releases" in planned
        unaffected = ("make_table_histogram", "make_records_histogram", "prepare_classifiers")
        assert not {*unaffected, "tabulate_baselines"} & {*planned}


def test_a_kind_of_release_reruns_its_data_sets(run):
    with edited(run, ("src/ggexp/releases/unlisted.py", "min(1 / 2,", "min(1 / 3,")) as planned:
        for rule in ("measure_releases", "measure_accuracy"):
            assert values(planned, "dataset", rule) == {"hidden"}, rule
        assert not {"make_records", "classify_records", "prepare_classifiers"} & {*planned}
        assert "tabulate_baselines" not in planned


def test_templates_of_pages_rerun_the_pages_that_read_them(run):
    edits = [("index.html.j2", "Contents", "What is here"), ("index.css", "1rem", "2rem")]
    with edited(run, *((f"workflow/report/{name}", *edit) for name, *edit in edits)) as planned:
        assert planned.keys() == {"write_index"}
        reasons = "".join(re.findall("reason: .*", "".join(planned["write_index"])))
        assert {*re.findall(r"workflow/report/([\w.]+)", reasons)} == {name for name, *_ in edits}
