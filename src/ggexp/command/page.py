"""The page that explains a release to the person who must approve its publication."""

from decimal import ROUND_CEILING, Decimal
from html import escape
from math import exp
from string import Template
from typing import Any

from ggexp.command.release import guarantee_of

#: Largest number of characters of a factor's levels on the page, and of listed factors.
MAX_LEVELS_LENGTH, MAX_FACTORS = 120, 8

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Protection of $name</title>
<style>
@page { size: A4; margin: 12mm; }
body { font: 15px/1.45 system-ui, sans-serif; color: #1f2328; background: #fff; max-width: 46rem;
  margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 1rem 0 .2rem; border-bottom: 1px solid #8c959f; }
p, ul, table { margin: .35rem 0; }
ul { padding-left: 1.2rem; }
.answer { border: 2px solid #0b4a2c; padding: .5rem .8rem; font-size: 1.05rem; }
.none, .warning { border: 2px solid #74190a; padding: .5rem .8rem; }
th { text-align: left; font-weight: 600; padding: .1rem 1rem .1rem 0; vertical-align: top; }
td { padding: .1rem 0; overflow-wrap: anywhere; }
.small { color: #424a53; font-size: .87em; }
@media print {
  body { font-size: 8.5pt; line-height: 1.3; margin: 0; padding: 0; max-width: none; }
  h1 { font-size: 13pt; }
  h2 { font-size: 10pt; margin-top: .5rem; }
  p, ul, table { margin: .2rem 0; }
  .answer { font-size: 10pt; }
  .answer, .none, .warning { padding: .2rem .5rem; }
  h2, li, tr, .answer, .warning { break-inside: avoid; }
}
</style>
</head>
<body>
<h1>How $name protects people</h1>
$answer
$warnings
<h2>In plain words</h2>
$words
<h2>Who is protected, and who is not</h2>
<ul>
$limits
</ul>
<h2>How accurate the counts are</h2>
$accuracy
<h2>What was published</h2>
<table>
$design
</table>
<h2>Method</h2>
$method
<p class="small">This page, the statement in $statement, and the rows and columns of $name follow
from the declared design and the noise. They do not depend on the true counts$total. Made by
$made_by.</p>
</body>
</html>
""")

#: The publications of the families of noise, by the names of their rules.
_SOURCES = {
    "pure-integer": "A. Ghosh, T. Roughgarden, M. Sundararajan: Universally utility-maximizing "
    "privacy mechanisms. STOC 2009.",
    "adp-optimal": "J. Awan, A. Ramasethu: Optimizing noise for f-differential privacy via "
    "anti-concentration and stochastic dominance. arXiv 2308.08343.",
}
_PAPER = (
    "F. Liu: Generalized Gaussian mechanism for differential privacy. IEEE Transactions on "
    "Knowledge and Data Engineering 31 (2019) 747–756, doi 10.1109/TKDE.2018.2845388."
)
_DEFINITION = (
    "C. Dwork, F. McSherry, K. Nissim, A. Smith: Calibrating noise to sensitivity in private data "
    "analysis. TCC 2006."
)


def page_of(statement: dict[str, Any], name: str) -> str:
    """Return the page, in HTML, that explains the statement of a release.

    name: the name of the released file.
    The page has no scripts and refers to no other files, and fits on one printed sheet.
    """
    is_private = statement["guarantee"] is not None
    if is_private:
        answer = f'<p class="answer"><strong>{escape(_guarantee(statement))}</strong></p>'
    else:
        answer = (
            '<p class="none"><strong>This release protects nobody. It is an example, made with a '
            "known seed.</strong></p>"
        )
    return _PAGE.substitute(
        name=escape(name),
        statement=escape(f"{name.removesuffix('.csv')}.json"),
        answer=answer,
        warnings="\n".join(
            f'<p class="warning">Warning: {escape(text)}.</p>' for text in statement["warnings"]
        ),
        words="".join(f"<p>{escape(text)}</p>" for text in _words(statement)),
        limits="\n".join(f"<li>{escape(text)}</li>" for text in _limits(statement)),
        accuracy="".join(f"<p>{escape(text)}</p>" for text in _accuracy(statement)),
        design="\n".join(
            f"<tr><th>{escape(key)}</th><td>{escape(text)}</td></tr>"
            for key, text in _design(statement)
        ),
        method="".join(f"<p>{escape(text)}</p>" for text in _method(statement)),
        total=", except for the public total" if statement["total"] is not None else "",
        made_by=escape(statement["made_by"]),
    )


def _guarantee(statement: dict[str, Any]) -> str:
    """Return a sentence with the guarantee."""
    where = ""
    if statement["sampler"] != "exact":
        where = " The guarantee holds in exact arithmetic; see the warning."
    kind = (
        "differential privacy" if statement["delta"] is None else "approximate differential privacy"
    )
    change = (
        "one record that is replaced by another"
        if statement["neighbours"] == "replace-one"
        else "one record more or less"
    )
    values = guarantee_of(statement).partition(" at ")[2].rpartition(" (")[0]
    return f"The release satisfies {kind} with {values}, for {change}.{where}"


def _words(statement: dict[str, Any]) -> list[str]:
    """Return what the guarantee means for one person."""
    if statement["guarantee"] is None:
        return ["Anybody who knows the seed can subtract the noise and read the true counts."]
    epsilon, delta = statement["epsilon"], statement["delta"] or 0.0
    guess = (1 + delta * exp(-epsilon)) / (1 + exp(-epsilon))
    if statement["neighbours"] == "replace-one":
        start = "If one person had answered differently"
        question = "which of two answers somebody gave"
    else:
        start = "If one person were not in the data"
        question = "whether somebody is in the data"
    odds = _up(exp(epsilon)) if epsilon < 100 else f"e^{epsilon:g}"
    exception = f", except with a probability of about {_up(delta)}" if delta else ""
    return [
        f"{start}, the probability of every possible release would change at most by the factor "
        f"e^ε = {odds}{exception}.",
        f"Somebody who tosses a coin to guess {question} is right in 50 % of cases. With the "
        f"release, the guess is right in at most {_up(100 * guess, 4)} % of cases, whatever else "
        "this person knows and computes.",
    ]


def _limits(statement: dict[str, Any]) -> list[str]:
    """Return whom and what the guarantee covers, and what it does not cover."""
    limits = []
    if statement["guarantee"] is not None:
        limits.append("Protected: every person with one record in the data, to the degree above.")
    limits += [
        "Less protected: a person with several records. With two of them, ε doubles.",
        "Not protected: what is true of whole groups. The release is meant to show it, and it can "
        "be used to guess the answers of people who are not in the data.",
        "Not covered: the factors and their levels, which are assumed public.",
    ]
    if statement["levels_from_file"]:
        names = ", ".join(statement["levels_from_file"])
        limits.append(
            f"Not covered: that a level of {names} occurs. These levels were taken from the file. "
            "A level that only one person has reveals that somebody has it."
        )
    if statement["total"] is not None:
        limits.append(
            "Not covered: the total, which is published, and whether somebody is in the data."
        )
    limits.append(
        "Not covered: other releases of the same data. Their ε and their δ add up with those above."
    )
    return limits


def _accuracy(statement: dict[str, Any]) -> list[str]:
    """Return the error of a count in words."""
    sd = f"The noise on a count has a standard deviation of {statement['sd']:.3g}."
    ends = [statement[f"error_of_{share}"] for share in ("19_in_20", "99_in_100")]
    if None not in ends:
        sd = (
            f"Of the counts, 19 of 20 are within ±{_up(ends[0], 4)} of the true count, and 99 of "
            f"100 within ±{_up(ends[1], 4)}. {sd}"
        )
    after = (
        "The counts were then rescaled to the total, which changes these numbers a little."
        if statement["total"] is not None
        else "Negative results were set to 0. Therefore sums over many cells that are empty or "
        "almost empty are too large."
    )
    return [sd, after]


def _design(statement: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the rows of the table that describes the design."""
    rows = [("cells", f"{statement['cells']:,}, each combination of the levels below")]
    for factor, levels in [*statement["levels"].items()][:MAX_FACTORS]:
        text = ", ".join(levels)
        if len(text) > MAX_LEVELS_LENGTH:
            text = f"{len(levels):,} levels: {text[:MAX_LEVELS_LENGTH].rpartition(',')[0]}, …"
        rows.append((factor, text))
    if (more := len(statement["levels"]) - MAX_FACTORS) > 0:
        rows.append(("more", f"{more:,} other factors, in the statement"))
    if statement["totals"]:
        rows.append(
            (
                "totals",
                f"are published too: one record counts in up to {statement['cells_per_record']} "
                "cells, which the guarantee above covers",
            )
        )
    if statement["total"] is not None:
        rows.append(("total", f"{statement['total']:,}, published exactly"))
    return rows


def _method(statement: dict[str, Any]) -> list[str]:
    """Return the method and its sources."""
    kind = "whole-number" if statement["whole_number_noise"] else "real-valued"
    values = f"ε = {statement['epsilon_of_a_count']:.15g}"
    if statement["delta_of_a_count"] is not None:
        values += f" and δ = {statement['delta_of_a_count']:.15g}"
    drawn = (
        "It was drawn exactly, from random bits of the operating system"
        if statement["sampler"] == "exact"
        else "It was drawn in floating point"
    )
    sources = [_DEFINITION, _SOURCES.get(statement["calibration"], ""), _PAPER]
    return [
        f"Independent {kind} noise was added to each count, by the rule {statement['calibration']} "
        f"with {values} for one count. {drawn}. The results: {statement['counts']}.",
        "Sources: " + " ".join(filter(None, sources)),
    ]


def _up(number: float, digits: int = 3) -> str:
    """Return a number >= 0, rounded up to a number of significant digits."""
    exact = Decimal(number)
    if not exact:
        return "0"
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - digits), ROUND_CEILING)
    return f"{float(rounded):,.15g}"
