"""The targets `verify` and `gallery`: what they compare a run with, and what they refuse."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Project

from ggexp.run.columns import read_csv
from ggexp.run.storage import read_parquet, write_csv, write_parquet

pytestmark = pytest.mark.slow


@contextmanager
def unnoticed(file: Path) -> Iterator[None]:
    """Keep a file's time, by which Snakemake would notice that it is changed meanwhile."""
    before = file.stat()
    yield
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_verify(small: Project) -> None:
    """A run agrees with its own manifest; files changed behind its back do not, and are named."""
    claims = small.folder / "reference/claims.yaml"
    some = re.split(r"(?=^- id: )", claims.read_text("utf-8"), flags=re.MULTILINE)
    (one,) = (part for part in some if part.startswith("- id: mildew-records\n"))
    claims.write_text(one.replace("printed: 70", "printed: 71").replace(": confirmed", ": refuted"))
    small.run()
    manifest = small.folder / "results/manifest.json"
    shutil.copy(manifest, small.folder / "reference/manifest.json")
    assert re.search(r"verified: \d+ files .* 1 verdict", small.run(targets=("verify",)))

    changed = json.loads(manifest.read_text("utf-8"))
    changed["packages"]["numpy"] = "1.0"
    changed["machine"]["processor"] = "abacus"
    (small.folder / "reference/manifest.json").write_text(json.dumps(changed), "utf-8")
    repeats = "repeats/mildew/laplace/epsilon-1.0.parquet"
    results = small.folder / "results"
    kept = {name: (results / name).read_bytes() for name in (repeats, "summary.csv")}
    with unnoticed(results / repeats), unnoticed(results / "summary.csv"):
        errors = read_parquet(results / repeats)
        errors.loc[0, "l1"] *= 3
        write_parquet(errors, results / repeats)
        summary = read_csv(results / "summary.csv")
        summary.loc[0, "mean"] -= 1
        write_csv(summary, results / "summary.csv")
    ended = small.snakemake(targets=("verify",))
    assert ended.returncode != 0
    told = [
        *(", not abacus", "packages: numpy is", f"outputs: {repeats} differs in l1"),
        "outputs: summary.csv differs in mean",
    ]
    places = [ended.stdout.find(text) for text in told]
    assert -1 not in places
    assert places == sorted(places)  # what may be the reason comes first
    assert "Traceback" not in ended.stdout

    for name, content in kept.items():
        with unnoticed(results / name):
            (results / name).write_bytes(content)
    shutil.copy(manifest, small.folder / "reference/manifest.json")
    small.edit("reference/claims.yaml", lambda text: text.replace(": refuted", ": confirmed"))
    ended = small.snakemake(targets=("verify",))
    assert ended.returncode != 0
    assert "claim mildew-records: refuted, expected confirmed" in ended.stdout


def test_the_gallery_refuses_another_configuration(small: Project) -> None:
    ended = small.snakemake(targets=("gallery",))
    assert ended.returncode != 0
    assert "another --configfile" in " ".join(ended.stdout.split())
    assert not (small.folder / "docs").exists()
