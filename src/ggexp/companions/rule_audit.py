"""Whether a calibration rule is wrong, also according to an audit of its releases."""

from ggexp.companions import audit
from ggexp.companions.audited import EVERY_CELL, Audited
from ggexp.companions.rules import RULES
from ggexp.mechanisms import rule_faults
from ggexp.mechanisms.budget import Budget
from ggexp.ranges import Delta, Epsilon, Order

FALSE_ALARM = 1e-6  # the largest probability that the audit finds a fault of a rule without faults


def faults(
    calibration: str, *, order: Order | None, epsilon: Epsilon, delta: Delta, share: float = 1.0
) -> list[str]:
    """Return a sentence on each fault of a rule at one (ε, δ), for sensitivity 1.

    They are the faults that `ggexp.mechanisms.rule_faults` finds, and a lower bound on ε, from
    releases of a count of 100, that exceeds ε. share: of the number of releases in a full audit.
    """
    rule = RULES[calibration]
    found = rule_faults.faults(rule, order=order, budget=Budget(epsilon, delta))
    at = delta if rule.guarantee.has_delta else None
    row = Audited(EVERY_CELL, calibration, order, calibration, epsilon, at, 1.0, records=100)
    rng, releases = row.stream(1), int(share * row.releases)
    tally = audit.tally(row.release, row.histograms, row.cuts(), releases=releases, rng=rng)
    low = audit.bound(tally, rule.guarantee, delta=at, error=FALSE_ALARM)
    return found + ([f"an audit finds an epsilon of {low:g} or more"] if low > epsilon else [])
