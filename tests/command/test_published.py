"""What `ggexp sanitize` publishes depends on the true counts through their noise alone.

Two tables are neighbours if one of them has one record more or, if the total is public, if one
record is replaced by another. The noise is replaced by given numbers.
"""

import csv
import itertools
import json
import re
import shlex
from collections import defaultdict
from contextlib import chdir
from fractions import Fraction
from functools import cache
from math import exp, prod
from pathlib import Path

import numpy as np
import pytest
import yaml
from conftest import done, refused, save

from ggexp import Mechanism
from ggexp.datasets.table import Table
from ggexp.guarantees.advantage import best_guess
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.guarantee import of_group
from ggexp.releases import noisy_counts
from ggexp.releases.noisy_counts import release_counts

SEXES, REGIONS = ["f", "m"], ["north", "east", "south"]
CELLS = [*itertools.product(SEXES, REGIONS)]
LEVELS = ["--levels", "sex=f,m", "--levels", "region=north,east,south"]
COUNTED = ["--factors", "sex,region", "--count", "n"]
DECLARED = [*COUNTED, *LEVELS]
WORD = ["--no-totals"]
#: Pairs of random neighbours for each variant of the options.
PAIRS = 4


def long_form(counts, rng, *, all_rows=False, totals=False, mark=""):
    """Return a file with a row per cell, in random order; empty cells have a row or not."""
    rows = [
        [sex, region, f"{count}{mark}", "extra"]
        for (sex, region), count in zip(CELLS, counts, strict=True)
        if count or all_rows or rng.random() < 0.5
    ]
    if totals:
        for sex in SEXES:
            total = sum(c for (s, _), c in zip(CELLS, counts, strict=True) if s == sex)
            rows.append([sex, "Total", f"{total}{mark}", "extra"])
    rng.shuffle(rows)
    return [["sex", "region", "n", "x"], *rows]


def wide_form(counts, rng, **_):
    table = np.reshape(counts, (2, 3)).tolist()
    return [["sex", *REGIONS], *([sex, *row] for sex, row in zip(SEXES, table, strict=True))]


def record_form(counts, rng, **_):
    """Return a file with a line per record, in random order, with an age that is always 30."""
    rows = [[*cell, 30] for cell, count in zip(CELLS, counts, strict=True) for _ in range(count)]
    rng.shuffle(rows)
    return [["sex", "region", "age"], *rows]


COUNTS_CONFIG = {
    **{"mechanisms": ["laplace"], "counts": "elsewhere.csv", "count": "n", "total": 5},
    "factors": {"sex": ["m", "f"], "region": ["south", "north", "east"]},
}
COLUMNS = {"sex": {"levels": ["f", "m"]}, "region": {"levels": ["east", "north", "south"]}}
COLUMNS |= {"age": {"from": 0, "to": 90, "width": 45}}
RECORDS_CONFIG = {
    "mechanisms": ["laplace"],
    "records": {"file": "elsewhere.csv", "header": True, "columns": COLUMNS},
}
PUBLIC_CONFIG = COUNTS_CONFIG | {"release": {"total": "public"}}
IGNORED = ["--ignore", "x"]
OPTIONS = "--decimal , --delta 0.01 --output other.csv --json"
RULE = "--calibration pdp --order 2 --delta 0.1 --epsilon 20"
TWO = ["--tables", "sex,region", "--tables", "sex"]
FILES = [*IGNORED, "--levels-from-file", *WORD]
TWO_WAY = ["--tables", "two-way", "--consistent", "--output", "both.csv"]
TABLES = {"tables": 2, "tables from file": 2, "consistent": 3}
#: For each variant: the form of the file, its settings, and the options.
VARIANTS = {
    "declared": (long_form, {}, [*DECLARED, *IGNORED]),
    "from file": (long_form, {"all_rows": True}, [*COUNTED, *FILES]),
    "wide": (wide_form, {}, ["--factors", "sex", "--wide", "region", *LEVELS]),
    "wide from file": (wide_form, {}, ["--factors", "sex", "--wide", "region", *FILES[2:]]),
    "records": (record_form, {}, ["--tables", "sex,region", *LEVELS]),
    "configuration": (long_form, {}, ["--config", COUNTS_CONFIG, *IGNORED, *WORD]),
    "bins": (record_form, {}, ["--config", RECORDS_CONFIG]),
    "totals": (long_form, {"totals": True}, [*DECLARED, *IGNORED, *WORD, "--totals", "Total"]),
    "kept totals": (
        long_form,
        {"totals": True, "all_rows": True},
        [*COUNTED, *FILES, "--totals", "Total", "--keep-totals"],
    ),
    "options": (long_form, {"mark": ",0"}, [*DECLARED, *IGNORED, *OPTIONS.split()]),
    "rule": (long_form, {}, [*DECLARED, *IGNORED, *RULE.split()]),
    "rescale": (long_form, {}, [*DECLARED, *IGNORED, *WORD, "--rescale"]),
    "public": (long_form, {}, ["--config", PUBLIC_CONFIG, *IGNORED, *WORD]),
    "tables": (record_form, {}, ["--tables", "sex,region", "--tables", "region", *LEVELS]),
    "tables from file": (record_form, {}, [*TWO, "--levels-from-file", *WORD]),
    "consistent": (record_form, {}, ["--config", RECORDS_CONFIG, *TWO_WAY]),
    "seed": (long_form, {}, [*DECLARED, *IGNORED, "--seed", 3]),
}


