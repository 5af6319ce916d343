"""ggexp: the experiments of "Generalized Gaussian Mechanism for Differential Privacy", reproduced.

The names of ``__init__.pyi`` are imported when they are first used, so that a job of the workflow
loads, and depends on, only the modules that it names itself.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
