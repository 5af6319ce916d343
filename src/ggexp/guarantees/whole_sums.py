"""The exact distribution of a sum of many independent whole numbers, with a checked error.

The sum of m numbers has the characteristic function φ^m. Frequencies 2πj/N give the distribution of
the sum modulo N. N is chosen so large that the sum leaves a window of N values with a negligible
probability. Therefore a tail is a finite sum over j. If N is large, φ^m is negligible at nearly all
of these frequencies, and the others are few.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from ggexp import checks

#: The largest error of a tail.
ERROR = 1e-9
#: The largest contribution of each omitted part of a tail to its error.
NEGLIGIBLE = 1e-12
#: Errors of logarithms of φ, in units of rounding: of exponentials, sums and Fourier transforms.
ROUNDING = 64 * 2.0**-53
#: In windows of up to this size, a Fourier transform gives φ at all frequencies.
TRANSFORMED = 2**18
#: It also does in a larger window, if more frequencies than this matter.
MAX_FREQUENCIES = 1024


@dataclass(frozen=True, eq=False)
class WholeSum:
    """The sum of independent whole numbers >= 0 of one distribution.

    tails: Pr(X > k) of one of them for k = 0, 1, …, descending to 0.
    terms: m >= 1, the number of terms.
    """

    tails: NDArray[np.float64]
    terms: int

    def __post_init__(self) -> None:
        checks.count("terms", self.terms)

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
        frequencies, weights = self._inverted
        turned = np.exp(-2j * pi / size * (frequencies * steps % size)) - 1
        found = (size - steps) / size + float((weights * turned).real.sum())
        return min(1.0, max(0.0, found))

    def point(self, probability: float) -> int:
        """Return the smallest t with Pr(sum > t) <= probability, which lies in (0, 1)."""
        first, size = self._window
        low, high = first - 1, first + size - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.tail(middle) <= probability else (middle, high)
        return high

    @cached_property
    def _kept(self) -> NDArray[np.float64]:
        """The tails of one number, cut where the probability of a larger term is negligible."""
        end = int(np.argmax(self.terms * self.tails <= NEGLIGIBLE))
        return np.append(self.tails[:end], 0.0)

    @cached_property
    def _probabilities(self) -> NDArray[np.float64]:
        """Pr(X = k) from the kept tails."""
        return -np.diff(self._kept, prepend=1.0)

    @cached_property
    def _window(self) -> tuple[int, int]:
        """The first value of a window that the sum hardly leaves, and its size, a power of two.

        It follows from Chernoff's bound, at some of the points at which it may be the closest.
        """
        values = np.arange(self._kept.size, dtype=np.float64)
        most = self.terms * (values.size - 1)
        mean = float(values @ self._probabilities)
        second = float(values**2 @ self._probabilities)
        needed = -log(NEGLIGIBLE)
        sd = sqrt(max(self.terms * (second - mean**2), 1e-300))
        # below: E e^(-sX) <= exp(-s EX + s² EX²/2)
        low = max(0, floor(self.terms * mean - sqrt(2 * needed * self.terms * second)))
        high = float(most)
        for s in sqrt(2 * needed) / sd * 2.0 ** -np.arange(8):
            if s * values[-1] < 700:
                excess = float(np.expm1(s * values) @ self._probabilities)
                high = min(high, (self.terms * np.log1p(excess) + needed) / s)
        size = max(1, ceil(high) - low + 1)
        return low, 2 ** max(1, (size - 1).bit_length())

    @cached_property
    def _inverted(self) -> tuple[NDArray[np.int64], NDArray[np.complex128]]:
        """The j at which φ^m matters, and 2 φ^m e^(-iθ first) / (1 - e^(-iθ)) / N, θ = 2πj/N.

        φ = 1 - (1 - e^(iθ)) Σ Pr(X > k) e^(iθk) loses no digit if φ is close to 1.
        """
        first, size = self._window
        frequencies = np.arange(1, self._last_frequency(size) + 1)
        angles = 2 * pi / size * frequencies
        step = -np.expm1(1j * angles)
        away = step * self._transform(frequencies, size)
        near = np.abs(away) < 0.5  # there the logarithm of 1 - away would lose digits
        log_size = np.log(np.maximum(np.abs(1 - away), 1e-300))
        log_size[near] = 0.5 * np.log1p(np.abs(away[near]) ** 2 - 2 * away.real[near])
        matters = self.terms * log_size > log(NEGLIGIBLE) - 2 * log(size)
        frequencies, angles, step, away, log_size = (
            array[matters] for array in (frequencies, angles, step, away, log_size)
        )
        turn = np.arctan2(-away.imag, 1 - away.real)
        start = 2 * pi / size * (frequencies * first % size)
        weights = np.exp(self.terms * (log_size + 1j * turn) - 1j * start) / np.conj(step) / size
        weights[frequencies < size / 2] *= 2  # and the complex conjugate, at N - j
        # the error of a Fourier transform, in root mean square over j, and of later steps
        of_logs = (np.abs(step) * np.linalg.norm(self._kept) + np.abs(away)) * np.exp(-log_size)
        rounding = 2 * ROUNDING * float(np.abs(weights) @ (1 + self.terms * of_logs))
        if rounding + 4 * NEGLIGIBLE > ERROR:
            raise ValueError(
                f"a sum of {self.terms:,} terms with up to {self._kept.size:,} values must have a "
                f"tail with an error of at most {ERROR:g}, got {rounding:.1g}: take fewer terms, "
                "or a larger epsilon"
            )
        return frequencies, weights

    def _transform(self, frequencies: NDArray[np.int64], size: int) -> NDArray[np.complex128]:
        """Return Σ Pr(X > k) e^(iθk) at each frequency."""
        if frequencies.size == size // 2:
            folded = np.zeros(-(-self._kept.size // size) * size)
            folded[: self._kept.size] = self._kept
            return np.conj(np.fft.rfft(folded.reshape(-1, size).sum(axis=0)))[frequencies]
        width = ceil(sqrt(self._kept.size))  # e^(iθk) of k = row width + column is a product
        table = np.zeros(width * width)
        table[: self._kept.size] = self._kept
        columns = frequencies[:, None] * np.arange(width)
        of_column, of_row = (
            np.exp(2j * pi / size * (turns % size)) for turns in (columns, columns * width)
        )
        rows = of_column @ table.reshape(width, width).T
        return np.einsum("jr,jr->j", of_row, rows)

    def _last_frequency(self, size: int) -> int:
        """Return a j beyond which φ^m is negligible at all frequencies together, or else N/2.

        Pr(X = k) for k >= 1 is Σ w_n/n over n >= k, a mixture with weights w_n of uniform
        distributions on 1, …, n. At angles from θ on, the characteristic function of one of these
        is at most sin(nθ/2)/(n sin(θ/2)) if nθ <= π, and otherwise at most 1/(n sin(θ/2)). The
        weight of each frequency is at most |φ|^m/j, so that their sum is below 2 ln N times the
        largest |φ|^m.
        """
        if size <= TRANSFORMED:
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
