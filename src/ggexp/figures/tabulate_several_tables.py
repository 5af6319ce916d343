"""The numbers of Figures S9 and S10: noise for several tables, and records made of them."""

from math import sqrt

import pandas as pd

from ggexp.figures.tabulate_best_order import best_of_many, noise
from ggexp.mechanisms.mechanism import best_order
from ggexp.progress import log_progress

EPSILON, DELTAS = 1.0, (1e-9, 1e-6, 0.01)
TABLES = (*range(1, 17), 20, 30, 91)
ORDERS = (1.0, 1.5, 2.0, 3.0)
BASIC, BEST = "Laplace, ε/m", "best order"
#: What Figure S10 shows, and of which mechanisms. The first one has all methods, for the legend.
METRICS = ("accuracy", "two_way", "three_way")
MECHANISMS = ("best-order", "gaussian", "order-1", "laplace")


def noise_of_tables() -> pd.DataFrame:
    """Return the numbers of Figure S9, which do not depend on data.

    Each row has the noise with which a number of tables satisfy (epsilon, delta) together, by exact
    composition, or because each table satisfies ε/m-DP (the noise `BASIC`). sd: in records.
    """
    points = [(delta, tables) for delta in DELTAS for tables in TABLES]
    rows = []
    for delta, tables in log_progress(points, "numbers of tables"):
        row = {"epsilon": EPSILON, "delta": delta, "tables": tables}
        rows.append({**row, "noise": BASIC, "order": 1.0, "sd": sqrt(2) * tables / EPSILON})
        for order in ORDERS:
            sd = noise(order, tables, EPSILON, delta).sd
            rows.append({**row, "noise": f"order {order:g}", "order": order, "sd": sd})
        best = best_order(epsilon=EPSILON, delta=delta)
        if tables > 1:
            best = best_of_many(tables, EPSILON, delta)
        rows.append({**row, "noise": BEST, "order": best.order, "sd": best.sd})
    return pd.DataFrame(rows)


def records_of_tables(published: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of Figure S10: accuracies and errors of records, against ε.

    published: the summaries of several tables. Only data sets with a classifier are drawn.
    """
    has_classifier = published["dataset"].isin(
        published["dataset"][(published["metric"] == "accuracy") & published["mean"].notna()]
    )
    is_drawn = published["method"].str.endswith("records") | (published["method"] == "original")
    is_drawn &= published["metric"].isin(METRICS) & has_classifier
    is_drawn &= published["mechanism"].isin(MECHANISMS) | published["epsilon"].isna()
    places = {name: place for place, name in enumerate(MECHANISMS)}
    drawn = published[is_drawn].sort_values(
        "mechanism", key=lambda names: names.map(places), kind="stable"
    )
    return drawn.reset_index(drop=True)
