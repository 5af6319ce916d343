"""How the audit is made: docs/audit.md."""

from facts import fact
from ggexp import GeneralizedGaussian
from ggexp.experiment import audit_table, audited
from ggexp.guarantees import audit
from ggexp.mechanisms import whole_rules


@fact
def audited_count():
    """The one that is never clamped."""
    return audit_table.UNCLAMPED_COUNT


@fact
def audited_total():
    """The public n."""
    return audited.TOTAL


@fact
def audited_count_within_bounds():
    """From 0 to this."""
    return 0, audit_table.HIGHEST


@fact
def audit_thresholds():
    """Of a count that is never clamped."""
    return len(audit.thresholds(GeneralizedGaussian(2), audit_table.UNCLAMPED_COUNT))


@fact
def audit_false_alarm():
    """That one of the bounds is wrong, at most."""
    return audit_table.FALSE_ALARM


@fact
def audit_caught():
    """The multiple of ε with which noise must be caught, and the share of the scale that it has."""
    assert audited.BOUNDED["boundary-inflated"].caught == audit_table.CAUGHT
    return {"made-for": audit_table.CAUGHT, "of-scale": 100 / audit_table.CAUGHT}


@fact
def audit_caught_of_definition_5():
    """Percent of its scale."""
    return 100 / audited.BOUNDED["truncated"].caught


@fact
def audit_releases_of_probabilistic_dp():
    """Millions, of each histogram."""
    return audited.RELEASES_PDP / 1e6


@fact
def audit_margin():
    """The share by which the guarantee of a whole-number scale is stronger than asked for."""
    return whole_rules.MARGIN
