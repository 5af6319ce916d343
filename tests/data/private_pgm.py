"""Write private_pgm.csv: noisy tables of a tree, and the tables of the model that private-pgm fits.

Run it in an environment of its own, with `mbi` 2.0.0 (Apache 2.0, on the package index).
"""

from pathlib import Path

import jax
import numpy as np
import pandas as pd
from mbi import Domain, LinearMeasurement, Model
from mbi.estimation import MirrorDescent
from scipy.optimize import minimize_scalar

SIZES = {"a": 2, "b": 3, "c": 4, "d": 2}
COLUMNS = [("a",), ("b",), ("c",), ("d",), ("a", "b"), ("b", "c"), ("c", "d")]
RECORDS, SD, STEPS = 300, 12.0, 20_000


def main() -> None:
    """Fit the model to one draw of the noise; some noisy counts are negative."""
    jax.config.update("jax_enable_x64", True)
    rng = np.random.default_rng(8)
    codes = {name: rng.integers(0, size, RECORDS) for name, size in SIZES.items()}
    codes["b"] = np.where(rng.random(RECORDS) < 0.8, codes["a"], codes["b"])
    codes["c"] = np.where(rng.random(RECORDS) < 0.8, codes["b"], codes["c"])
    noisy = {}
    for columns in COLUMNS:
        shape = [SIZES[name] for name in columns]
        places = np.ravel_multi_index([codes[name] for name in columns], shape)
        true = np.bincount(places, minlength=np.prod(shape))
        noisy[columns] = (true + rng.normal(0, SD, true.size)).round(6)
    measured = [LinearMeasurement(table, columns, stddev=SD) for columns, table in noisy.items()]
    domain = Domain(tuple(SIZES), tuple(SIZES.values()))

    def fit(total: float) -> Model:
        return MirrorDescent().estimate(domain, measured, known_total=total, iters=STEPS)

    def squares(total: float) -> float:
        model = fit(total)
        fitted = [model.project(columns).datavector() for columns in noisy]
        return sum(float(np.sum((a - b) ** 2)) for a, b in zip(fitted, noisy.values(), strict=True))

    best = minimize_scalar(squares, bounds=(0.9 * RECORDS, 1.1 * RECORDS), method="bounded")
    model = fit(best.x)
    rows = [
        {"columns": " ".join(columns), "noisy": count, "fitted": float(fitted)}
        for columns, table in noisy.items()
        for count, fitted in zip(table, model.project(columns).datavector(), strict=True)
    ]
    table = pd.DataFrame(rows)
    table.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.6f")


if __name__ == "__main__":
    main()
