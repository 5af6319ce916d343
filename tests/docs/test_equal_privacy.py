"""The numbers of docs/equal-privacy.md, from the copy of a full run (tests/data/README.md)."""

import pytest
from printed import table

from ggexp.figures.tabulate_ranks import tabulate_ranks

PAGE = "equal-privacy.md"
TITLES = {
    ("mildew", "l1"): "mildew, l₁",
    ("mildew", "kl"): "mildew, KL",
    ("czech", "l1"): "Czech, l₁",
    ("czech", "kl"): "Czech, KL",
    ("adult", "l1"): "Adult, l₁",
    ("adult", "kl"): "Adult, KL",
    ("adult", "misclassification"): "Adult, misclassified",
}
ORDERS = ["gg-1", "gg-1.5", "gg-2", "gg-3", "gg-4"]


def ranks(results, dataset, error, mechanisms):
    """(ε, δ) -> the ranks of these mechanisms on a data set, by name."""
    summary = results.summary
    here = (summary["dataset"] == dataset) & summary["mechanism"].isin(mechanisms)
    table = tabulate_ranks([summary[here]])
    table = table[table["error"] == error].set_index("mechanism", drop=False)
    return dict(iter(table.groupby(["epsilon", "delta"])))


def shown(row, error):
    """A mean and its standard error: to the digit of the error's second one."""
    if error == "misclassification":
        return f"{100 * row['mean']:.3f} ± {100 * row['se']:.3f} %"
    digits = 1 - int(f"{row['se']:e}".partition("e")[2])
    if digits < 0:
        return f"{row['mean']:,.0f} ± {row['se']:.0f}"
    return f"{row['mean']:,.{digits}f} ± {row['se']:.{digits}f}"


def above(row):
    """An excess and its standard error, in percent."""
    digits = 1 if row["excess_se"] > 0.001 else 2
    excess = f"{100 * row['excess']:+.{digits}f} ± {100 * row['excess_se']:.{digits}f} %"
    return excess if row["rank"] > 1 else "best"


def rows(results, dataset, error):
    """What the table of a data set and an error says: a row for each ε and δ."""
    family = [*ORDERS, "gg-best"]
    of_all, of_family, of_orders = (
        ranks(results, dataset, error, names)
        for names in ([*family, "truncated-laplace"], family, ORDERS)
    )
    made = []
    for (epsilon, delta), here in of_all.items():
        best = here.loc[here["rank"].idxmin()]
        alike = here[(here["excess"] <= 3 * here["excess_se"]) & (here["rank"] > 1)]
        orders = of_orders[epsilon, delta]
        made.append(
            [
                *(f"{epsilon:g}", f"{delta:g}"),
                *(f"`{best['mechanism']}`", shown(best, error)),
                ", ".join(f"`{name}`" for name in alike["mechanism"]) or "none",
                f"`{orders['rank'].idxmin()}`",
                above(orders.loc["gg-1"]),
                above(of_family[epsilon, delta].loc["gg-best"]),
            ]
        )
    return made


HEADER = [
    *("ε", "δ", "{title}: best of all", "mean ± se", "as small within 3 se"),
    *("best of the five orders", "Laplace above it", "`gg-best` above the smallest of the six"),
]


def markdown(results, dataset, error):
    """A table of the page."""
    header = [cell.format(title=TITLES[dataset, error]) for cell in HEADER]
    lines = [header, ["---"] * len(header), *rows(results, dataset, error)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


@pytest.mark.parametrize(("dataset", "error"), TITLES)
def test_who_wins_where(equal_privacy, dataset, error):
    header, *printed = table(PAGE, f"| {TITLES[dataset, error]}: best of all |")
    assert header[2] == f"{TITLES[dataset, error]}: best of all"
    assert printed == rows(equal_privacy, dataset, error)