def fixed_noise(monkeypatch, noise):
    """Add given numbers to the counts, again from the first one for each release."""

    def samplers(noises, *_):
        values = itertools.cycle(noise)
        return [lambda size: np.fromiter(values, int, size)] * len(noises)

    monkeypatch.setattr(noisy_counts, "samplers", samplers)


def publish(call, folder, rows, options):
    """Return the name and the content of each published file, with its counts masked, or None.

    None: the command refuses the table; then it has written nothing.
    """
    folder.mkdir()
    with chdir(folder):
        with open("t.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        words = ["design.yaml" if isinstance(word, dict) else word for word in options]
        for design in (word for word in options if isinstance(word, dict)):
            Path("design.yaml").write_text(yaml.safe_dump({"histograms": {"t": design}}))
        epsilon = [] if "--epsilon" in words else ["--epsilon", 0.7]
        code, _, _ = call("sanitize", "t.csv", *words, *epsilon)
    written = {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.name not in ("t.csv", "design.yaml")
    }
    assert bool(written) == (code == 0)
    return {
        name: masked(content) if name.endswith(".csv") else content
        for name, content in written.items()
    } or None


def masked(content):
    return tuple(tuple(row[:-1]) for row in csv.reader(content.decode().splitlines()))


def neighbours(rng, *, replaced):
    counts = rng.poisson(rng.choice([0.7, 3, 40]), len(CELLS))
    counts[rng.integers(len(CELLS))] += 2
    other = counts.copy()
    other[rng.integers(len(CELLS))] += 1
    if replaced:
        other[rng.choice(np.flatnonzero(counts))] -= 1
    return counts.tolist(), other.tolist()


@pytest.mark.parametrize("variant", VARIANTS)
def test_neighbours_publish_the_same_but_for_the_noisy_counts(variant, call, tmp_path, monkeypatch):
    form, settings, options = VARIANTS[variant]
    rng = np.random.default_rng(len(variant))
    compared = 0
    for pair in range(PAIRS):
        fixed_noise(monkeypatch, rng.integers(-3, 4, 7))
        published = [
            publish(call, tmp_path / f"{pair}-{i}", form(counts, rng, **settings), options)
            for i, counts in enumerate(neighbours(rng, replaced=variant in ("rescale", "public")))
        ]
        if None not in published:
            assert published[0] == published[1]
            assert len(published[0]) == 2 + TABLES.get(variant, 1)
            compared += 1
    never_refused = WORD[0] in options and "--levels-from-file" not in options
    assert compared >= (PAIRS if never_refused else 3)


def test_a_refusal_that_is_overruled_leaves_no_trace(call, tmp_path, monkeypatch):
    """The word that there are no totals is not published, although the counts may suggest it."""
    fixed_noise(monkeypatch, [1])
    rows = long_form([5, 8, 13, 2, 9, 4], np.random.default_rng(1))
    published, overruled = (
        publish(call, tmp_path / str(len(word)), rows, [*DECLARED, *IGNORED, *word])
        for word in ([], WORD)
    )
    assert published == overruled is not None


SMALL = [counts for counts in itertools.product(range(5), repeat=3) if sum(counts) <= 4]


@pytest.mark.parametrize("level", ["both parents", "x"])
def test_all_tables_with_three_cells_and_at_most_four_records(level, call, tmp_path, monkeypatch):
    """They all publish the same, so each pair of neighbours does; the noise is 0.

    The name of the first level is that of a total, or not; the word of the owner decides.
    """
    fixed_noise(monkeypatch, [0])
    levels = [level, "mother", "father"]
    words = ["--no-totals"] if level != "x" else []
    options = ["--factors", "a", "--levels", f"a={','.join(levels)}", "--count", "n", *words]
    outcomes = set()
    for number, counts in enumerate(SMALL):
        rows = [["a", "n"], *([a, n] for a, n in zip(levels, counts, strict=True) if n)]
        if len(rows) > 1:
            files = publish(call, tmp_path / str(number), rows, options)
            outcomes.add(tuple(sorted(files.items())))
    assert len(outcomes) == 1


#: Order, calibration, ε and δ of integer-valued noise with small tails, and the largest value whose
#: outcomes are enumerated. Without an order, the calibration is the default.
RULES = {
    "pure": (None, "pure-integer", 2, None, 8),
    "optimal": (None, "adp-optimal", 1, 0.1, 4),
    "gaussian": (2, "adp-exact-integer", 2, 0.1, 7),
}
#: The options, and chains of neighbours: pairs, and three tables with the same change twice.
CASES = {
    "two cells": ([], [((0, 0), (1, 0), (2, 0)), ((1, 0), (1, 1)), ((4, 1), (5, 1))]),
    "three cells": ([], [((0, 0, 0), (0, 1, 0), (0, 2, 0)), ((3, 2, 5), (3, 2, 6))]),
    "a total": (
        ["--totals", "Total", "--keep-totals"],
        [((0, 0), (1, 0), (2, 0)), ((2, 1), (2, 2))],
    ),
    "replaced": (["--rescale"], [((2, 0), (1, 1), (0, 2)), ((5, 4), (4, 5))]),
    "replaced of three": (["--rescale"], [((2, 1, 0), (1, 1, 1), (0, 1, 2))]),
}

#: The denominator of all probabilities of one cell's noise.
BITS = 2**257


def budget_of(order, calibration, epsilon, delta):
    words = ["--epsilon", epsilon] + ([] if delta is None else ["--delta", delta])
    return words + ([] if order is None else ["--order", order, "--calibration", calibration])


def probabilities(noise, last):
    """Return Pr(K = k) for |k| <= last as fractions, from bounds in exact arithmetic.

    Also returns a bound on the probability of outcomes of which the neighbour may have others.
    """
    tails = [
        Fraction(2 * tail.high, BITS) for tail in itertools.islice(noise.exact_tails(256), last + 1)
    ]
    tails += [Fraction(0)] * (last + 1 - len(tails))
    p = [1 - tails[0], *((a - b) / 2 for a, b in itertools.pairwise(tails))]
    return {k: p[abs(k)] for k in range(-last, last + 1)}, tails[last - 2]


def distribution(files, released, probabilities):
    """Return outcome -> its weight, a whole number, for everything that is published of a table.

    The outcome None has the weight of all noise that is not enumerated. Sums of whole numbers are
    exact, and much faster than those of fractions.
    released: a function of the noise of all cells, whose probabilities are given for each cell.
    """
    published, outcomes = tuple(sorted(files.items())), defaultdict(int)
    parts = [{k: int(BITS * p) for k, p in cell.items()} for cell in probabilities]
    for noise in itertools.product(*parts):
        if weight := prod(part[k] for part, k in zip(parts, noise, strict=True)):
            outcomes[published, tuple(released(np.array(noise)))] += weight
    return outcomes | {None: BITS ** len(parts) - sum(outcomes.values())}


def exact_delta(p, q, epsilon):
    """Return the smallest δ at ε for two distributions, in both directions."""
    n, d = exp(epsilon).as_integer_ratio()
    excess = max(
        sum(max(0, d * one[o] - n * two.get(o, 0)) for o in one) for one, two in ((p, q), (q, p))
    )
    return excess / (d * sum(p.values()))


def check_the_sentences(first, second, third, statement, slack):
    """Check the numbers in the page's sentences on a guarantee, and return what is left of them.

    first, second, third: what is published of three tables, each with one more changed record.
    Returns by how much the largest probability of a right guess is below the stated one, and the δ
    of two records at 2ε, and the probability that the loss exceeds ε, both divided by the δ of one.
    """
    epsilon, delta = statement["epsilon"], statement["delta"] or 0.0
    budget = Budget(epsilon, delta)
    group, best = of_group(budget, 2), best_guess(budget)
    for one, two in ((first, second), (second, third)):
        assert exact_delta(one, two, epsilon) <= delta + slack
    guess = (1 + exact_delta(first, second, 0)) / 2
    assert guess <= best + slack
    of_two = exact_delta(first, third, group.epsilon)
    assert of_two <= group.delta + 2 * slack
    n, d = exp(epsilon).as_integer_ratio()
    exceeding = sum(weight for o, weight in first.items() if d * weight > n * second.get(o, 0))
    loss_exceeds = exceeding / sum(first.values())
    return best - guess, of_two / (delta or 1), loss_exceeds / (delta or 1)


def check_the_errors(statement, p):
    outside = 1 - sum(p.values())
    for share, error in (
        (1 / 20, statement["error_of_19_in_20"]),
        (1 / 100, statement["error_of_99_in_100"]),
    ):
        above, at_least = (sum(q for k, q in p.items() if abs(k) > e) for e in (error, error - 1))
        assert above + outside <= share < at_least + outside
    if outside < 1e-6:
        variance = sum(k**2 * q for k, q in p.items())
        assert statement["sd"] == pytest.approx(float(variance) ** 0.5, rel=1e-4)


@pytest.mark.parametrize(
    ("rule", "case"),
    [
        *(("pure", case) for case in CASES),
        *itertools.product(["optimal", "gaussian"], ["two cells", "a total", "replaced"]),
    ],
)
def test_everything_published_satisfies_the_statement(rule, case, call, tmp_path, monkeypatch):
    """The distribution of rows, columns, statement, page and counts is enumerated exactly.

    An ε that is smaller by a tenth is not enough.
    """
    options, chains = CASES[case]
    order, name, epsilon, delta, last = RULES[rule]
    rescaled, has_total = "--rescale" in options, "Total" in options
    names = [*"abc"[: len(chains[0][0])], *["Total"] * has_total]
    p, outside = probabilities(
        Mechanism(order, name).noise(epsilon=epsilon, delta=delta),
        last if len(names) == 2 else max(last - 2, 4),
    )
    levels = ["--levels", f"x={','.join(names)}"]
    words = ["--factors", "x", *levels, "--count", "n", *WORD, *options]
    words += budget_of(order, name, epsilon, delta)
    fixed_noise(monkeypatch, [0])

    @cache
    def outcomes_of(*counts):
        published = np.array([*counts, *[sum(counts)] * has_total])
        rows = [["x", "n"], *zip(names, published, strict=True)]
        files = publish(call, tmp_path / str(counts), rows, words)

        def released(drawn):
            return release_counts(published, lambda _: drawn, rescaled=rescaled)

        return distribution(files, released, [p] * len(names))

    slack, largest = len(names) * float(outside) + 1e-9, 0.0
    for chain in chains:
        outcomes = [outcomes_of(*counts) for counts in chain]
        statement = json.loads((tmp_path / str(chain[0]) / "t-release.json").read_text("utf-8"))
        allowed = (statement["delta"] or 0.0) + slack
        assert exact_delta(*outcomes[:2], statement["epsilon"]) <= allowed
        largest = max(largest, exact_delta(*outcomes[:2], 0.9 * statement["epsilon"]) - allowed)
        if len(chain) == 3:
            guess, of_two, _ = check_the_sentences(*outcomes, statement, slack)
    assert largest > 0
    check_the_errors(statement, p)
    if case == "two cells" and rule != "gaussian":  # the noise attains all of it
        assert guess == pytest.approx(0, abs=1e-3)
        assert (of_two > 1.5) is (delta is not None)


@pytest.mark.parametrize(
    ("rule", "weights", "is_consistent"),
    [
        pytest.param("pure", [1, 1], False, marks=pytest.mark.slow),
        # a fit for each of 14,641 outcomes; the case "consistent" above is fast
        pytest.param("optimal", [1, 1], True, marks=pytest.mark.slow),
        ("optimal", [1, 3], False),
        pytest.param("gaussian", [1, 1], False, marks=pytest.mark.slow),
    ],
)
def test_two_published_tables_satisfy_the_statement(
    rule, weights, is_consistent, call, tmp_path, monkeypatch
):
    """All files of two tables with two cells each, enumerated for a record that is added."""
    order, name, epsilon, delta, _ = RULES[rule]
    noisy = noisy_counts.released_noise(order, name, epsilon=epsilon, delta=delta, weights=weights)
    reach = [5 if weight == max(weights) else 8 for weight in weights]
    (first, missed), (second, missed_too) = map(probabilities, noisy.noises, reach)
    words = ["--tables", "a", "--tables", "b", "--levels", "a=x,y", "--levels", "b=x,y"]
    words += budget_of(order, name, epsilon, delta)
    words += ["--calibration", name] if order is None else []
    words += ["--weights", ",".join(map(str, weights)), *["--consistent"] * is_consistent]
    outcomes, drawn = [], np.zeros(4, int)
    fixed_noise(monkeypatch, drawn)
    for side in range(2 if is_consistent else 3):
        drawn[:] = 0
        rows = [["a", "b"], ["x", "x"], ["y", "x"], *[["x", "y"]] * side]
        files = publish(call, tmp_path / str(side), rows, words)
        tables = [
            Table({factor: ["x", "y"]}, [np.arange(2)], counts)
            for factor, counts in (("a", np.array([1 + side, 1])), ("b", np.array([2, side])))
        ]

        def released(noise, tables=tables):
            drawn[:] = noise
            counts = noisy_counts.release_tables(
                tables, noisy, seed=None, rescaled=False, is_consistent=is_consistent
            )
            return np.round(np.concatenate(counts), 6)

        outcomes.append(distribution(files, released, [first, first, second, second]))
    statement = json.loads((tmp_path / "0" / "t-release.json").read_text("utf-8"))
    slack = 2 * float(missed + missed_too) + 1e-9
    stated = statement["epsilon"], statement["delta"] or 0.0
    assert stated == (epsilon, delta or 0.0)
    assert exact_delta(*outcomes[:2], epsilon) <= stated[1] + slack
    if not is_consistent:
        assert exact_delta(*outcomes[:2], 0.8 * epsilon) > stated[1] + slack
        *_, exceeds = check_the_sentences(*outcomes, statement, slack)
        assert exceeds > 1.5 or delta is None  # δ does not bound the probability of a larger loss
    for each, p in zip(statement["tables"], (first, second), strict=True):
        check_the_errors(statement | each, p)


CROSSTAB = "Sex,Yes,No,Total\nF,71,310,381\nM,95,336,431\nTotal,166,646,812\n"
AGES = "age,n\nUnder 18,30\n0-4,10\n5-17,20\n18+,61\n"
WIDE = "region,yes,no,unsure,dk\nnorth,113,87,45,12\nsouth,87,{},3,2\n"
LOG = "--factors log --count n"
SEX, REGION = "--factors sex --count n", "--factors region --wide answer"
A, AB = "--factors a --count n", "--factors a,b --count n"
ABC = "--factors a,b,c --count n --levels a=0..100 --levels b=0..100 --levels c=0..100"
IN_STRATA = "1,x,120\n1,y,70\n1,z,50\n1,w,33\n2,x,131\n2,y,77\n2,z,54\n2,w,30\n"
WIDE_R, ANSWER = "--factors r --wide w", "--factors Sex --wide Answer"
#: Files, options with which they are refused, a pattern of the line and the value that the message
#: names, and options that settle it, or None.
REFUSED = [
    *(
        (WIDE.format(cell), REGION, f"line 3: no .*'{re.escape(cell)}'", None)
        for cell in ("<5", r"*", "..", "x", "12%", "1.000")
    ),
    (WIDE.format('""'), REGION, "line 3: no .*''", None),
    (WIDE.format("1 234"), REGION, "line 3: .*no .*'1 234'", "--thousands ' '"),
    ("region,yes,no\nnorth,13,8\nsouth,9,7\nnorth,4,5\n", REGION, "line 4: .*north", None),
    ("sex,n,%\nf,381,46.9\nm,431,53.1\n", SEX, "'%'", "--ignore %"),
    ("w,n\n379,381\n433,431\n", "--factors w --count n", "'w'", "--levels w=379,433"),
    ("s,n\n8.7 %,12\n91.3 %,125\n", "--factors s --count n", "'s'", "--levels 's=8.7 %,91.3 %'"),
    ("age,n\n1,31\n0,52\n3,19\n", "--factors age --count n", "'age'", "--levels age=0..3"),
    ("a,b,n\nx,,30\ny,*,3\nz,,41\n", AB, "line 2: .*b", None),
    ("a,n\nf (n=31),31\nm (n=52),52\n", A, r"'f \(n=31\)'", None),
    ("a,n=83\nf,31\nm,52\n", "--factors a --count n=83", "'n=83'", None),
    (CROSSTAB, "--factors Sex --count Total", "'Yes'", None),
    (CROSSTAB, ANSWER, "'Total'", "--totals Total"),
    (CROSSTAB, ANSWER, "'Total'", "--totals Total --keep-totals"),
    (AGES, "--factors age --count n", "'Under 18'", "--totals 'Under 18'"),
    (AGES, "--factors age --count n", "'Under 18'", "--no-totals"),
    ("a,n\nC,50\nC10,20\nC11,30\nD,7\n", A, "'C'", "--totals C"),
    ("a,n\nall,9\nx,5\ny,4\n", A, "'all'", "--totals all"),
    ("a,n\nmen,9\nof which young,5\nwomen,4\n", A, "'of which young'", "--totals 'of which young'"),
    ("a,n\nTotaal,9\nx,5\ny,4\n", A, "'Totaal'", "--totals Totaal"),
    ("a,n\nDE,51\nDE-BY,20\nDE-BE,30\nFR,7\n", A, "'DE'", "--totals DE"),
    ("a,n\n01,9\n0101,5\n0102,4\n", f"{A} --levels a=01,0101,0102", "'01'", "--totals 01"),
    ("a,n\n10k+,7\n20k+,4\n", A, r"'10k\+'", "--no-totals"),
    ("a,n\nEU,50\n- north,20\n- south,30\n", A, "'- north'", "--totals EU --no-totals"),
    ("a,n\njob,50\njob: x,20\njob: y,30\n", A, "'job' and of 'job: x'", "--totals job"),
    ("a,n\nf,381\nm,431\nu,300\nv,512\n", A, r"'u' \+ 'v' and of 'f' \+ 'm'", "--totals u,v"),
    ("a,n\nn,3084\ns,5028\nf,2011\nm,6101\n", A, r"'f' \+ 'm' and of 'n' \+ 's'", "--totals f,m"),
    (f"b,a,n\n{IN_STRATA}", AB, r"'x' and of 'y' \+ 'z'", "--totals x"),
    ("a,n\nx,83041\ny,62017\nz,21024\nw,33\n", A, r"'x' and of 'y' \+ 'z'", "--totals x"),
    ("r,yes,no,base\na,30,10,40\nb,21,20,41\n", WIDE_R, "'base'", "--totals base"),
    ("a,pct\nx,47\ny,50\n", "--factors a --count pct", "'pct'", None),
    ("a,n\nx,2\ny,1\nz,1\n", A, "'a'", "--levels a=x,y,z"),
    ("a,n\nx,2\ny,4\n", f"{A} --levels a=x", "line 3: .*a.*'y'", None),
    ("", A, "no records", None),
    ("a,b,c,n\n" + "".join(f"{i},{i},{i},2\n" for i in range(101)), ABC, "1,000,000", None),
    ("a,n\n,3\nx,2\n", A, "line 2: a must be a non-empty level", None),
    ("a,n\nx,-1\n", A, "line 2: n .*negative .*got '-1'", None),
    ("a,n\nx,9007199254740992\ny,1\n", A, "sum .*9007199254740993, at most", None),
    ("id,sex\n" + "".join(f"p{i},f\n" for i in range(9)), "--tables id", "'id'", None),
    ("a,n\n0.5,12\n1.5,13\n", A, "'a'", "--levels a=0.5,1.5"),
    ("a,b,n\n0.5,x,12\n0.5,y,13\n", AB, r"'0\.5'", "--levels a=0.5"),
    ("r,19,20,change\nN,113,120,7\nS,271,260,11\n", WIDE_R, "'change'", "--ignore change"),
    ("root,n\n20,381\n21,431\n10,100\n7,49\n", "--factors root --count n", "'root'", None),
    ("log,n\n5.9,381\n6.1,431\n4.6,100\n", LOG, "'log'", "--levels log=5.9,6.1,4.6"),
]


@pytest.mark.parametrize(("text", "options", "named", "settled"), REFUSED)
def test_a_second_copy_of_the_counts_is_refused(text, options, named, settled, call, tmp_path):
    path = save(tmp_path / "t.csv", text)
    words = ["sanitize", path, *shlex.split(options), "--levels-from-file", "--epsilon", 1]
    message = refused(call(*words), 1, named)
    assert [*tmp_path.iterdir()] == [path]
    for option in re.findall(r"--[a-z-]+", settled or ""):
        assert option in message or option == "--keep-totals"
    if settled is not None:
        done(call(*words, *shlex.split(settled)))
        assert len([*tmp_path.iterdir()]) == 4


@pytest.mark.parametrize(
    "text",
    [
        "a,n\nx,2\ny,3\nz,5\n",
        "a,n\n0-4,12\n5-9,13\n10-14,9\n15+,30\n",
        "a,n\nq2019,120\nq2020,131\nq2021,125\n",
        "a,n\nno,31\nno answer,52\nno opinion,19\npoor,7\naverage,8\n",
        "a,n\nN,31\nS,52\nE,18\nW,7\n",
        "a,n\nx,0\ny,0\n",
    ],
)
def test_ordinary_tables_are_not_refused(text, call, tmp_path):
    """A sum in one stratum of small counts may be a coincidence, and is only pointed out."""
    words = ["--factors", "a", "--count", "n", "--levels-from-file", "--epsilon", 1]
    done(call("sanitize", save(tmp_path / "t.csv", text), *words))
