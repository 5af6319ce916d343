"""The target `verify`: a comparison of a finished run with a reference."""

import json
import os
import re
import shutil

import pytest

from ggexp.run.files import read_csv
from ggexp.run.storage import read_parquet, write_csv, write_parquet

pytestmark = pytest.mark.slow


def test_verify(small):
    claims = small.folder / "reference/claims.yaml"
    entries = re.split(r"(?=^- id: )", claims.read_text("utf-8"), flags=re.MULTILINE)
    (claim,) = (entry for entry in entries if entry.startswith("- id: mildew-records\n"))
    claim = claim.replace("printed: 70", "printed: 71")
    claims.write_text(claim.replace(": confirmed", ": refuted"))
    manifest = small.folder / "results/manifest.json"
    small.run(targets=("results/manifest.json", "results/claims.csv"))
    shutil.copy(manifest, small.folder / "reference/manifest.json")
    assert re.search(r"verified: \d+ files .* 1 verdict", small.run(targets=("verify",)))

    changed = json.loads(manifest.read_text("utf-8"))
    changed["packages"]["numpy"] = "1.0"
    changed["machine"]["processor"] = "abacus"
    (small.folder / "reference/manifest.json").write_text(json.dumps(changed), "utf-8")
    small.edit("reference/claims.yaml", lambda text: text.replace(": refuted", ": confirmed"))
    repeats = "repeats/mildew.parquet"
    results = small.folder / "results"
    errors, summary = read_parquet(results / repeats), read_csv(results / "summary.csv")
    errors.loc[0, "l1"] *= 3
    summary.loc[0, "mean"] -= 1
    changes = {repeats: (write_parquet, errors), "summary.csv": (write_csv, summary)}
    for name, (write, table) in changes.items():
        before = (results / name).stat()
        write(table, results / name)
        # Snakemake must not notice the change
        os.utime(results / name, ns=(before.st_atime_ns, before.st_mtime_ns))
    printed = small.refused(targets=("verify",))
    messages = [
        *(", not abacus", "packages: numpy is", f"outputs: {repeats} differs in l1"),
        "outputs: summary.csv differs in mean",
        "claim mildew-records: refuted, expected confirmed",
    ]
    positions = [printed.find(message) for message in messages]
    assert -1 not in positions
    assert positions == sorted(positions)  # possible reasons precede the differences
