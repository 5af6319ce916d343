"""The captions of figures and tables: each figure and table has one, and it fits the settings."""

import pytest
from conftest import PAPER, ROOT
from jinja2 import TemplateNotFound, UndefinedError

from ggexp.companions.figures.catalog import NUMBERED as SUPPLEMENT
from ggexp.experiment.keys import Classifier, RecordsData, ReleaseSettings, TableData
from ggexp.figures import catalog
from ggexp.run.pages import caption

TEMPLATES = ROOT / "workflow/report"
NUMBERED = catalog.NUMBERED | SUPPLEMENT
FIGURES = {
    number: (kind, dataset)
    for dataset in PAPER["datasets"]
    for kind, number in PAPER["histograms"][dataset]["figures"].items()
}
TABLES = sorted(path.stem for path in TEMPLATES.glob("tables/*.rst"))


def numbered_caption(number):
    return caption(TEMPLATES / f"figures/{number}.rst")


def data_caption(
    kind,
    dataset,
    repeats=500,
    trained=500,
    epsilon=(0.5, 1, 2),
    delta=(0.05, 0.01),
    factors=None,
    **changes,
):
    settings = {
        "mechanisms": ["laplace"],
        "release": {"kind": "threshold"},
        "classifier": {"repeats": trained, "mechanisms": ["laplace"]},
    } | changes
    release = ReleaseSettings.model_construct(**settings.pop("release"))
    if factors:
        del settings["classifier"]
        data = TableData.model_construct(release=release, factors=factors, **settings)
    else:
        classifier = settings.pop("classifier")
        if classifier:
            classifier = Classifier.model_construct(**classifier)
        data = RecordsData.model_construct(
            release=release, classifier=classifier, records={"file": "own.csv"}, **settings
        )
    return caption(
        TEMPLATES / f"figures/{kind}.rst",
        dataset=dataset,
        settings=data,
        metrics=["l₁ distance (records)"],
        repeats=repeats,
        epsilon=epsilon,
        delta=delta,
    )


def table_caption(name):
    return caption(TEMPLATES / f"tables/{name}.rst")[0]


def assert_prose(text):
    """Check that a text is a few sentences on one line, without unfilled placeholders."""
    assert len(text.split()) >= 10
    assert text == " ".join(text.split())
    assert text[0].isupper()
    assert text.endswith(".")
    for mark in ("{", "}", "snakemake."):
        assert mark not in text


def assert_alternative(text):
    assert_prose(text)
    assert '"' not in text  # the pages write it between quotation marks


def test_the_paper_has_figures_6_to_12_of_data():
    assert sorted(FIGURES) == list(range(6, 13))


@pytest.mark.parametrize("number", NUMBERED)
def test_each_figure_without_data_has_a_caption(number):
    text, alternative = numbered_caption(number)
    assert_prose(text)
    assert_alternative(alternative)


@pytest.mark.parametrize("kind", catalog.KINDS)
def test_each_figure_of_data_names_its_data_set(kind):
    text, alternative = data_caption(kind, "own-data-2")
    assert_prose(text)
    assert_alternative(alternative)
    assert " own-data-2" in text
    for other in PAPER["datasets"]:
        assert other not in text + alternative


@pytest.mark.parametrize("number", FIGURES)
def test_each_figure_of_the_paper_states_its_repeats(number):
    kind, dataset = FIGURES[number]
    assert " 500 " in data_caption(kind, dataset)[0]
    text, _ = data_caption(kind, dataset, repeats=12345, trained=12345)
    assert " 12,345 " in text
    assert "500" not in text


def test_classifiers_have_their_own_number_of_repeats():
    assert " 67 " in data_caption("accuracy", "adult", trained=67)[0]


@pytest.mark.parametrize("kind", catalog.KINDS)
def test_captions_name_mechanisms_that_are_not_the_papers(kind):
    settings = {"mechanisms": ["ggm-3"]}
    with_ours, without = data_caption(kind, "czech", **settings)[0], data_caption(kind, "czech")[0]
    assert with_ours.startswith(without)
    assert len(with_ours) > len(without)
    assert with_ours[len(without) :] not in data_caption(kind, "mildew", **settings)[0]


def test_captions_depend_on_the_settings():
    kinds = ({"kind": "threshold"}, {"kind": "stability"})
    kept = [data_caption("retained_cells", "own", release=settings)[0] for settings in kinds]
    assert data_caption("ranks", "own") != data_caption("ranks", "own", classifier=None)
    assert kept[0] != kept[1]
    untrained = {"repeats": 1, "mechanisms": []}
    assert data_caption("retained_cells", "own", classifier=untrained) != data_caption(
        "retained_cells", "own"
    )
    # the number of cells is known for tables, but for records only after they are read
    table, wide = {"factors": {"a": "xy"}}, {"factors": {"a": "x" * 40, "b": "x" * 40}}
    captions = [data_caption("releases", "own", **settings) for settings in (table, wide, {})]
    captions.append(data_caption("releases", "own", **table, delta=[0.1]))
    captions.append(data_caption("releases", "own", **table, epsilon=[1, 2, 3, 4, 5]))
    assert len({caption for caption, _ in captions}) == 5


@pytest.mark.parametrize("name", TABLES)
def test_each_table_has_a_caption(name):
    assert_prose(table_caption(name))


def test_no_two_captions_are_the_same():
    texts = [text for number in NUMBERED for text in numbered_caption(number)]
    texts += [text for kind in catalog.KINDS for text in data_caption(kind, "own")]
    texts += map(table_caption, TABLES)
    assert len(set(texts)) == len(texts) == 2 * (18 + 9) + len(TABLES)


def test_a_missing_value_is_an_error():
    with pytest.raises(UndefinedError, match="'metrics' is undefined"):
        caption(TEMPLATES / "figures/errors.rst", dataset="own", settings={}, repeats=1)


@pytest.mark.parametrize("expression", ["names.colour", "colour", "snakemake.output"])
def test_a_template_cannot_ask_for_another_name(tmp_path, expression):
    template = tmp_path / "own.rst"
    template.write_text(f"A figure of {{{{ {expression} }}}}.\n")
    with pytest.raises(UndefinedError):
        caption(template, names={"kind": "errors"})


def test_caption_and_alternative_are_lines_with_the_given_values(tmp_path):
    template = tmp_path / "own.rst"
    (tmp_path / "more.rst").write_text("\nof {{ names }}")
    template.write_text(
        "{{ kind }} and\n\n  {{ kind }} – ε{% include 'more.rst' %}\n"
        "{% set alternative %}\na <b>\n {{ kind }}\n{% endset %}\n",
        "utf-8",
    )
    texts = caption(template, kind="one", names="two")
    assert texts == ("one and one – ε of two", "a <b> one")


def test_an_empty_caption_is_an_error(tmp_path):
    (tmp_path / "own.rst").write_text("{% set alternative %}A picture.{% endset %}\n")
    with pytest.raises(ValueError, match="has no caption for"):
        caption(tmp_path / "own.rst")
    with pytest.raises(TemplateNotFound, match=r"release\.rst"):
        data_caption("release", "mildew")
