"""Write the index of a run: everything on one page."""

import json
from pathlib import Path

import yaml

from ggexp.experiment.answers import Subject, answers, in_short, not_compared
from ggexp.experiment.metrics import DIVERGENCES, METRICS
from ggexp.experiment.recommendation import left_out, majorities_of, unlearned
from ggexp.run.columns import read_csv
from ggexp.run.index import index_page, with_frames
from ggexp.run.job import job
from ggexp.run.pages import origins, readings
from ggexp.run.storage import write_text

with job(snakemake):
    manifest = json.loads(Path(snakemake.input.manifest).read_text("utf-8"))
    statements = with_frames(
        snakemake.params.statements, frame=snakemake.input.claims, compared=snakemake.input.compared
    )
    tables = with_frames(snakemake.params.tables, frame=snakemake.input.tables)
    subjects = {
        dataset: Subject(is_private=is_private)
        for dataset, is_private in snakemake.params.is_private.items()
    }
    for dataset, contents, margins in zip(
        snakemake.params.own, snakemake.input.contents, snakemake.input.margins, strict=True
    ):
        description = json.loads(Path(contents).read_text("utf-8"))
        subjects[dataset] = subjects[dataset]._replace(
            is_own=True,
            is_replaced=description["is_rescaled"] or snakemake.params.neighbours == "replace-one",
            configuration=snakemake.params.configuration,
            margins=read_csv(margins),
            **description,
        )
    recommendations = answers(
        read_csv(snakemake.input.recommendation),
        read_csv(snakemake.input.epsilon),
        {
            name: f"{metric.label} of proportions" if name in DIVERGENCES else metric.label
            for name, metric in METRICS.items()
        },
        subjects,
        unlearned(
            read_csv(snakemake.input.summary),
            majorities_of(map(read_csv, snakemake.input.baseline)),
        ),
    )
    page = index_page(
        Path(snakemake.input.template),
        sections=snakemake.params.sections,
        pictures=map(Path, snakemake.input.pictures),
        statements=statements,
        tables=tables,
        answers=recommendations,
        own=snakemake.params.own,
        not_compared=not_compared(
            left_out(read_csv(snakemake.input.scales), snakemake.params.neighbours)
        ),
        readings=readings(read_csv(snakemake.input.readings))
        if snakemake.params.design["is_paper"]
        else {},
        says={
            claim["id"]: claim["says"]
            for claim in yaml.safe_load(Path(snakemake.input.says).read_text("utf-8"))
            if "says" in claim
        },
        manifest=manifest,
        made_of=origins(manifest),
        design=snakemake.params.design,
        results="",
    )
    write_text(page, snakemake.output.index)
    if snakemake.params.own:
        write_text(in_short(recommendations), snakemake.output.answer[0])
