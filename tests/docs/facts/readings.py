"""In how many readings of the paper its sentences hold: docs/reproduction.md."""

import pandas as pd
import yaml
from conftest import ROOT

from facts import fact
from ggexp.claims.check import compare, read_claims

CHOICES = yaml.safe_load((ROOT / "config/multiverse.yaml").read_text("utf-8"))["multiverse"][
    "choices"
]
CLAIMS = read_claims(ROOT / "reference/claims.yaml")


def largest_factorials(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the sentences of section 4, each from the factorial with most readings."""
    of_section_4 = table[table["group"] == "results of section 4"]
    ordered = of_section_4.sort_values("readings", ascending=False, kind="stable")
    return ordered.drop_duplicates("claim").set_index("claim").sort_index()


@fact
def readings():
    """The share of readings in which each sentence of section 4 holds, in percent, and the number.

    choices: the number of open choices. all: the number of sentences and of all their readings.
    always, never, some: the numbers of sentences that hold in all readings, in none, and in some.
    """
    table = largest_factorials(pd.read_csv(ROOT / "reference/readings.csv"))
    found = {
        name: (100 * row["holds"], row["readings"]) for name, row in table.to_dict("index").items()
    }
    holds = table["holds"]
    return found | {
        # without n, which the paper states, and thresholds
        "choices": sum("parameters" not in choice for choice in CHOICES.values()) - 1,
        "adult-loss-partly": 100 * table.loc["adult-loss", "partly"],
        "all": (len(table), table["readings"].sum()),
        "always": (holds == 1).sum(),
        "never": (holds == 0).sum(),
        "some": ((holds > 0) & (holds < 1)).sum(),
    }


@fact
def comparisons(full_run):
    """The comparisons of a run that have a standard error, and those significant by chance."""
    number = sum(
        bool(comparison.error)
        for claim in CLAIMS
        if claim["tolerance"]
        for comparison in compare(claim, full_run)
    )
    return (number, 0.0027 * number)  # 0.27 % of normal values exceed three standard deviations


@fact
def losses():
    """Mean losses of Gaussian-aDP at ε = 0.5, over all splits, bins and δ, in percentage points.

    one-row: against weighted cells and against the same training, with one row for each cell whose
    rounded count is positive, and test records in bins. weighted: with weighted cells.
    """
    table = pd.read_csv(ROOT / "tests/data/multiverse/figure_m2.csv")
    table = table[(table["mechanism"] == "gaussian-adp") & (table["epsilon"] == 0.5)]
    means = table.set_index(["test-records", "training", "rounding", "baseline"])["mean"]
    return {
        "one-row": [means["binned", "one-row", "nearest", name] for name in ("weighted", "same")],
        "weighted": means["binned", "weighted", "none", "weighted"],
    }
