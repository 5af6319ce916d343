"""Figure S6: the guessing advantage against ε."""

from math import tanh

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, stored

from ggexp.companions.figures.draw_advantage import draw
from ggexp.companions.figures.tabulate_advantage import DELTAS, PAPER, WORST, tabulate
from ggexp.figures import style
from ggexp.run.pages import caption

ADULT = pd.DataFrame(
    {
        "sex": ["Male", "Male", "Female"],
        "race": ["White", "Black", "White"],
        "count": [50, 20, 30],
    }
)


@pytest.fixture(scope="module", params=[None, ADULT], ids=["without", "with Adult"])
def table(request):
    return tabulate(request.param)


def curve(table, panel, prior):
    rows = table[(table["panel"] == panel) & (table["prior"] == prior) & table["delta"].isna()]
    return rows.set_index("epsilon")["advantage"]


def posterior_change(loss, v):
    """The largest change by Bayes' theorem, for the likelihood ratios e^loss and e^-loss."""
    return max(abs(v * r / (v * r + 1 - v) - v) for r in (np.exp(loss), np.exp(-loss)))


def test_the_worst_prior(table):
    for panel, radius in (("presence", 1), ("answer", 2)):
        for epsilon, advantage in curve(table, panel, WORST).items():
            assert advantage == pytest.approx(tanh(epsilon * radius / 4))


def test_priors_are_probabilities_or_frequencies(table):
    has_adult = "sex" in set(table["prior"])
    answers = {"sex": 0.3, "race": 0.2} if has_adult else {"1 of 10 answers": 0.1}
    for name, v in answers.items():
        for epsilon, advantage in curve(table, "answer", name).items():
            assert advantage == pytest.approx(posterior_change(2 * epsilon, v), abs=1e-12)
    for epsilon, advantage in curve(table, "presence", "prior 0.01").items():
        assert advantage == pytest.approx(posterior_change(epsilon, 0.01), abs=1e-12)
    assert table["prior"].nunique() == 4 + (2 if has_adult else 3)


def test_the_papers_grid_is_marked(table):
    assert set(table["epsilon"][table["paper"]]) == set(PAPER)
    means = table[table["delta"].notna()]
    assert len(means) == len(PAPER) * len(DELTAS)
    for row in means.to_dict("records"):
        expected = (1 - row["delta"]) * tanh(row["epsilon"] / 4) + row["delta"]
        assert row["advantage"] == pytest.approx(expected)


def test_answers_are_equally_likely_without_adults_attributes():
    cells = pd.DataFrame({"age": [1, 2], "count": [3, 4]})
    pd.testing.assert_frame_equal(tabulate(cells), tabulate())


@pytest.mark.slow
def test_it_is_drawn_from_its_file(table, tmp_path):
    stored_table = stored(table)
    figure = draw(stored_table, "s6")
    assert len(figure.axes) == 2
    for axes, panel in zip(figure.axes, ("presence", "answer"), strict=True):
        rows = stored_table[stored_table["panel"] == panel]
        lines = {line.get_label(): line for line in axes.lines}
        for prior in rows["prior"].unique():
            np.testing.assert_allclose(lines[prior].get_ydata(), curve(stored_table, panel, prior))
        assert axes.get_title()
        assert axes.get_xlabel()
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        assert len(texts) == rows["prior"].nunique() + rows["delta"].nunique()
    first, second = tmp_path / "a.png", tmp_path / "b.png"
    style.save(figure, first)
    style.save(draw(stored_table, "s6"), second)
    assert first.read_bytes() == second.read_bytes()


def test_caption():
    text, _ = caption(ROOT / "workflow/report/figures/s6.rst")
    assert text.index("tanh(ε/4)") < text.index("tanh(ε/2)")
