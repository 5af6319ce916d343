"""Runs without a shared file system: files travel through a storage, with the same bytes."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, Project

from ggexp.run.files import read_csv
from ggexp.run.storage import write_csv

ELSEWHERE = Path(__file__).with_name("elsewhere.sh")
#: The environment with the plugins, which `make test-cluster` installs.
ENVIRONMENT = Path(sys.prefix, "cloud")
#: The Snakefile of a folder that only has the user's files.
SNAKEFILE = 'from ggexp.run.project import ROOT\n\n\ninclude: ROOT / "Snakefile"\n'
#: The end of the script of a rule, which `classify_records` also uses: the rule's first job is
#: killed before its output is sent to the storage.
KILLED_ONCE = """
import os
from pathlib import Path

if snakemake.rule == "measure_accuracy" and not (marker := Path({marker!r})).exists():
    marker.touch()
    os.kill(os.getpid(), 9)
"""
#: Sends the objects of a bucket to a folder, with their times, as `aws s3 sync` does.
FETCH = """
import os, sys
from pathlib import Path
import boto3

bucket = boto3.resource("s3", endpoint_url=sys.argv[1]).Bucket("bucket")
for item in bucket.objects.filter(Prefix="runs/"):
    path = Path(sys.argv[2], item.key)
    path.parent.mkdir(parents=True, exist_ok=True)
    bucket.download_file(item.key, str(path))
    os.utime(path, (item.last_modified.timestamp(),) * 2)
"""
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
#: The same keys for the plugin of Snakemake, which sends them to its jobs.
PLUGIN_KEYS = {
    "SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "key",
    "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "secret",
}

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not ENVIRONMENT.exists(), reason="`make test-cluster` installs the plugins"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A folder with the wheel's files, of which one script is killed once a run."""
    folder = tmp_path_factory.mktemp("wheel")
    hatchling = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*hatchling, "--directory", str(folder)], cwd=ROOT, check=True)
    (built,) = folder.glob("*.whl")
    zipfile.ZipFile(built).extractall(folder)
    return folder


def run(folder, wheel, *arguments, **variables):
    path = f"{ENVIRONMENT / 'bin'}{os.pathsep}{os.defpath}"
    environment = {"PATH": path, "PYTHONPATH": str(wheel), "HOME": str(folder)} | variables
    ended = subprocess.run(
        [str(ENVIRONMENT / "bin/python"), "-m", *arguments],
        cwd=folder,
        env=environment,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=1500,
    )
    return ended.returncode, ended.stdout


