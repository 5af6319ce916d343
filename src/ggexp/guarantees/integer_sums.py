"""The distribution of a sum of many independent whole numbers, with a checked numerical error.

The sum of m numbers has the characteristic function φ^m. Its values at the frequencies 2πj/N give
the distribution of the sum modulo N. N is large enough that the sum lies outside a window of N
values only with negligible probability. Therefore a tail is a finite sum over j. If N is large,
φ^m is negligible at nearly all frequencies, so that the sum over j has few terms.
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

#: The largest allowed error of a tail.
ERROR = 1e-9
#: The largest error of a tail that each omitted part may cause.
NEGLIGIBLE = 1e-12
#: A bound on the rounding errors of ln φ, from exponentials, sums and Fourier transforms.
ROUNDING = 64 * 2.0**-53
#: In windows of up to this size, a Fourier transform computes φ at all frequencies.
SMALL_WINDOW = 2**18
#: In larger windows, it does so only if more frequencies than this are relevant.
MAX_FREQUENCIES = 1024


@dataclass(frozen=True, eq=False)
class IntegerSum:
    """The sum of independent, identically distributed whole numbers X >= 0.

    tails: Pr(X > k) for k = 0, 1, …, descending to 0.
    terms: m >= 1, the number of terms.
    """

    tails: NDArray[np.float64]
    terms: int

    @property
    def mean(self) -> float:
        """Expectation of the sum."""
        return self.terms * float(self.tails.sum())

    def tail(self, x: float) -> float:
        """Return Pr(sum > x), with an error of at most `ERROR`.

        Raises ValueError if rounding may cause a larger error, because of too many terms or values.
        """
        first, size = self._window
        steps = floor(x) + 1 - first
        if steps <= 0:
            return 1.0
        if steps >= size:
            return 0.0
        frequencies, weights = self._inversion_weights
        factors = np.exp(-2j * pi / size * (frequencies * steps % size)) - 1
        probability = (size - steps) / size + float((weights * factors).real.sum())
        return min(1.0, max(0.0, probability))

    def upper_point(self, probability: float) -> int:
        """Return the smallest t with Pr(sum > t) <= probability, which lies in (0, 1)."""
        first, size = self._window
        smaller = range(first, first + size - 1)
        return first + bisect_left(smaller, True, key=lambda t: self.tail(t) <= probability)

    @cached_property
    def _cut_tails(self) -> NDArray[np.float64]:
        """The tails, cut where the probability that any term is larger is negligible."""
        end = int(np.argmax(self.terms * self.tails <= NEGLIGIBLE))
        return np.append(self.tails[:end], 0.0)

    @cached_property
    def _probabilities(self) -> NDArray[np.float64]:
        """Pr(X = k), from the cut tails."""
        return -np.diff(self._cut_tails, prepend=1.0)

    @cached_property
    def _window(self) -> tuple[int, int]:
        """The first value and the size, a power of two, of a window that contains the sum.

        The sum lies outside the window with negligible probability, by Chernoff's bound. For the
        upper end, the best of several exponents s is used.
        """
        values = np.arange(self._cut_tails.size, dtype=np.float64)
        largest = self.terms * (values.size - 1)
        mean = float(values @ self._probabilities)
        mean_square = float(values**2 @ self._probabilities)
        exponent = -log(NEGLIGIBLE)
        sd = sqrt(max(self.terms * (mean_square - mean**2), 1e-300))
        # lower end: E e^(-sX) <= exp(-s EX + s² EX²/2)
        low = max(0, floor(self.terms * mean - sqrt(2 * exponent * self.terms * mean_square)))
        high = float(largest)
        for s in sqrt(2 * exponent) / sd * 2.0 ** -np.arange(8):
            if s * values[-1] < 700:
                excess = float(np.expm1(s * values) @ self._probabilities)
                high = min(high, (self.terms * np.log1p(excess) + exponent) / s)
        size = max(1, ceil(high) - low + 1)
        return low, 2 ** max(1, (size - 1).bit_length())

    @cached_property
    def _inversion_weights(self) -> tuple[NDArray[np.int64], NDArray[np.complex128]]:
        """The relevant frequencies j, and the weights of their terms in a tail.

        The weights are 2 φ^m e^(-iθ first) / (1 - e^(-iθ)) / N with θ = 2πj/N. The formula
        φ = 1 - (1 - e^(iθ)) Σ Pr(X > k) e^(iθk) keeps all digits if φ is close to 1.
        """
        first, size = self._window
        frequencies = np.arange(1, self._last_frequency(size) + 1)
        angles = 2 * pi / size * frequencies
        step = -np.expm1(1j * angles)
        deviation = step * self._transform(frequencies, size)
        is_near_1 = np.abs(deviation) < 0.5  # where log |φ| would lose digits
        log_modulus = np.log(np.maximum(np.abs(1 - deviation), 1e-300))
        small = deviation[is_near_1]
        log_modulus[is_near_1] = 0.5 * np.log1p(np.abs(small) ** 2 - 2 * small.real)
        is_relevant = self.terms * log_modulus > log(NEGLIGIBLE) - 2 * log(size)
        frequencies, angles, step, deviation, log_modulus = (
            array[is_relevant] for array in (frequencies, angles, step, deviation, log_modulus)
        )
        phase = np.arctan2(-deviation.imag, 1 - deviation.real)
        shift = 2 * pi / size * (frequencies * first % size)
        powers = np.exp(self.terms * (log_modulus + 1j * phase) - 1j * shift)
        weights = powers / np.conj(step) / size
        weights[frequencies < size / 2] *= 2  # includes the complex conjugate, at N - j
        # the root mean square error of a Fourier transform over j, and the errors of later steps
        errors = np.abs(step) * np.linalg.norm(self._cut_tails) + np.abs(deviation)
        log_errors = errors * np.exp(-log_modulus)
        rounding = 2 * ROUNDING * float(np.abs(weights) @ (1 + self.terms * log_errors))
        if rounding + 4 * NEGLIGIBLE > ERROR:
            raise ValueError(
                f"for a sum of {self.terms:,} terms with up to {self._cut_tails.size:,} values, a "
                f"tail must have an error of at most {ERROR:g}, got {rounding:.1g}: use fewer "
                "terms or a larger epsilon"
            )
        return frequencies, weights

    def _transform(self, frequencies: NDArray[np.int64], size: int) -> NDArray[np.complex128]:
        """Return Σ Pr(X > k) e^(iθk) at each frequency."""
        if frequencies.size == size // 2:
            folded = np.zeros(-(-self._cut_tails.size // size) * size)
            folded[: self._cut_tails.size] = self._cut_tails
            return np.conj(np.fft.rfft(folded.reshape(-1, size).sum(axis=0)))[frequencies]
        width = ceil(sqrt(self._cut_tails.size))  # e^(iθk) is a product if k = row * width + column
        table = np.zeros(width * width)
        table[: self._cut_tails.size] = self._cut_tails
        columns = frequencies[:, None] * np.arange(width)
        column_factors, row_factors = (
            np.exp(2j * pi / size * (multiples % size)) for multiples in (columns, columns * width)
        )
        rows = column_factors @ table.reshape(width, width).T
        return np.einsum("jr,jr->j", row_factors, rows)

    def _last_frequency(self, size: int) -> int:
        """Return a j beyond which all frequencies together are negligible, or N/2.

        For k >= 1, Pr(X = k) is Σ w_n/n over n >= k, a mixture with weights w_n of the uniform
        distributions on 1, …, n. At angles >= θ, the characteristic function of such a uniform
        distribution is at most sin(nθ/2)/(n sin(θ/2)) if nθ <= π, and otherwise at most
        1/(n sin(θ/2)). The weight of frequency j is at most |φ|^m/j. Therefore the sum of the
        weights is below 2 ln N times the largest |φ|^m.
        """
        if size <= SMALL_WINDOW:
            return size // 2
        q = self._probabilities
        n = np.arange(1, q.size, dtype=np.float64)
        weights = n * np.abs(np.diff(q[1:], append=0.0))
        last = 16
        while last <= min(MAX_FREQUENCIES, size // 4):
            angle = 2 * pi / size * last
            peak = np.where(n * angle <= pi, np.sin(n * angle / 2), 1.0) / (n * np.sin(angle / 2))
            bound = q[0] + float(weights @ np.minimum(peak, 1))
            if self.terms * log(bound) + log(2 * log(size)) < log(NEGLIGIBLE):
                return last
            last *= 2
        return size // 2
