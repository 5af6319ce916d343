"""The titles of supplementary figures, which state findings, computed from the figures' tables.

Exact numbers differ if their difference exceeds rounding errors, and shares or means of draws if it
exceeds three standard errors, as in `ggexp.figures.findings`.
"""

import numpy as np
import pandas as pd

from ggexp.companions.figures.tabulate_noise import DRAWS, MECHANISMS, WORST
from ggexp.figures import panels
from ggexp.figures.findings import ROUNDING, TOLERANCE, ends_of, of_means, smallest, title
from ggexp.words import in_words, mechanisms_in_words


def of_loss_curves(table: pd.DataFrame) -> str:
    """Return the title of Figure S1, on the exact δ at the claimed ε."""
    claimed = table[table["at_epsilon"] == table["epsilon"]]
    shares = claimed["exact_delta"] / claimed["delta"]
    if above := int((shares > 1 + ROUNDING).sum()):
        return f"The exact δ exceeds the claimed one at {above} of {len(shares)} points"
    return (
        f"At the claimed ε, the exact δ is at most {in_words(100 * shares.max(), 2)} % of the "
        "claimed δ"
    )


def of_above_best(table: pd.DataFrame) -> str:
    """Return the title of Figure S2, on the noise that is closest to the smallest possible."""
    labels = {"approximate": "mean absolute noise", "probabilistic": "standard deviation"}
    exact = table.assign(mean=table["ratio"], se=0.0)
    panels_of = {label: exact[exact["panel"] == panel] for panel, label in labels.items()}
    return title("", of_means(panels_of))


def of_looseness(table: pd.DataFrame) -> str:
    """Return the title of Figure S4, on rules with too small and with too large scales."""
    counts = table[table["ratio"] < 1 - ROUNDING].groupby("calibration").size()
    points = table.groupby(["calibration", "order"]).size().max()
    too_small = [f"{rule} at {count}" for rule, count in counts.items()]
    small = f"{', '.join(too_small)} of {points} points" if too_small else "none"
    largest = table.nlargest(1, "ratio").to_dict("records")[0]
    ratio = in_words(largest["ratio"], 2)
    scale = f"{largest['calibration']} has up to {ratio} times the smallest scale"
    return title("", [f"Scales that are too small for (ε, δ)-aDP: {small}", scale])


def of_many_queries(table: pd.DataFrame) -> str:
    """Return the title of Figure S5, on the exact crossings and on the simulated errors."""
    crossings = table[(table["kind"] == "crossing") & (table["way"] == "gaussian-exact")]
    ends = [
        f"{row['k']:,} ({panels.title(delta=row['delta'])})"
        for row in crossings.sort_values("delta").to_dict("records")
    ]
    errors = table[table["panel"] == "queries"].set_index(["way", "delta", "k"])
    simulated = errors[errors["kind"] == "simulated"]
    expected = errors["value"][errors["kind"] == "curve"].reindex(simulated.index)
    agree = ((simulated["value"] - expected).abs() <= TOLERANCE * simulated["se"]).sum()
    better = f"better from k = {' and '.join(ends)}" if ends else "better at no k"
    return title(
        "",
        [
            f"With exact composition, Gaussian noise is {better}",
            f"{agree} of {len(simulated)} simulated errors are within three standard errors",
        ],
    )


def of_guessing_advantage(table: pd.DataFrame) -> str:
    """Return the title of Figure S6, on the worst prior at the paper's ε under ε-DP."""
    worst = table[(table["prior"] == WORST) & table["paper"] & table["delta"].isna()]
    advantages = worst.pivot_table("advantage", "epsilon", "panel").iloc[[0, -1]]
    gains = [
        f"{in_words(row['presence'], 2)} (presence) and {in_words(row['answer'], 2)} (answer) at "
        f"ε = {row['epsilon']:g}"
        for row in advantages.reset_index().to_dict("records")
    ]
    return title("", [f"The largest advantages under ε-DP are {', and '.join(gains)}"])


def of_trade_off(table: pd.DataFrame) -> str:
    """Return the title of Figure S7, on the mechanism that tests detect most easily."""
    # at the rates 0 and 1 all curves meet
    is_inner = table["false_positive"].between(0.001, 0.999)
    columns = {"false_positive": "epsilon", "false_negative": "mean"}
    exact = table[is_inner & table["mechanism"].isin(MECHANISMS)].rename(columns=columns)
    texts = []
    for releases, rows in exact.assign(se=0.0, delta=np.nan).groupby("releases"):
        if found := smallest(rows):
            number = "one release" if releases == 1 else f"{releases} releases"
            name = mechanisms_in_words(found.name)
            texts.append(f"{name} at {found.alone} of {found.points} rates for {number}")
    return title("", [f"Smallest false negative rate: {', '.join(texts)}"])


def of_boundary(table: pd.DataFrame) -> str:
    """Return the title of Figure S8, on the exact boundary for the most queries."""
    exact = table[(table["panel"] == "boundary") & table["way"].str.endswith("-exact")]
    most = exact[exact["k"] == exact["k"].max()]
    ends = [
        f"{in_words(cells, 2)} bins at {panels.title(delta=delta)}"
        for delta, cells in most.groupby("delta")["value"].min().reset_index().values
    ]
    number = f"{most['k'].max():,} answers"
    return title("", [f"{number} are better from a histogram up to {', and '.join(ends)}"])


def of_truncated_densities(table: pd.DataFrame) -> str:
    """Return the title of Figure F1, on the densities at 0 and at the bounds."""
    curves = table.pivot_table("density", ["panel", "x"], "mechanism").reset_index()
    is_lower, by_panel = curves["gaussian"] < curves["laplace"], curves.groupby("panel")["x"]
    at_0 = is_lower[curves["x"].abs() == by_panel.transform(lambda x: x.abs().min())]
    at_ends = ~is_lower[by_panel.transform(lambda x: x.isin([x.min(), x.max()]))]
    return title(
        "",
        [
            f"Truncated Gaussian noise has the lower density at 0 in {at_0.sum()} of {len(at_0)} "
            f"examples, and the higher one at {at_ends.sum()} of {len(at_ends)} bounds"
        ],
    )


def of_densities(table: pd.DataFrame) -> str:
    """Return the title of Figure F2, on the standard deviations."""
    sds = table.drop_duplicates(["epsilon", "delta"]).set_index("epsilon")
    gaussian, laplace = (sds[sds["mechanism"] == name]["sd"] for name in ("gaussian", "laplace"))
    ratios = gaussian / gaussian.index.map(laplace.to_dict())
    return f"Gaussian noise is {ends_of(ratios)} times as wide as Laplace noise"


def of_histograms(table: pd.DataFrame) -> str:
    """Return the title of Figure F3, on the shares of the draws that are on a bound."""
    keys = ["mechanism", "bound", "epsilon", "delta"]
    on_bounds = table[table["left"] == table["right"]]
    shares = on_bounds.groupby(keys, dropna=False)["share"].sum().reset_index("delta", drop=True)
    squared_errors = shares * (1 - shares) / DRAWS
    difference = shares["gaussian"] - shares["laplace"]
    margin = TOLERANCE * np.sqrt(squared_errors["gaussian"] + squared_errors["laplace"])
    more, less = (difference > margin).sum(), (difference < -margin).sum()
    number = len(difference)
    return title(
        "",
        [
            f"More Gaussian than Laplace noise is on the bounds in {more} of {number} cases",
            f"less in {less}",
        ],
    )
