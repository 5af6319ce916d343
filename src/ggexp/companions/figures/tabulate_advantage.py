"""The numbers of Figure S6: the guessing advantage under ε and δ."""

from typing import Any

import numpy as np
import pandas as pd

from ggexp.guarantees import advantage
from ggexp.guarantees.advantage import of_pdp

EPSILONS = np.linspace(0, 4, 161)
PAPER = (0.5, 1.0, 2.0)  # the grid of the paper's experiments
DELTAS = (0.01, 0.05, 0.1, 0.25)
PRIORS = (0.5, 0.1, 0.01)
#: Attributes of the Adult data, from few levels to many, whose frequencies are priors.
ATTRIBUTES = ("sex", "race", "occupation", "native-country", "capital-gain")
ANSWERS = (2, 10, 100)  # numbers of equally likely answers, if there are no data
WORST = "worst prior"


def tabulate(adult: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the columns of Figure S6: panel, prior, radius, epsilon, delta, advantage, paper.

    adult: the cells of the Adult histogram (attributes and ``count``), if Adult is among the data
        sets. Without these cells, the answers are equally likely.

    panel: the subject of the guess, "presence" (whether a person is in the table) or "answer" (the
    answer of a person in the table). prior: the prior of the adversary. radius: as for
    `ggexp.guarantees.advantage.of`, 1 for "presence" and 2 for "answer". advantage: the largest
    advantage under ε-DP, or, in rows with a δ, the bound on the mean advantage under
    (ε, δ)-probabilistic DP. paper: whether ε is one of the paper's.
    """
    priors = {WORST: None} | {f"prior {prior:g}": prior for prior in PRIORS}
    frames = [_curve("presence", name, prior, radius=1.0) for name, prior in priors.items()]
    frames.append(_mean_bounds())
    frames += [
        _curve("answer", name, prior, radius=2.0)
        for name, prior in ({WORST: None} | _answer_priors(adult)).items()
    ]
    return pd.concat(frames, ignore_index=True)


def _answer_priors(adult: pd.DataFrame | None) -> dict[str, Any]:
    """Return priors of answers: the frequencies in Adult's attributes, or equal probabilities."""
    names = [] if adult is None else [name for name in ATTRIBUTES if name in adult]
    if adult is None or not names:
        return {f"1 of {number} answers": 1 / number for number in ANSWERS}
    total = adult["count"].sum()
    return {name: (adult.groupby(name)["count"].sum() / total).to_numpy() for name in names}


def _curve(panel: str, name: str, prior: advantage.Prior, radius: float) -> pd.DataFrame:
    """Return the rows of one curve."""
    advantages = [advantage.of(epsilon=epsilon, prior=prior, radius=radius) for epsilon in EPSILONS]
    key = {"panel": panel, "prior": name, "radius": radius}
    columns = {"epsilon": EPSILONS, "delta": np.nan, "advantage": advantages}
    return pd.DataFrame(key | columns | {"paper": np.isin(EPSILONS, PAPER)})


def _mean_bounds() -> pd.DataFrame:
    """Return the rows for the paper's grid of (ε, δ), with the worst prior."""
    points = [(epsilon, delta) for epsilon in PAPER for delta in DELTAS]
    table = pd.DataFrame(points, columns=["epsilon", "delta"])
    table["advantage"] = [
        of_pdp(epsilon=epsilon, delta=delta, prior=None).average for epsilon, delta in points
    ]
    return table.assign(panel="presence", prior=WORST, radius=1.0, paper=True)
