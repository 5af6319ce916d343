"""Compute tests/data/mixtures.csv with dp-accounting; a test compares it with ggexp.

    ../others/bin/python studies/mixtures.py > tests/data/mixtures.csv

The environment is that of studies/other_libraries.py. A mixture is a list of one to four
integer-valued mechanisms, each released several times. The file has one row for each part: the
mixture's number; the order (1: geometric noise, 2: discrete Gaussian noise), scale, sensitivity and
number of releases of the part; and an ε of the mixture with a lower and an upper bound of its δ.
"""

import csv
import sys
from math import exp, log, sqrt
from typing import Any

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld

MIXTURES = 48
INTERVAL = 1e-3  # width of the grid of losses
COLUMNS = ("mixture", "order", "scale", "sensitivity", "count", "epsilon", "lower", "upper")


def distribution(part: dict[str, Any], is_upper: bool) -> pld.PrivacyLossDistribution:
    """Return the distribution of the sum of the losses of a part, rounded up or down."""
    make, parameter = {
        1: (pld.from_discrete_laplace_mechanism, 1 / part["scale"]),
        2: (pld.from_discrete_gaussian_mechanism, part["scale"] / sqrt(2)),
    }[part["order"]]
    single = make(
        parameter,
        sensitivity=part["sensitivity"],
        pessimistic_estimate=is_upper,
        value_discretization_interval=INTERVAL,
    )
    return single.self_compose(part["count"]) if part["count"] > 1 else single


def main() -> None:
    """Write the rows of all mixtures."""
    rng = np.random.default_rng(1)
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for mixture in range(MIXTURES):
        parts = [
            {
                "order": int(rng.integers(1, 3)),
                "scale": exp(rng.uniform(log(0.7), log(30))),
                "sensitivity": int(rng.integers(1, 4)),
                "count": int(rng.integers(1, 40)),
            }
            for _ in range(rng.integers(1, 5))
        ]
        sums = []
        for is_upper in (False, True):
            first, *others = (distribution(part, is_upper) for part in parts)
            for other in others:
                first = first.compose(other)
            sums.append(first)
        epsilon = sums[1].get_epsilon_for_delta(10 ** rng.uniform(-9, -1))
        lower, upper = (total.get_delta_for_epsilon(epsilon) for total in sums)
        for part in parts:
            row = {"epsilon": epsilon, "lower": lower, "upper": upper}
            writer.writerow({"mixture": mixture, **part, **row})


if __name__ == "__main__":
    main()
