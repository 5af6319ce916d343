"""Types of arguments, each with its range, so that docstrings need not repeat it.

A function whose argument has such a type refuses other values, as `ggexp` describes.
"""

from typing import Annotated

#: The privacy parameter ε.
Epsilon = Annotated[float, "ε > 0"]
#: An ε at which a δ is computed, or of a guarantee that may have no ε.
EpsilonOrZero = Annotated[float, "ε ≥ 0"]
#: The privacy parameter δ. Rules and guarantees without a δ take None, or ignore it.
Delta = Annotated[float, "0 < δ < 1"]
#: The δ of a guarantee that may have none, such as ε-DP.
DeltaOrZero = Annotated[float, "0 ≤ δ < 1"]
#: The order p of noise: 1 is Laplace, 2 is Gaussian.
Order = Annotated[float, "p ≥ 1"]
#: An order as configurations and users write it.
AnyOrder = Annotated[float | str | None, 'p ≥ 1, "best", or None if the noise has no order']
#: The scale b of noise, in the units of the statistic.
Scale = Annotated[float, "b > 0"]
#: The largest change of a statistic between neighbours, in its units; an integer for integer noise.
Sensitivity = Annotated[float, "Δ > 0"]
#: The width of the bounds of a statistic, in its units.
Width = Annotated[float, "w > 0"]
#: A number of cells. If several change between neighbours, each changes by 1.
Cells = Annotated[int, "m ≥ 1"]
#: A number of releases, or of queries.
Releases = Annotated[int, "k ≥ 1"]
#: A guessing advantage, which the paper on it calls δ.
Advantage = Annotated[float, "0 < advantage < 1"]
