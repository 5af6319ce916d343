"""Several tables of the same records: noise for all of them, and consistent tables.

One record is in one cell of each of m tables. Adding or removing it changes m counts, so that the
privacy losses of m cells add up.
"""
