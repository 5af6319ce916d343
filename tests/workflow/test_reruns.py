"""An edit reruns only the jobs that depend on it."""

import re

import pytest
from conftest import Project

pytestmark = pytest.mark.slow

METRICS = "src/ggexp/experiment/metrics.py"
RULES = "src/ggexp/mechanisms/rules.py"
#: Rules that write the fingerprints of all scripts.
FINGERPRINTS = {"write_manifest", "write_index"}


def edit(project: Project, path: str, old: str, new: str) -> None:
    project.edit(path, lambda text: text.replace(old, new, 1))


def figures(planned: dict[str, list[str]], rule: str = "draw_figure") -> set[str]:
    """Return the numbers of the figures that would be drawn, or tabulated."""
    return {*re.findall(r"wildcards: number=(\w+)", "".join(planned.get(rule, [])))}


def test_a_metric_reruns_measurements_but_no_classifier(finished: Project) -> None:
    """Nor does it draw the figures of releases again."""
    edit(finished, METRICS, "np.abs(", "2 * np.abs(")
    planned = finished.planned()
    assert {"measure_releases", "make_records", "check_claims"} < {*planned}
    assert {"summarize", "merge_tables", "recommend_mechanism", "describe_files", *FINGERPRINTS} < {
        *planned
    }
    assert not [rule for rule in planned if re.search("classif|accuracy|scales", rule)]
    assert figures(planned) == {"07", "21", "24", "25", "26", "27", "28"}


def test_a_style_draws_all_figures_and_computes_nothing(finished: Project) -> None:
    edit(finished, "src/ggexp/figures/style.py", "PIXELS = 1400", "PIXELS = 1300")
    planned = finished.planned()
    assert planned.keys() == {"draw_figure", *FINGERPRINTS}
    assert figures(planned) == {"06", "07", *map(str, range(20, 30))}


def test_a_drawing_module_draws_the_figures_of_its_kind(finished: Project) -> None:
    edit(finished, "src/ggexp/figures/draw_errors.py", "bottom=0", "bottom=1")
    planned = finished.planned()
    assert planned.keys() == {"draw_figure", "write_index"}
    assert figures(planned) == {"07", "21"}


def test_a_tabulating_module_computes_the_figures_of_its_kind(small: Project) -> None:
    """Also a figure of the supplement. A drawing module computes nothing."""
    small.run(targets=("figure_s6",))
    targets = ("all", "figure_s6")
    releases = ("figures/tabulate_releases.py", '"low": 5', '"low": 6')
    advantage = ("companions/figures/tabulate_advantage.py", "161", "162")
    draw_releases = ("figures/draw_releases.py", "POINT_AREA = 5.0", "POINT_AREA = 6.0")
    draw_advantage = ("companions/figures/draw_advantage.py", "markersize=3", "markersize=4")
    # two kinds at once: the tabulating module of one, the drawing module of the other
    for edits, tabulated, other_rules in (
        ((releases, draw_advantage), {"06", "20", "23"}, FINGERPRINTS | {"describe_files"}),
        ((advantage, draw_releases), {"s6"}, {"write_index"}),
    ):
        for path, old, new in edits:
            edit(small, f"src/ggexp/{path}", old, new)
        planned = small.planned(targets=targets)
        assert planned.keys() == {"tabulate_figure", "draw_figure"} | other_rules
        assert figures(planned, "tabulate_figure") == tabulated
        assert figures(planned) == {"06", "20", "23", "s6"}
        for path, old, new in edits:
            edit(small, f"src/ggexp/{path}", new, old)


def test_a_calibration_rule_without_new_scales_reruns_only_its_users(finished: Project) -> None:
    """No figure is among them: the own table has a target, and its errors do not wait for it."""
    edit(finished, RULES, "(1 / Fraction", "(1 * 1 / Fraction")
    planned = finished.planned()
    checks = {"check_claims", "recommend_mechanism", "measure_margins", "describe_files"}
    assert planned.keys() == checks | FINGERPRINTS


def test_a_new_scale_reruns_the_releases_of_its_mechanism(finished: Project) -> None:
    """Histograms and the arrays that classifiers share are not computed again."""
    edit(finished, RULES, "(1 / Fraction", "(2 / Fraction")
    planned = finished.planned()
    assert {"tabulate_scales", "tabulate_figure", "merge_tables"} < {*planned}
    assert {"06", "20", "23", "29"} < figures(planned, "tabulate_figure")
    for rule in ("measure_releases", "measure_accuracy", "make_records"):
        mechanisms = re.findall(r"mechanism=([\w-]+)", "".join(planned[rule]))
        assert {*mechanisms} == {"laplace"}, rule
    unaffected = ("make_table_histogram", "make_records_histogram", "prepare_classifiers")
    assert not {*unaffected, "tabulate_baselines"} & {*planned}


def test_a_kind_of_release_reruns_its_data_sets(finished: Project) -> None:
    edit(finished, "src/ggexp/releases/threshold.py", "min(1 / 2,", "min(1 / 3,")
    planned = finished.planned()
    for rule in ("measure_releases", "measure_accuracy"):
        assert {*re.findall(r"dataset=([\w-]+)", "".join(planned[rule]))} == {"hidden"}, rule
    assert not {"make_records", "classify_records", "tabulate_releases"} & {*planned}
    assert not {"prepare_classifiers", "tabulate_baselines", "tabulate_scales"} & {*planned}


def test_comments_and_docstrings_rerun_nothing(finished: Project) -> None:
    for path in (METRICS, RULES, "src/ggexp/figures/draw_errors.py"):
        edit(finished, path, '"""', '"""In other words: ')
        finished.edit(path, lambda text: f"# a comment\n{text}\n# another\n")
    assert finished.planned() == {}


def test_an_edit_of_a_companion_reruns_nothing(finished: Project) -> None:
    for name in ("renyi", "audit", "claims/lectures", "figures/tabulate_queries"):
        finished.edit(f"src/ggexp/companions/{name}.py", lambda text: f"{text}\nEDITED = True\n")
    assert finished.planned() == {}


def test_templates_of_pages_rerun_the_pages_that_read_them(finished: Project) -> None:
    edit(finished, "workflow/report/index.html.j2", "Contents", "What is here")
    edit(finished, "workflow/report/index.css", "1rem", "2rem")
    planned = finished.planned()
    reasons = {
        rule: {*re.findall(r"workflow/report/([\w.]+)", "".join(re.findall("reason: .*", job)))}
        for rule, jobs in planned.items()
        for job in jobs
    }
    assert reasons == {"write_index": {"index.html.j2", "index.css"}}


def test_a_new_description_of_a_column_computes_nothing(finished: Project) -> None:
    edit(finished, "src/ggexp/run/files.yaml", "name of the data set", "the data set")
    assert finished.planned().keys() == {"describe_files"}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("workflow/report/figures/errors.rst", "Errors of releases", "Errors of all releases"),
        ("src/ggexp/run/index.py", "WIDTH = 1400", "WIDTH = 1300"),
    ],
)
def test_captions_and_the_index_rerun_the_index(
    finished: Project, path: str, old: str, new: str
) -> None:
    edit(finished, path, old, new)
    assert finished.planned().keys() == {"write_index"}
