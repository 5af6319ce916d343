"""How the audit is made: docs/guarantees.md."""

from facts import fact
from ggexp import GeneralizedGaussian
from ggexp.experiment import audit_table, audited
from ggexp.guarantees import audit


@fact
def audited_count():
    """The one that is never clamped."""
    return audit_table.MANY_RECORDS


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
    return len(audit.thresholds(GeneralizedGaussian(2), audit_table.MANY_RECORDS))


@fact
def audit_false_alarm():
    """That one of the bounds is wrong, at most."""
    return audit_table.FALSE_ALARM


@fact
def audit_cut():
    """Percent, of the noise that must be caught."""
    cuts = {audit_table.CUT, audited.BOUNDED["boundary-inflated"].cut}
    assert len(cuts) == 1
    return 100 * (1 - cuts.pop())


@fact
def audit_cut_of_definition_5():
    """Percent."""
    return 100 * (1 - audited.BOUNDED["truncated"].cut)


@fact
def audit_releases_of_probabilistic_dp():
    """Millions, of each histogram."""
    return audited.RELEASES_PDP / 1e6
