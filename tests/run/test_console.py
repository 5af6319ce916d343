"""The last screen, from log events like Snakemake's."""

import logging
from pathlib import Path
from typing import Any

import pytest

from ggexp.run.console import LastScreen
from ggexp.run.job import job


def screen(pages: str = "results", answer: str | None = None) -> LastScreen:
    made = LastScreen(
        "results",
        sources={"data/a.csv": ["one"], "data/b.csv": []},
        datasets=["one", "two"],
        pages=lambda: pages,
        answer=answer,
    )
    made.begin({}, [])
    return made


def send(screen: LastScreen, event: str | None, message: str = "", **fields: Any) -> None:
    record = logging.LogRecord("snakemake", logging.INFO, "", 0, message, (), None)
    vars(record).update(fields, event=event)
    screen.handle(record)


def described(number: int, log: str = "none.log", output: str = "") -> dict[str, Any]:
    return {"jobid": number, "rule_name": f"rule_{number}", "log": [log], "output": [output]}


def test_no_run_no_screen() -> None:
    unused = LastScreen("results", sources={}, datasets=[], pages=lambda: "results")
    assert unused.lines() == []


def test_a_job_that_succeeds_when_tried_again_has_not_failed() -> None:
    ours = screen()
    send(ours, "job_info", **described(1))
    send(ours, "job_error", **described(1))
    assert ours.lines()[0] == "1 job failed:"
    send(ours, "job_info", **described(1))
    send(ours, "job_finished", job_id=1)
    send(ours, "progress", done=1, total=1)
    assert ours.lines()[0].startswith("All 1 jobs are done")
    assert "rule_1 (0 s)" in ours.lines()[0]


@pytest.mark.parametrize("done", [True, False])
def test_a_quiet_run_that_is_done_is_not_stopped(done: bool) -> None:
    """Nobody tells the screen of progress then."""
    ours = screen()
    ours.begin({}, ["a.csv"])
    send(ours, "job_info", **described(1, output="a.csv"))
    if done:
        send(ours, "job_finished", job_id=1)
    assert ours.lines()[0].startswith("All 1 jobs" if done else "Stopped")


@pytest.mark.parametrize(
    ("pages", "is_own"), [("results", True), ("results", False), ("results/guarantees", True)]
)
def test_the_answer_of_own_tables_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: str, is_own: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(pages).mkdir(parents=True)
    Path(pages, "index.html").touch()
    answer = "own: Use the geometric mechanism; " + "a long sentence " * 9
    Path("results/answer.txt").write_text(f"{answer}\n", "utf-8")
    ours = screen(pages, "results/answer.txt" if is_own else None)  # a run before left one
    send(ours, "progress", done=1, total=1)
    _, *told, place = ours.lines()
    assert place.endswith(f"{pages}/index.html")
    assert max(map(len, told), default=0) <= 80
    assert " ".join(map(str.strip, told)) == (
        answer.strip() if pages == "results" and is_own else ""
    )


def test_what_a_job_without_outputs_found_is_told(tmp_path: Path) -> None:
    ours = screen()
    found = "verified: 135 files"
    logs = {1: f"07:59:01 a warning\n07:59:02 {found}\n", 2: "07:59:03 of a file\n", 3: ""}
    for number, text in logs.items():
        log = tmp_path / f"{number}.log"
        log.write_text(text, "utf-8")
        outputs = ["a.csv"] if number == 2 else []
        send(ours, "job_info", **(described(number, str(log)) | {"output": outputs}))
        send(ours, "job_finished", job_id=number)
    send(ours, "progress", done=3, total=3)
    assert [line for line in ours.lines() if not line.startswith(("All 3", "  "))] == [found]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("epsilon must be in (0, ∞)\nand more"), "epsilon must be in (0, ∞)"),
        (RuntimeError("never thought of"), "RuntimeError: never thought of"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
    ],
)
def test_the_line_that_matters_is_what_the_job_wrote(
    tmp_path: Path, error: Exception, line: str
) -> None:
    log = tmp_path / "a.log"
    root = logging.getLogger()
    before = root.handlers[:]
    root.handlers.clear()
    try:
        with pytest.raises(SystemExit), job(log):
            logging.getLogger("ggexp").warning("error: not this one, which is of the work")
            raise error
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers[:] = before
        logging.captureWarnings(False)
    ours = screen()
    send(ours, "job_error", **described(1, str(log)))
    assert f"    {line}" in ours.lines()


def test_only_logs_that_say_something_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ours = screen()
    ours.begin({}, [], [tmp_path / "all messages.log"])
    Path("empty.log").touch()
    for number, log in enumerate(["absent.log", "empty.log"]):
        send(ours, "job_error", **described(number, log, output=f"{number}.csv"))
        assert f"  rule_{number}: {number}.csv" in ours.lines()
        assert log not in "".join(ours.lines())
    assert "see all messages.log" in " ".join(ours.lines())

    Path("written.log").write_text("12:00:00 all is well\n")
    send(ours, "job_error", **described(2, "written.log"))
    assert "  rule_2: written.log" in ours.lines()
    assert "all messages.log" not in " ".join(ours.lines())


def test_of_a_group_the_jobs_with_an_error_in_their_log_failed(tmp_path: Path) -> None:
    (tmp_path / "1.log").write_text("12:00:00 all is well\n")
    (tmp_path / "2.log").write_text("12:00:00 error: a bad cell\n")
    jobs = [described(number, str(tmp_path / f"{number}.log")) for number in (1, 2)]
    ours = screen()
    send(ours, "group_error", job_error_info=jobs)
    assert list(ours.failed) == [2]
    assert "    a bad cell" in ours.lines()


@pytest.mark.parametrize(
    ("pages", "last"),
    [
        ("results", 'Or run without one: make reproduce DATASETS="two"'),
        ("results/smoke", 'Or run without one: make smoke DATASETS="two"'),
        ("results/guarantees", 'Or run without one: make guarantees DATASETS="two"'),
        ("mine", "Or run without one:"),
    ],
)
def test_a_missing_source_names_the_way_without_it(pages: str, last: str) -> None:
    ours = screen(pages)
    send(ours, "job_error", **described(1, output="data/a.csv"))
    assert ours.lines()[-2] == last
    assert "--config 'datasets=[two]'" in ours.lines()[-1]


def test_a_run_that_was_interrupted_says_how_to_go_on() -> None:
    ours = screen()
    send(ours, "progress", done=3, total=9)
    send(ours, None, "Terminating processes on user request, this might take some time.")
    send(ours, "job_error", **described(4))
    stopped, remedy = ours.lines()
    assert stopped.startswith("Stopped after 0 s: 3 of 9 jobs")
    assert remedy.startswith("Run the same command again")


def test_an_error_after_the_last_job_is_no_success() -> None:
    ours = screen()
    send(ours, "progress", done=9, total=9)
    send(ours, "error", "the report could not be made")
    assert ours.lines()[0].startswith("Stopped after 0 s: 9 of 9 jobs")
