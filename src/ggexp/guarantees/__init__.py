"""Consequences of a guarantee: composition, errors, guessing advantage, audit, least noise."""
