"""Settings of the audit: docs/audit.md."""

from facts import fact
from ggexp import GeneralizedGaussian
from ggexp.companions import audit, audit_table, audited
from ggexp.mechanisms import whole_rules


@fact
def audited_count():
    """The count that is large enough never to be clamped."""
    return audit_table.UNCLAMPED_COUNT


@fact
def audited_total():
    """The public total n."""
    return audited.TOTAL


@fact
def audited_count_within_bounds():
    """The smallest and largest audited counts of mechanisms within bounds."""
    return 0, audit_table.UPPER_BOUND


@fact
def audit_thresholds():
    """The number of thresholds for the count that is never clamped."""
    return len(audit.thresholds(GeneralizedGaussian(2), audit_table.UNCLAMPED_COUNT))


@fact
def audit_false_alarm():
    """The largest probability that any of the bounds is wrong."""
    return audit_table.FALSE_ALARM


@fact
def audit_caught():
    """The factor of ε at which noise must be caught, and its share of the correct scale."""
    assert audited.BOUNDED["boundary-inflated"].detected_divisor == audit_table.DETECTED_MULTIPLE
    return {
        "made-for": audit_table.DETECTED_MULTIPLE,
        "of-scale": 100 / audit_table.DETECTED_MULTIPLE,
    }


@fact
def audit_caught_of_definition_5():
    """The scale of Definition 5 that must be caught, in percent of the correct scale."""
    return 100 / audited.BOUNDED["truncated"].detected_divisor


@fact
def audit_releases_of_probabilistic_dp():
    """Releases of each histogram, in millions."""
    return audited.RELEASES_PDP / 1e6


@fact
def audit_margin():
    """The relative margin by which a whole-number scale satisfies a stronger guarantee."""
    return whole_rules.MARGIN
