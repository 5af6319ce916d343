"""Releases of a histogram: their points and streams, their kinds, records made of them, export."""
