"""The mechanisms that are compared on a user's own table by default."""

from typing import Any

#: Name -> configuration. Counts are whole numbers; the smallest noise for them is integer-valued
#: noise.
PROPOSED_MECHANISMS: dict[str, dict[str, Any]] = {
    "geometric": {"calibration": "pure-integer"},
    "optimal": {"calibration": "adp-optimal"},
    "discrete-gaussian": {"order": 2, "calibration": "adp-exact-integer"},
    "laplace": {"order": 1, "calibration": "pure"},
    "truncated-laplace": {"order": 1, "calibration": "adp-truncated"},
    "best-order": {"order": "best", "calibration": "adp-exact"},
}