def designed(folder):
    """Make a folder with a small design: a table of the project, and a user's own records."""
    project = Project(folder)
    project.add_records(figures={"accuracy": 22, "training": 28})
    kinds = project.settings["histograms"]
    kinds["mildew"] = {"mechanisms": ["laplace"], "figures": {}}
    kinds["people"] |= {"mechanisms": ["laplace"], "synthetic": ["largest-remainder"]}
    kinds["people"] |= {"release": {"total": "as-printed"}}
    project.configure(theory=False, histograms=kinds)
    for path in folder.iterdir():
        if path.name not in ("small.yaml", "people.csv"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder


LOCAL = ("ggexp", "snakemake", "--cores", "2", "--configfile", "small.yaml")


@pytest.fixture(scope="module")
def local(wheel, tmp_path_factory):
    folder = designed(tmp_path_factory.mktemp("local"))
    code, printed = run(folder, wheel, *LOCAL)
    assert code == 0, printed
    return Project.at(folder).outputs()


@pytest.fixture
def fs(tmp_path):
    """A storage in a folder: options and variables for Snakemake, a function that fetches."""
    if not shutil.which("rsync"):
        pytest.skip("the plugin of this storage needs rsync (Debian's package of this name)")
    store = tmp_path / "store"
    return (
        ("fs", "--default-storage-prefix", str(store)),
        {},
        lambda folder: shutil.copytree(store / "results", folder / "results"),
    )


@pytest.fixture
def s3(tmp_path):
    """The same for a server of S3 on this computer."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [ENVIRONMENT / "bin/moto_server", "--host", "127.0.0.1", "--port", str(port)]
    with (tmp_path / "server.txt").open("w") as printed:
        server = subprocess.Popen(command, stdout=printed, stderr=printed)
    for _ in range(240):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.25)

    def fetch(folder):
        command = [ENVIRONMENT / "bin/python", "-c", FETCH, address, tmp_path / "fetched"]
        subprocess.run(command, check=True, env=os.environ | KEYS)
        shutil.copytree(tmp_path / "fetched/runs/results", folder / "results")

    prefix = ("--default-storage-prefix", "s3://bucket/runs")
    yield ("s3", *prefix, "--storage-s3-endpoint-url", address), PLUGIN_KEYS, fetch
    server.terminate()
    server.wait()


@pytest.mark.parametrize("kind", ["fs", "s3"])
def test_jobs_elsewhere(kind, local, wheel, tmp_path, request):
    """A job is killed, and the run resumed. A local run then continues with fetched results."""
    options, variables, fetch = request.getfixturevalue(kind)
    folder, jobs = tmp_path / "here", tmp_path / "jobs"
    folder.mkdir()
    jobs.mkdir()
    designed(folder)
    (folder / "Snakefile").write_text(SNAKEFILE)
    script = wheel / "ggexp/project/workflow/scripts/measure_accuracy.py"
    original = script.read_text("utf-8")
    script.write_text(original + KILLED_ONCE.format(marker=str(tmp_path / "killed")), "utf-8")
    submitted = (
        *("snakemake", "all", "--configfile", "small.yaml", "--cores", "2", "--jobs", "2"),
        *("--executor", "cluster-generic", "--shared-fs-usage", "none", "--job-deploy-sources"),
        *("--cluster-generic-submit-cmd", f"{ELSEWHERE} submit", "--keep-going"),
        *("--cluster-generic-status-cmd", f"{ELSEWHERE} status"),
        *("--seconds-between-status-checks", "1", "--keep-storage-local-copies"),
        *("--default-storage-provider", *options),
    )
    code, printed = run(folder, wheel, *submitted, JOBS=str(jobs), **variables)
    assert code != 0
    assert (tmp_path / "killed").exists(), printed
    before = {path.name for path in jobs.iterdir()}
    code, printed = run(folder, wheel, *submitted, JOBS=str(jobs), **variables)
    script.write_text(original, "utf-8")
    assert code == 0, printed

    # the jobs: each once, but the killed one twice; their memory was known
    properties = {path.name: properties_of(path / "script") for path in jobs.iterdir()}
    rules = sorted(job["rule"] for job in properties.values())
    assert sorted({*rules, "measure_accuracy"}) == sorted(REMOTE)
    assert rules.count("measure_accuracy") == 2
    resumed = {job["rule"] for name, job in properties.items() if name not in before}
    assert "measure_accuracy" in resumed
    assert "measure_releases" not in resumed
    assert all(
        isinstance(job["resources"]["mem_mb"], int)
        for job in properties.values()
        if job["rule"] in ("measure_accuracy", "tabulate_baselines")
    )
    places = [path.name for path in jobs.glob("*/place/*")]
    assert "small.yaml" in places
    assert "people.csv" not in places

    assert not (folder / "results").exists()
    fetch(folder)
    project = Project.at(folder)
    assert project.outputs() == local
    assert "index.html" in local
    assert [name for name in local if name.startswith("synthetic/records/people/laplace/")]

    # a local run makes pages and manifest again, and verifies
    for name in ("index.html", "manifest.json"):
        (folder / "results" / name).unlink()
    code, printed = run(folder, wheel, *LOCAL)
    assert code == 0, printed
    assert project.outputs() == local
    reference = wheel / "ggexp/project/reference/manifest.json"
    reference.write_bytes(local["manifest.json"])
    assert not differing(folder, wheel)
    summary = read_csv(folder / "results/summary.csv")
    summary.loc[0, "mean"] -= 1
    write_csv(summary, folder / "results/summary.csv")
    assert differing(folder, wheel) == ["outputs: summary.csv differs in mean"]


def differing(folder, wheel):
    """Return the results that `verify` finds to differ. Claims on other data sets always do."""
    run(folder, wheel, "ggexp", "snakemake", "verify", *LOCAL[2:])
    lines = (folder / "results/logs/verify.log").read_text("utf-8").splitlines()
    assert any("claim czech-records" in line for line in lines)
    return [line.strip() for line in lines if line.strip().startswith(("outputs:", "data:"))]


#: The rules whose jobs run elsewhere. The others run beside Snakemake, as on a cluster, and in
#: addition those that read data files or files of the project.
REMOTE = {
    *("measure_releases", "prepare_classifiers", "measure_accuracy", "tabulate_baselines"),
    *("summarize", "summarize_errors", "make_records", "classify_records", "summarize_records"),
    *("tabulate_figure", "compare_mechanisms"),
}


def properties_of(script):
    (line,) = [line for line in script.read_text().splitlines() if line.startswith("# properties")]
    return json.loads(line.removeprefix("# properties = "))
