"""The report in a real browser, and the target that verifies a run."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest
from conftest import Project

CHROMIUM = shutil.which("chromium")
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # there is no network
    "--virtual-time-budget=60000",
    "--window-size=1400,1000",
]
# before the page's own scripts: keep what goes wrong in them
LISTEN = """<script>
const wrong = [];
addEventListener("error", event => wrong.push(String(event.message)));
console.error = (...what) => wrong.push(what.join(" "));
</script>"""
# after them: open every result as a reader would, and put down what is then on the screen
WALK = """<script>
const pause = () => new Promise(done => setTimeout(done, 200));
addEventListener("load", async () => {
  const seen = {};
  while (app === undefined) await pause();
  for (const [path, result] of Object.entries(results)) {
    const kind = path.endsWith(".png") ? "img" : "html";
    const view = {content: kind, contentPath: result.data_uri, resultPath: path};
    app.setView({...view, navbarMode: "resultinfo"});
    await pause();
    const place = kind == "img" ? "#app img[src^='data:image/png']" : "iframe";
    const shown = document.querySelector(place);
    seen[path] = {
      labels: result.labels,
      width: kind == "img" ? shown.naturalWidth : shown.clientWidth,
      text: document.querySelector("#app").innerText,
    };
  }
  const requests = performance.getEntriesByType("resource").map(entry => entry.name)
    .filter(name => !/^(data|blob):/.test(name));
  const report = document.createElement("pre");
  report.id = "walked";
  report.textContent = JSON.stringify({seen, wrong, requests});
  document.body.append(report);
});
</script>"""


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A small run with everything that the default target makes, and its report."""
    project = Project(tmp_path_factory.mktemp("report"))
    project.add_records()
    project.run(targets=("all",))
    project.run("--report", "report.html", targets=("all",))
    return project


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_report_shows_everything_without_a_network(complete: Project, tmp_path: Path) -> None:
    text = (complete.folder / "report.html").read_text("utf-8")
    page = tmp_path / "page.html"
    page.write_text(text.replace("<head>", "<head>" + LISTEN, 1) + WALK, "utf-8")
    browser = subprocess.run(
        [str(CHROMIUM), *SWITCHES, f"--user-data-dir={tmp_path}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    walked = re.search('<pre id="walked">(.*?)</pre>', browser.stdout, re.DOTALL)
    assert walked, browser.stderr
    found = json.loads(unescape(walked[1]))
    assert found["wrong"] == []
    assert found["requests"] == []

    seen = {Path(path).name: result for path, result in found["seen"].items()}
    figures = [*range(1, 8), 20, 21, 22]
    assert {name for name in seen if name.endswith(".png")} == {
        f"figure_{number:02d}.png" for number in figures
    }
    for number in figures:
        figure = seen[f"figure_{number:02d}.png"]
        assert figure["labels"]["figure"] == f"Figure {number}"
        assert figure["width"] > 1000  # so it has been decoded
    captions = {
        "figure_01.png": "same variance 1 (right)",
        "figure_02.png": "The scale b that Corollary 7 needs",
        "figure_03.png": "probabilistic DP (Eqn 18)",
        "figure_04.png": "exceeds t in size",
        "figure_05.png": "with the same probability as the Laplace mechanism",
        "figure_06.png": "Sanitized against original counts of the mildew data",
        "figure_07.png": "between sanitized and original counts of the mildew data",
        "figure_20.png": "the range from 5 to 95 % of all 4",
        "figure_21.png": "between sanitized and original counts of the people data",
        "figure_22.png": "Accuracy on the test records of the people data",
        "claims.html": "with the verdict of this run",
        "scales.html": "The scale b of the noise",
        "summary.html": "standard error of every metric",
        "versions.html": "What the run was made of",
        "baseline.html": "of the majority class",
        "tally_people.html": "The records of a data set",
    }
    assert seen.keys() == captions.keys()
    for name, caption in captions.items():
        assert caption in " ".join(seen[name]["text"].split()), name


def test_pages_hold_their_tables(complete: Project) -> None:
    pages = complete.folder / "results/pages"
    claims = (pages / "claims.html").read_text("utf-8")
    assert '<td>lemma-11</td><td class="long">For δ below 2Φ(-√2)' in claims
    assert '<td class="refuted">refuted</td>' in claims
    assert '<td class="number">4</td>' in (pages / "summary.html").read_text("utf-8")
    versions = (pages / "versions.html").read_text("utf-8")
    assert "<td>snakemake</td><td>9." in versions
    assert "<td>people.csv (sha256)</td>" in versions


def test_verify(complete: Project) -> None:
    """A run agrees with its own manifest; one with another seed does not, and is told where."""
    claims = complete.folder / "reference/claims.yaml"
    some = re.split(r"(?=^- id: )", claims.read_text("utf-8"), flags=re.MULTILINE)
    claims.write_text("".join(part for part in some if "- id: pdp-adp-delta" in part), "utf-8")
    complete.run(targets=("all",))
    manifest = complete.folder / "results/manifest.json"
    shutil.copy(manifest, complete.folder / "reference/manifest.json")
    assert "files of results and 1 verdicts agree" in complete.run(targets=("verify",))

    changed = json.loads(manifest.read_text("utf-8"))
    changed["outputs"]["summary.csv"]["mean"] += 1e-6
    changed["packages"]["numpy"] = "1.0"
    (complete.folder / "reference/manifest.json").write_text(json.dumps(changed), "utf-8")
    ended = complete.snakemake(targets=("verify",))
    assert ended.returncode != 0
    assert "outputs: summary.csv differs in mean" in ended.stdout
    assert "packages: numpy is" in ended.stdout
    assert "Traceback" not in ended.stdout

    shutil.copy(manifest, complete.folder / "reference/manifest.json")
    complete.edit("reference/claims.yaml", lambda text: text.replace(": refuted", ": confirmed"))
    ended = complete.snakemake(targets=("verify",))
    assert ended.returncode != 0
    assert "claim pdp-adp-delta: refuted, expected confirmed" in ended.stdout


def test_the_gallery_refuses_another_configuration(complete: Project) -> None:
    ended = complete.snakemake(targets=("gallery",))
    assert ended.returncode != 0
    assert "the gallery shows the paper's design" in ended.stdout
    assert not (complete.folder / "docs").exists()
