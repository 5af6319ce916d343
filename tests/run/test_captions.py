"""The captions of figures and tables: each figure and table has one, and it fits the settings."""

import re

import pytest
from conftest import PAPER, ROOT
from jinja2 import TemplateNotFound, UndefinedError

from ggexp.companions.figures.catalog import NUMBERED as SUPPLEMENT
from ggexp.experiment.keys import Classifier, RecordsData, ReleaseSettings
from ggexp.figures import catalog
from ggexp.plan.plan import TABLES
from ggexp.run.descriptions import described
from ggexp.run.templates import caption

TEMPLATES = ROOT / "workflow/report"
NUMBERED = catalog.NUMBERED | SUPPLEMENT


def data_caption(kind, dataset):
    data = RecordsData.model_construct(
        release=ReleaseSettings.model_construct(kind="threshold"),
        mechanisms=["laplace"],
        classifier=Classifier.model_construct(repeats=500, mechanisms=["laplace"]),
        records={"file": "own.csv"},
    )
    values = {"metrics": ["l₁ distance (records)"], "epsilon": (0.5, 1, 2), "delta": (0.05, 0.01)}
    template = TEMPLATES / f"figures/{kind}.rst"
    return caption(template, dataset=dataset, settings=data, repeats=500, **values)


def test_each_figure_and_table_has_its_own_caption():
    names = [f"figures/{number}" for number in NUMBERED]
    pairs = [caption(TEMPLATES / f"{name}.rst") for name in names]
    for kind in catalog.KINDS:
        pairs.append(data_caption(kind, "own-data-2"))
        assert " own-data-2" in pairs[-1][0]
        for other in PAPER["datasets"]:
            assert other not in "".join(pairs[-1])
    texts = [text for pair in pairs for text in pair if text]
    sources = [source.format("adult") for source, _ in TABLES.values()]
    texts += [described().find(source, {}).contents for source in sources]
    for text in texts:
        assert len(text.split()) >= 10
        assert text == " ".join(text.split())
        assert re.fullmatch(r"[A-Z].*\.", text)
        assert not re.search(r"[{}]|snakemake\.", text)
    alternatives = [alternative for _, alternative in pairs if alternative]
    assert len(alternatives) == len(NUMBERED) + len(catalog.KINDS)
    assert not [text for text in alternatives if '"' in text]  # pages write them in quotes
    assert len({*texts}) == len(texts)


def test_caption_and_alternative_are_lines_with_the_given_values(tmp_path):
    template = tmp_path / "own.rst"
    (tmp_path / "more.rst").write_text("\nof {{ names }}")
    template.write_text(
        "{{ kind }} and\n\n  {{ kind }} – ε{% include 'more.rst' %}\n"
        "\nAlternative text: a <b>\n {{ kind }}\n",
        "utf-8",
    )
    assert caption(template, kind="one", names="two") == ("one and one – ε of two", "a <b> one")
    with pytest.raises(UndefinedError, match="'names' is undefined"):
        caption(template, kind="one")
    template.write_text("{{ names.colour }}")
    with pytest.raises(UndefinedError):
        caption(template, names={"kind": "errors"})
    template.write_text("Alternative text: A picture.\n")
    with pytest.raises(ValueError, match="has no caption for"):
        caption(template)
    with pytest.raises(TemplateNotFound, match=r"release\.rst"):
        data_caption("release", "mildew")
