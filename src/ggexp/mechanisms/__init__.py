"""Mechanisms: noise that is calibrated to a guarantee, and its exact privacy loss.

Names in ``__init__.pyi`` are imported at first use: jobs that only draw noise start without scipy.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
