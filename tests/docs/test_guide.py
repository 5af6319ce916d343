"""The numbers of docs/guide.md are the library's."""

import re
import warnings
from math import exp

import pytest
from conftest import ROOT

from ggexp import Mechanism, calibration
from ggexp.guarantees import advantage

GUIDE = (ROOT / "docs/guide.md").read_text("utf-8")
POINTS = [(epsilon, delta) for epsilon in (0.5, 1, 2) for delta in (0.01, 0.05, 0.1, 0.25)]


def sd(order: float, rule: str, epsilon: float, delta: float) -> float:
    with warnings.catch_warnings(action="ignore"):  # the classical rule outside of its proof
        return Mechanism(order, rule).noise(epsilon=epsilon, delta=delta).sd


def table(after: str) -> list[list[str]]:
    """The cells of the first table after a text, its header first."""
    lines = re.search(r"((?:^\|.*\n)+)", GUIDE[GUIDE.index(after) :], re.MULTILINE)
    assert lines
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[1].splitlines()]
    return [rows[0], *rows[2:]]


def test_noise_at_the_papers_grid() -> None:
    header, *rows = table("### Which one when")
    columns = [re.fullmatch(r"([a-z-]+), p = (\d)", name) for name in header[2:]]
    assert [(float(row[0]), float(row[1])) for row in rows] == POINTS
    for row, point in zip(rows, POINTS, strict=True):
        for printed, column in zip(row[2:], columns, strict=True):
            assert column
            assert printed == f"{sd(int(column[2]), column[1], *point):.2f}"


def test_which_one_when() -> None:
    best = {}
    for point in POINTS:
        noise = {p: sd(p, "adp-exact", *point) for p in (1, 2, 3)}
        best[point] = min(noise, key=lambda p, noise=noise: noise[p])
    assert best[0.5, 0.25] == 3
    assert all(best[epsilon, 0.01] == 1 for epsilon in (0.5, 1, 2))
    pdp_below_laplace = [point for point in POINTS if sd(2, "pdp", *point) < sd(1, "pure", *point)]
    assert pdp_below_laplace == [(0.5, 0.25)]
    assert sd(3, "pdp", 0.5, 0.25) < sd(1, "pure", 0.5, 0.25)


def test_every_rule_is_in_the_table_with_its_guarantee_and_orders() -> None:
    rows = {row[0].strip("`"): row for row in table("## Mechanisms and calibration rules")[1:]}
    assert rows.keys() == calibration.RULES.keys()
    for name, rule in calibration.RULES.items():
        assert rows[name][1] == rule.guarantee
        assert rows[name][2] == ("any p ≥ 1" if rule.order is None else f"{rule.order:g}")


def test_advantages_of_a_guesser():
    presence, answer = (
        [advantage.of(epsilon=epsilon, prior=None, radius=radius) for epsilon in (0.5, 1, 2)]
        for radius in (1, 2)
    )
    text = " ".join(GUIDE.split())
    assert "by at most {:.2f}, {:.2f} and {:.2f}; of a right guess at".format(*presence) in text
    assert "by {:.2f}, {:.2f} and {:.2f}, because another answer".format(*answer) in text
    epsilons = [advantage.epsilon_for(advantage=0.1, prior=None, radius=r) for r in (1, 2)]
    assert "that to 0.1 takes ε = {:.2f} for the first and {:.2f} for".format(*epsilons) in text


@pytest.mark.parametrize(("epsilon", "odds", "guess"), [(0.5, 1.65, 0.62), (2, 7.4, 0.88)])
def test_what_epsilon_means(epsilon: float, odds: float, guess: float) -> None:
    assert round(exp(epsilon), 2 if odds < 2 else 1) == odds
    assert round(1 / (1 + exp(-epsilon)), 2) == guess
    assert f"{odds}" in GUIDE
    assert f"{guess}" in GUIDE


def test_numbers_in_the_text() -> None:
    classical, exact = sd(2, "adp-classical", 0.5, 0.01), sd(2, "adp-exact", 0.5, 0.01)
    assert f"deviation of {classical:.2f} records" in " ".join(GUIDE.split())
    assert f"and {exact:.2f} by the exact rule" in GUIDE
