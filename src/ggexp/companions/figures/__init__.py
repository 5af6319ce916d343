"""Supplementary figures, which `make guarantees` draws."""
