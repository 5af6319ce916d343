"""Arrays of ε and δ for functions of single numbers: a loop, because each root is its own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Types of single numbers. For other types the slower `are_arrays` decides.
PLAIN = (float, int)

#: An array of numbers, or a sequence (of sequences) of them.
Array = NDArray[Any] | Sequence[Any]


def are_arrays(*values: Any) -> bool:
    """Return whether any of the values has a dimension, as an array, a list or a Series has."""
    return any(np.ndim(value) > 0 for value in values)


def each(function: Callable[..., float], **arguments: Any) -> NDArray[np.float64]:
    """Return the function's value at each element of arrays, in the shape to which they broadcast.

    function: takes Python numbers, named as in ``arguments``. arguments: numbers, None, or arrays.
    Raises ValueError if shapes do not broadcast, and the errors of the function.
    """
    names = list(arguments)
    try:
        values = np.broadcast_arrays(*(np.asarray(one, dtype=object) for one in arguments.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(one)}" for name, one in arguments.items())
        raise ValueError(f"arrays must have shapes that broadcast, got {shapes}") from None
    found = np.empty(values[0].shape)
    for place in np.ndindex(found.shape):
        found[place] = function(**{name: v[place] for name, v in zip(names, values, strict=True)})
    return found
