"""The captions of figures and tables: each has one that says what it shows."""

import pytest
from conftest import PAPER, ROOT
from jinja2 import TemplateNotFound, UndefinedError

from ggexp.figures import kinds
from ggexp.run.captions import read

TEMPLATES = ROOT / "workflow/report"
FIGURES = {
    number: (kind, dataset)
    for dataset in PAPER["datasets"]
    for kind, number in PAPER["histograms"][dataset]["figures"].items()
}
TABLES = sorted(path.stem for path in TEMPLATES.glob("tables/*.rst"))


def of_number(number):
    return read(TEMPLATES / f"figures/{number}.rst")


def of_data(
    kind, dataset, repeats=500, trained=500, epsilon=(0.5, 1, 2), delta=(0.05, 0.01), **settings
):
    settings = {
        **{"mechanisms": ["laplace"], "release": {"kind": "threshold"}},
        **{"classifier": {"repeats": trained, "mechanisms": ["laplace"]}},
        **settings,
    }
    return read(
        TEMPLATES / f"figures/{kind}.rst",
        dataset=dataset,
        settings={key: value for key, value in settings.items() if value is not None},
        metrics=["l₁ distance (records)"],
        repeats=repeats,
        epsilon=epsilon,
        delta=delta,
    )


def of_table(name):
    return read(TEMPLATES / f"tables/{name}.rst")[0]


def assert_prose(text):
    """A few sentences on one line, of which nothing is left to fill in."""
    assert len(text.split()) >= 10
    assert text == " ".join(text.split())
    assert text[0].isupper()
    assert text.endswith(".")
    for mark in ("{", "}", "snakemake."):
        assert mark not in text


def assert_alternative(text):
    assert_prose(text)
    assert '"' not in text  # it stands between them


def test_the_paper_has_figures_6_to_12_of_data():
    assert sorted(FIGURES) == list(range(6, 13))


@pytest.mark.parametrize("number", kinds.numbered())
def test_each_figure_without_data_has_a_caption(number):
    text, alternative = of_number(number)
    assert_prose(text)
    assert_alternative(alternative)


@pytest.mark.parametrize("kind", kinds.dataset_kinds())
def test_each_figure_of_data_names_them(kind):
    text, alternative = of_data(kind, "own-data-2")
    assert_prose(text)
    assert_alternative(alternative)
    assert " own-data-2" in text
    for other in PAPER["datasets"]:
        assert other not in text + alternative


@pytest.mark.parametrize("number", FIGURES)
def test_each_figure_of_the_paper_tells_of_its_repeats(number):
    kind, dataset = FIGURES[number]
    assert " 500 " in of_data(kind, dataset)[0]
    text, _ = of_data(kind, dataset, repeats=12345, trained=12345)
    assert " 12,345 " in text
    assert "500" not in text


def test_classifiers_have_repeats_of_their_own():
    assert " 67 " in of_data("accuracy", "adult", trained=67)[0]


@pytest.mark.parametrize("kind", kinds.dataset_kinds())
def test_what_is_ours_in_the_paper_s_designs_is_said(kind):
    ours = {"mechanisms": ["ggm-3"]}
    with_ours, without = of_data(kind, "czech", **ours)[0], of_data(kind, "czech")[0]
    assert with_ours.startswith(without)
    assert len(with_ours) > len(without)
    assert with_ours[len(without) :] not in of_data(kind, "mildew", **ours)[0]


def test_what_is_shown_depends_on_the_settings():
    kinds = ({"kind": "threshold"}, {"kind": "stability"})
    kept = [of_data("survivors", "own", release=made)[0] for made in kinds]
    assert of_data("ranks", "own") != of_data("ranks", "own", classifier=None)
    assert kept[0] != kept[1]
    untrained = {"repeats": 1, "mechanisms": []}
    assert of_data("survivors", "own", classifier=untrained) != of_data("survivors", "own")
    # of tables the number of cells is known, of records not before they are read
    table, wide = {"factors": {"a": "xy"}}, {"factors": {"a": "x" * 40, "b": "x" * 40}}
    shown = [of_data("releases", "own", **made) for made in (table, wide, {"records": {}})]
    shown.append(of_data("releases", "own", **table, delta=[0.1]))
    shown.append(of_data("releases", "own", **table, epsilon=[1, 2, 3, 4]))
    assert len({caption for caption, _ in shown}) == 5


@pytest.mark.parametrize("name", TABLES)
def test_each_table_has_a_caption(name):
    assert_prose(of_table(name))


def test_no_two_are_the_same():
    texts = [text for number in kinds.numbered() for text in of_number(number)]
    texts += [text for kind in kinds.dataset_kinds() for text in of_data(kind, "own")]
    texts += map(of_table, TABLES)
    assert len(set(texts)) == len(texts) == 2 * (16 + 9) + len(TABLES)


def test_a_name_that_is_not_given_is_an_error():
    with pytest.raises(UndefinedError, match="'metrics' is undefined"):
        read(TEMPLATES / "figures/errors.rst", dataset="own", settings={}, repeats=1)


@pytest.mark.parametrize("asked", ["names.colour", "colour", "snakemake.output"])
def test_a_template_cannot_ask_for_another_name(tmp_path, asked):
    template = tmp_path / "own.rst"
    template.write_text(f"A figure of {{{{ {asked} }}}}.\n")
    with pytest.raises(UndefinedError):
        read(template, names={"kind": "errors"})


def test_caption_and_alternative_are_lines_with_what_was_given(tmp_path):
    template = tmp_path / "own.rst"
    (tmp_path / "more.rst").write_text("\nof {{ names }}")
    template.write_text(
        "{{ kind }} and\n\n  {{ kind }} – ε{% include 'more.rst' %}\n"
        "{% set alternative %}\na <b>\n {{ kind }}\n{% endset %}\n",
        "utf-8",
    )
    made = read(template, kind="one", names="two")
    assert made == ("one and one – ε of two", "a <b> one")


def test_nothing_to_say_is_an_error(tmp_path):
    (tmp_path / "own.rst").write_text("{% set alternative %}A picture.{% endset %}\n")
    with pytest.raises(ValueError, match="has no caption for"):
        read(tmp_path / "own.rst")
    with pytest.raises(TemplateNotFound, match=r"release\.rst"):
        of_data("release", "mildew")
