"""Apply functions of single numbers to arrays of ε and δ.

This takes a loop, because each element needs its own root search.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Types whose values are single numbers. Values of other types need the slower `are_arrays`.
SCALAR_TYPES = (float, int)

#: An array of numbers, or a (nested) sequence of numbers.
Array = NDArray[Any] | Sequence[Any]


def are_arrays(*values: Any) -> bool:
    """Return whether any of the values has a dimension, like an array, a list or a Series."""
    return any(np.ndim(value) > 0 for value in values)


def map_elements(function: Callable[..., float], **arguments: Any) -> NDArray[np.float64]:
    """Return the function's value at each element of the broadcast arguments.

    function: takes Python numbers as keyword arguments, with the names in ``arguments``.
    arguments: numbers, None, or arrays.
    Raises ValueError if the shapes do not broadcast, and any error that the function raises.
    """
    names = list(arguments)
    try:
        arrays = np.broadcast_arrays(
            *(np.asarray(value, dtype=object) for value in arguments.values())
        )
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in arguments.items())
        raise ValueError(f"arrays must have shapes that broadcast, got {shapes}") from None
    results = np.empty(arrays[0].shape)
    for index in np.ndindex(results.shape):
        results[index] = function(
            **{name: array[index] for name, array in zip(names, arrays, strict=True)}
        )
    return results
