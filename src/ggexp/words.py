"""How numbers, long texts and the names of mechanisms are written for people."""

import re
from decimal import ROUND_CEILING, Decimal

#: Largest number of characters of user input that a message shows.
MAX_SHOWN = 300
#: The verdicts on claims, in the order of tables. "not tested" is none: the results lack what the
#: claim needs.
VERDICTS = (
    *("confirmed", "by construction", "partly", "refuted", "misprint", "undecided"),
    *("not determinable", "not tested"),
)
#: Parts of mechanisms' names that are written differently in text.
_WORDS = {word.lower(): word for word in ("Laplace", "Gaussian", "GG", "GGM", "pDP", "aDP")}
#: Names of mechanisms in a text, but not in a path.
_MECHANISMS = re.compile(r"(?<![\w./-])(?:\w+-)*(?:laplace|gaussian|ggm?)(?:-\w+)*\b(?!/|\.[a-z])")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def mechanisms_in_words(text: str) -> str:
    """Return a text in which mechanisms have the names that people read, such as Gaussian-pDP.

    Only the case of names with a known word differs; a path stays as it is.
    """
    return _MECHANISMS.sub(
        lambda name: "-".join(_WORDS.get(word, word) for word in name[0].split("-")), text
    )


def rounded(number: float, digits: int, rounding: str = ROUND_CEILING) -> float:
    """Return a finite number with fewer significant digits, by default rounded up.

    The shortest decimal that is read as the number is rounded: 0.05 stays 0.05.
    """
    exact = Decimal(exactly(number))
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - digits), rounding))


def up(number: float, digits: int = 3) -> str:
    """Return a computed number as text, rounded up."""
    return f"{rounded(number, digits):,.15g}"


def in_ten_digits(number: float) -> float:
    """Return a number as the tables of results have it."""
    return float(f"{number:.10g}")


def exactly(number: float) -> str:
    """Return a given number as text: the shortest decimal that is read as this number."""
    return repr(float(number)).removesuffix(".0")


def parameters(epsilon: float, delta: float | None) -> str:
    """Return the given ε and, unless it is None or 0, the given δ as text."""
    return f"ε = {exactly(epsilon)}" + (f" and δ = {exactly(delta)}" if delta else "")


def in_words(number: float, digits: int | None = None) -> str:
    """Return a number in readable form: 20,000, 0.05, 4.7·10²⁵, or 10⁻⁵.

    digits: the number of significant digits, None for all.
    """
    if digits is not None:
        number = float(f"{number:.{digits}g}")
    if isinstance(number, int) or (number.is_integer() and abs(number) >= 1000):
        whole = int(number)
        text = f"{whole:,}" if abs(whole) < 10**12 else f"{Decimal(whole):.1e}"
    else:
        text = f"{number:g}"
    mantissa, *exponents = text.split("e")
    if not exponents:
        return text
    power = "10" + str(int(exponents[0])).translate(_SUPERSCRIPTS)
    return power if mantissa == "1" else f"{mantissa}·{power}"


def shortened(text: object) -> str:
    """Return the text, cut off if it is too long for a message."""
    whole = str(text)
    return whole if len(whole) <= MAX_SHOWN else f"{whole[:MAX_SHOWN]} …"
