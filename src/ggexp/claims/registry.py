"""The claims of the papers, each put to its test, with a verdict that the results give."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ggexp.claims import (
    approximate_dp,
    audit,
    bounding,
    densities,
    exercises,
    experiment,
    first_version,
    guessing,
    histograms,
    inequalities,
    lectures,
    many_queries,
    noise,
    records,
    synthetic,
    theory,
    two_tables,
)
from ggexp.claims.evidence import Comparison, Results, judge

TESTS: dict[str, Callable[..., list[Comparison]]] = {
    test.__name__: test
    for test in (
        experiment.ordered,
        experiment.less_than,
        experiment.smallest,
        experiment.stands_between,
        experiment.similar,
        experiment.steps,
        experiment.delta_matters_less,
        experiment.varies_more_at_small_epsilon,
        two_tables.nearer,
        two_tables.nears_faster,
        records.loss_of_accuracy,
        records.no_worse,
        records.counts,
        densities.less_spread,
        densities.less_spread_in_general,
        densities.unlike_the_rest,
        densities.nearest_the_mean,
        theory.ratio_of_bounds,
        theory.trend_of_bounds,
        theory.trend_of_scales,
        theory.fall_and_rebound,
        theory.rebound_above_one,
        theory.later_rebound,
        theory.cost_falls_with_delta,
        noise.tighter,
        noise.no_more_noise,
        noise.lemma_11,
        noise.lemma_11_samples,
        noise.beyond_lemma_11,
        noise.same_noise,
        noise.more_alike,
        noise.same_delta,
        bounding.clamping,
        bounding.redrawing,
        synthetic.clamping_gain,
        synthetic.small_cells_gain,
        synthetic.gains_as_computed,
        synthetic.too_many_records,
        synthetic.adds_at_most,
        synthetic.adds_more,
        synthetic.trains_as_well,
        synthetic.finds_the_mode,
        inequalities.lemma_2,
        inequalities.lemma_2_conservative,
        inequalities.lemma_9,
        inequalities.looser_at_order_2,
        inequalities.always_below_epsilon,
        inequalities.half_of_epsilon,
        inequalities.definition_5,
        guessing.guess_of_two,
        guessing.normal_prior,
        guessing.normal_epsilon,
        guessing.worst_prior,
        guessing.worst_prior_is_met,
        first_version.truncated_wider,
        first_version.truncated_further,
        first_version.disperses,
        first_version.comparable,
        first_version.further,
        first_version.bounding_evens,
        first_version.higher_bars,
        approximate_dp.delivers_its_delta,
        approximate_dp.suffices,
        approximate_dp.best_below_both,
        approximate_dp.best_is_laplace,
        approximate_dp.trend_of_order,
        approximate_dp.truncated_needs_less,
        approximate_dp.gaussian_is_nearly_best,
        many_queries.crossing,
        many_queries.accountant_moves_the_crossing,
        many_queries.lectures_condition,
        many_queries.orders_of_growth,
        many_queries.simulation_agrees,
        many_queries.exact_saves,
        lectures.gaussian_bound,
        lectures.loss_beyond_epsilon,
        lectures.normal_tail,
        lectures.zcdp_tail,
        lectures.pure_as_alpha_grows,
        lectures.advanced_holds,
        lectures.advanced_from,
        lectures.lemma_2_3,
        exercises.mean_query,
        exercises.noise_on_points,
        exercises.sum_of_squares,
        exercises.gram_entries,
        exercises.gram_not_psd,
        histograms.histogram_is_private,
        histograms.histogram_answers,
        histograms.clamping_biases,
        audit.within_claims,
        audit.exceeds,
    )
}
KEYS = ("id", "claim", "source", "stated_by", "test", "parameters", "tolerance", "expected")
OPTIONAL = ("by_construction",)
STATED_BY = (
    "the paper",  # Liu (2019), whose experiments are reproduced
    "the first version",  # of the paper
    "Laud and Pankova",
    "Bun and Steinke",
    "the CS208 notes",
    "the approximate-DP lecture",
    "this project",
)
VERDICTS = ("confirmed", "by construction", "partly", "refuted", "undecided")
COLUMNS = ("id", "claim", "source", "stated_by", "expected", "verdict", "evidence")


def read_claims(path: Path) -> list[dict[str, Any]]:
    """Return the claims of a YAML file: a list of mappings with `KEYS`, and some with `OPTIONAL`.

    Raises ValueError naming the file, the claim and what is wrong with it.
    """
    claims: list[dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))
    seen = set()
    for claim in claims:
        where = f"{path}, claim {claim.get('id')!r}"
        if set(claim) - set(OPTIONAL) != set(KEYS):
            raise ValueError(f"{where}: the keys must be {', '.join(KEYS)}, got {', '.join(claim)}")
        if claim["id"] in seen:
            raise ValueError(f"{where}: the id is there twice")
        seen.add(claim["id"])
        for key, allowed in (("expected", VERDICTS), ("stated_by", STATED_BY), ("test", TESTS)):
            if claim[key] not in allowed:
                raise ValueError(
                    f"{where}: {key} must be one of {', '.join(allowed)}, not {claim[key]!r}"
                )
        try:
            inspect.signature(TESTS[claim["test"]]).bind(None, **claim["parameters"])
        except TypeError as error:
            raise ValueError(f"{where}: parameters of {claim['test']}: {error}") from error
    return claims


def check_claims(claims: Iterable[Mapping[str, Any]], results: Results) -> pd.DataFrame:
    """Return id, claim, source, stated_by, expected, verdict and evidence of each claim.

    A claim about something that the results do not hold, such as a data set that was not run, is
    left out.
    """
    rows = []
    for claim in claims:
        comparisons = compare(claim, results)
        if comparisons:
            verdict, evidence = conclude(claim, comparisons)
            rows.append({**claim, "verdict": verdict, "evidence": evidence})
    return pd.DataFrame(rows, columns=COLUMNS)


def compare(claim: Mapping[str, Any], results: Results) -> list[Comparison]:
    """Return the comparisons that a claim makes in the results."""
    return TESTS[claim["test"]](results, **claim["parameters"])


def conclude(claim: Mapping[str, Any], comparisons: Sequence[Comparison]) -> tuple[str, str]:
    """Return the verdict and the evidence of a claim, from its comparisons."""
    by_construction = claim.get("by_construction", False)
    return judge(comparisons, claim["tolerance"], by_construction=by_construction)
