"""The companions of the paper: four other texts, an audit, and their mechanisms.

The texts are Laud and Pankova on guessing advantage, the CS208 lecture notes, the lecture on
approximate DP, and the first version of the paper. The rest of the package does not import this
subpackage, except for the command; the design of the paper does not depend on it.
"""

import lazy_loader

# the module that ggexp exports, imported at its first use
__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["lp_ball"])
