"""Write an index: everything on one page, and the manifest of the run, which the index shows.

The index of the target `guarantees` has no manifest.
"""

import json
from pathlib import Path

import yaml

from ggexp.experiment.answers import answers, caveats, in_short, not_compared
from ggexp.experiment.recommendation import Subject, left_out, unlearned
from ggexp.experiment.scales import distinct_noise
from ggexp.run.data_package import write_package
from ggexp.run.files import read_csv
from ggexp.run.job import job
from ggexp.run.manifest import write_manifest
from ggexp.run.pages import index_page, origins, readings, shown_frame
from ggexp.run.storage import write_json, write_text


def subjects(files, params):
    """Return data set -> the facts that its recommendation depends on."""
    subjects = {name: Subject(**facts) for name, facts in params.subjects.items()}
    for dataset, contents, margins in zip(params.own, files.contents, files.margins, strict=True):
        subjects[dataset] = subjects[dataset]._replace(
            configuration=params.configuration,
            margins=read_csv(margins),
            **json.loads(Path(contents).read_text("utf-8")),
        )
    return subjects


def of_run(files, params):
    """Write the manifest, and return what the index has in addition, by names in the template."""
    path = Path(snakemake.output.manifest)
    origin = params.points, params.fingerprints, params.data
    outputs = map(Path, files.compared_files)
    manifest = write_manifest(snakemake.config, path.parent, *origin, outputs)
    write_json(manifest, path)
    write_package(path.parent, map(Path, files.all_tables), params.figures)
    facts, noises = subjects(files, params), distinct_noise(params.points.values())
    claims = yaml.load(Path(files.says).read_text("utf-8"), yaml.CSafeLoader)
    return {
        "answers": answers(
            read_csv(files.recommendation),
            read_csv(files.epsilon),
            facts,
            unlearned(read_csv(files.summary), map(read_csv, files.baseline)),
        ),
        "own": params.own,
        "caveats": caveats(facts, noises, params.neighbours),
        "not_compared": not_compared(left_out(noises, params.neighbours)),
        "readings": readings(read_csv(files.readings)) if params.design["is_paper"] else {},
        "stated": {claim["id"]: claim for claim in claims},
        "manifest": manifest,
        "made_of": origins(manifest),
    }


with job(snakemake):
    files, params = snakemake.input, snakemake.params
    names = of_run(files, params) if snakemake.output.get("manifest") else {}
    claims, compared, tables = (
        map(shown_frame, paths) for paths in (files.claims, files.compared, files.tables)
    )
    page = index_page(
        Path(files.template[0]),
        sections=params.sections,
        pictures=map(Path, files.pictures),
        statements=zip(params.statements, claims, compared, strict=True),
        tables=zip(params.tables, tables, strict=True),
        design=params.design,
        results=params.results,
        **names,
    )
    write_text(page, snakemake.output.index)
    if names.get("own"):
        write_text(in_short(names["answers"]), snakemake.output.answer[0])
