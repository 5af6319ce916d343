"""Releases of a histogram: grid points, random streams, kinds, synthetic records and export."""
