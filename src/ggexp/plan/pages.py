"""The tables that the pages of a run show, with their titles and captions."""

from ggexp.plan.plan import Plan
from ggexp.run.pages import caption

#: Table -> its file relative to the results, and its title; its caption is in workflow/report.
TABLES = {
    "claims": ("claims.csv", "The paper's claims"),
    "synthetic": ("synthetic/claims.csv", "Claims on synthetic records"),
    "guarantees": ("guarantees/claims.csv", "Claims of other texts"),
    "audit": ("guarantees/audit.csv", "Audit of the releases"),
    "summary": ("summary.csv", "Summary of the repeats"),
    "scales": ("scales.csv", "Scales of the noise"),
    "baseline": ("baseline.csv", "Accuracy without noise"),
    "tally": ("histograms/{}_tally.csv", "Records of the {} data"),
}


def tables(plan: Plan, *names: str) -> list[dict[str, str]]:
    """Return the tables of `TABLES` with these names that the run has.

    A table is a mapping with source (its file relative to the results), title and caption. The
    name "tally" stands for the tallies of all data sets of records.
    """
    captions = plan.project / "workflow/report/tables"
    is_missing = {
        "claims": "claims" not in plan.verdicts,
        "synthetic": "synthetic/claims" not in plan.verdicts,
        "baseline": not plan.classified,
    }
    return [
        {
            "source": source.format(dataset),
            "title": title.format(dataset),
            "caption": caption(captions / f"{name}.rst")[0],
        }
        for name in names
        if not is_missing.get(name)
        for source, title in [TABLES[name]]
        for dataset in (plan.records if name == "tally" else [""])
    ]
