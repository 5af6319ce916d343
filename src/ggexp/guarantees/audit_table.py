"""The audit of a run's mechanisms, and of what it must catch: one row for each bound."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ggexp.guarantees import audit
from ggexp.mechanisms import calibration
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee

FALSE_ALARM = 0.001  # that one of the table's bounds is wrong, at most
RELEASES = 1_000_000  # of each of two neighbours
RELEASES_PDP = 8_000_000  # a statement about single values, which few releases come near
TOTAL = 1_000_000  # n: rescaling by it moves a count of 100 by some 0.001, and hides nothing
MANY = 100  # records in a cell, so many that its count is never clamped
CUT = 0.8  # of the scale, of mechanisms that must be caught
POINT = ("mechanism", "order", "calibration", "epsilon", "delta")

#: Rules that waste nothing: with less noise what they promise is false.
TIGHT: dict[str, dict[str, Any]] = {
    f"order-{order}-{rule}": {"order": order, "calibration": rule}
    for rule, orders in {"adp-exact": (1, 2, 3), "pdp-exact": (2, 3)}.items()
    for order in orders
}

EVERY_CELL, STABILITY = "every cell", "stability"


@dataclass(frozen=True)
class Releases:
    """The program's own releases, many at once.

    every_cell: (counts, noise, stream, times=…, total=…) -> times x cells.
    stability: the same, with a threshold too, where empty cells have no noise.
    stability_threshold: (noise, δ) -> the threshold that makes that private.
    """

    every_cell: Callable[..., audit.Floats]
    stability: Callable[..., audit.Floats]
    stability_threshold: Callable[[GeneralizedGaussian, float], float]


@dataclass(frozen=True)
class Audited:
    """What is released many times: noise of a mechanism at a grid point, or less than it claims.

    released: `EVERY_CELL` or `STABILITY`. scale: b of the noise that is said to be added, in
    records. scale_factor: of b, what is added; or of `STABILITY`, from what its threshold is made.
    records: in the cell that has one record more in the neighbour.
    """

    released: str
    mechanism: str
    order: float
    calibration: str
    epsilon: float
    delta: float | None
    scale: float
    scale_factor: float
    records: int

    def guarantees(self) -> Iterator[str]:
        """Yield what its releases are held against."""
        rule = calibration.rule(self.calibration)
        if self.delta is None:
            yield "ε-DP"
        elif self.released == STABILITY:
            yield "(ε, δ)-aDP"
        elif self.records and rule.guarantee is Guarantee.PROBABILISTIC:
            yield "(ε, δ)-pDP"
            if self.scale_factor == 1:
                yield "ε-DP"  # which it does not claim
        else:  # clamping keeps what approximate DP a mechanism of pDP has, but not its pDP
            yield "(ε, δ)-aDP"

    def stream(self, seed: int) -> np.random.Generator:
        """Return the random stream of its releases."""
        fields = {
            name: value if isinstance(value, str | None) else repr(float(value))
            for name, value in asdict(self).items()
            if name != "scale"
        }
        named = json.dumps(["audit", fields], sort_keys=True)
        digest = int.from_bytes(hashlib.sha256(named.encode()).digest())
        return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence([seed, digest])))


def audited(points: Iterable[Mapping[str, Any]]) -> list[Audited]:
    """Return all that is audited: the points, those of `TIGHT` at the same (ε, δ), what is cut.

    points: each with mechanism, order, calibration, epsilon, delta (None without one) and scale.
    """
    run = {tuple(point[name] for name in POINT): point for point in points}
    claimed = dict(run)
    budgets = dict.fromkeys((point["epsilon"], point["delta"]) for point in run.values())
    for name, mechanism in TIGHT.items():
        for epsilon, delta in budgets:
            if delta is not None:
                rule, order = mechanism["calibration"], mechanism["order"]
                b = calibration.scale(rule, order=order, epsilon=epsilon, delta=delta)
                point = {"mechanism": name, **mechanism, "epsilon": epsilon, "delta": delta}
                claimed[tuple(point.values())] = {**point, "scale": b}
    every_cell = [
        Audited(EVERY_CELL, **_named(point), scale_factor=factor, records=records)
        for point in claimed.values()
        for factor, records in ((1.0, MANY), (1.0, 0), (CUT, MANY))
        if factor == 1 or point["mechanism"] in TIGHT or point["delta"] is None
    ]
    deltas = dict.fromkeys(delta for _, delta in budgets if delta is not None)
    stability = [
        Audited(STABILITY, **_named(point) | {"delta": delta}, scale_factor=factor, records=records)
        for point in run.values()
        for delta in (deltas if point["delta"] is None else [point["delta"]])
        for factor, records in ((1.0, MANY), (1.0, 0), (CUT, 0))
    ]
    return every_cell + stability


def _named(point: Mapping[str, Any]) -> dict[str, Any]:
    return {name: point[name] for name in (*POINT, "scale")}


def tabulate_audit(
    points: Iterable[Mapping[str, Any]],
    releases: Releases,
    *,
    seed: int,
    threads: int = 1,
    share: float = 1.0,
) -> pd.DataFrame:
    """Return the audit: a row for each mechanism, grid point, share of its scale and guarantee.

    points: a run's, with their scales, for neighbours that differ by one record; see `audited`.
    releases: the program's own. seed: of the streams. threads: the results are the same for any.
    share: of the releases that a full audit takes.
    The columns are those of `Audited`, releases (of each neighbour, on average), guarantee, claimed
    (whether the mechanism has that guarantee), epsilon_low (the lower bound on ε) and exceeds
    (whether that is above the ε of the grid point). Bonferroni's correction makes all bounds hold
    together with a probability of 1 - `FALSE_ALARM`: each row has an equal part of it, and in a row
    each interval.
    """
    rows = [(one, list(one.guarantees())) for one in audited(points)]
    error = FALSE_ALARM / sum(len(guarantees) for _, guarantees in rows)

    def examine(row: tuple[Audited, list[str]]) -> list[dict[str, Any]]:
        one, guarantees = row
        number = RELEASES_PDP if "(ε, δ)-pDP" in guarantees else RELEASES
        return list(_examine(one, guarantees, releases, seed, int(share * number), error))

    with ThreadPoolExecutor(threads) as pool:
        examined = list(pool.map(examine, rows))
    return pd.DataFrame([row for part in examined for row in part])


def _examine(
    one: Audited,
    guarantees: Sequence[str],
    releases: Releases,
    seed: int,
    number: int,
    error: float,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one that is audited, all from the same releases."""
    noise = GeneralizedGaussian(one.order, one.scale)
    less = GeneralizedGaussian(one.order, one.scale_factor * one.scale)
    if one.released == STABILITY:
        threshold = releases.stability_threshold(less, one.delta or 0.0)
        release = partial(releases.stability, noise=noise, threshold=threshold, total=TOTAL)
    else:
        release = partial(releases.every_cell, noise=less, total=TOTAL)
    found = audit.tally(
        lambda counts, rng, times: release(counts, rng=rng, times=times),
        np.array([one.records, TOTAL - one.records]),
        audit.thresholds(noise, one.records),
        releases=number,
        rng=one.stream(seed),
    )
    for guarantee in guarantees:
        if guarantee == "ε-DP" or one.delta is None:
            low = audit.pure_bound(found, error=error)
        else:
            bound = audit.pdp_bound if guarantee == "(ε, δ)-pDP" else audit.adp_bound
            low = bound(found, delta=one.delta, error=error)
        yield {
            **asdict(one),
            "releases": number,
            "guarantee": guarantee,
            "claimed": one.scale_factor == 1 and (one.delta is None or guarantee != "ε-DP"),
            "epsilon_low": low,
            "exceeds": low > one.epsilon,
        }
