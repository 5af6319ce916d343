"""A test of claims about the exact δ in the audit: the table of `ggexp.companions.audit_table`.

Claims about the audit's lower bounds are tested by `at_each_row`.
"""

from sys import float_info

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test, place
from ggexp.mechanisms.guarantee import Guarantee

ROUNDING = float_info.epsilon  # larger than the rounding error of a δ in the table


@claim_test
def within_delta(results: Results) -> Comparisons:
    """Test whether the exact δ of integer-valued noise, as it is drawn, is at most the claimed δ.

    If the noise is calibrated for a larger ε, the exact δ must exceed the claimed one.
    """
    for row in results.figure("audit").dropna(subset="exact_delta").to_dict("records"):
        allowed = 0.0 if row["guarantee"] == Guarantee.PURE else row["delta"]
        excess = max(0.0, row["exact_delta"] - allowed)
        relation, difference = ("<=", ROUNDING - excess) if row["claimed"] else (">", excess)
        what = "{guarantee} of {mechanism} ({released})".format(**row)
        where = f"{place(row['epsilon'], row['delta'])}, {row['records']} records"
        yield Comparison(f"{what}: exact δ {relation} claimed δ", where, difference)
