"""The description of a run in an archive."""

import hashlib
import shutil
from types import MappingProxyType

from conftest import PAPER, ROOT

from ggexp.run.archive import CONFIGURATION, Crate

ADULT = "data/downloads/adult.data"


def described(folder, data=MappingProxyType({ADULT: "d" * 64}), **sources):
    manifest = {
        "machine": {"processor": "znver4", "blas": "openblas 1 Haswell"},
        "python": "3.13.0",
        "packages": {"snakemake": "9.27", "PyYAML": "6.0"},
        "data": data,
    }
    crate = Crate(folder, manifest, sources)
    crate.describe("A title", "A description", ended=86_461.5, results={"summary.csv": "A summary"})
    return crate


def test_data_time_computer_and_software_are_described(tmp_path):
    for name in ("Snakefile", "README.md", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path / name)
    copy, *addresses = PAPER["download"]["files"]["adult.data"]["sources"]
    for name, text in {CONFIGURATION: "", "summary.csv": "", copy: "compressed"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for sources in ([copy, *addresses], addresses):
        crate = described(tmp_path, **{ADULT: sources})
        adult = crate.get(sources[0])
        assert adult.type == "File"
        assert adult in crate.get("#run")["object"]
        if sources[0] == copy:
            assert adult["sha256"] == hashlib.sha256(b"compressed").hexdigest()
            assert all(text in adult["description"] for text in ("d" * 64, ADULT))
        else:
            assert (adult["name"], adult["sha256"]) == (ADULT, "d" * 64)
        assert adult["license"].id == "https://spdx.org/licenses/CC-BY-4.0"
        authors = [author["name"] for author in adult["citation"]["author"]]
        assert authors == ["Barry Becker", "Ronny Kohavi"]
    crate = described(tmp_path)
    action = crate.get("#run")
    assert action["endTime"] == "1970-01-02T00:01:01+00:00"
    assert action["description"] == "processor znver4; blas openblas 1 Haswell; Python 3.13.0"
    assert crate.get("pkg:pypi/pyyaml@6.0")["softwareVersion"] == "6.0"
    assert crate.get("pkg:generic/python@3.13.0") in crate.mainEntity["softwareRequirements"]
    assert crate.root_dataset["citation"].id == "https://doi.org/10.1109/TKDE.2018.2845388"
    assert (crate.name, crate.description) == ("A title", "A description")


def test_a_data_file_outside_the_archive_is_named_but_not_copied(tmp_path):
    own, folder = tmp_path / "own.csv", tmp_path / "archive"
    (folder / CONFIGURATION).parent.mkdir(parents=True)
    for path in (own, folder / CONFIGURATION, folder / "summary.csv"):
        path.write_text("")
    for name in ("Snakefile", "README.md", "CITATION.cff"):
        shutil.copy(ROOT / name, folder / name)
    crate = described(folder, {str(own): "d" * 64})
    (data,) = (part for part in crate.get("#run")["object"] if part["name"] == str(own))
    assert (data.type, data["sha256"]) == ("CreativeWork", "d" * 64)
    assert not crate.has_source(str(own))
