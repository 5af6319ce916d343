"""Mechanisms: noise of an order with the scale of a rule, and its cost in privacy.

The names of ``__init__.pyi`` are imported at their first use, so that a job that only draws noise
starts without scipy.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
