"""The last screen, made from log events like those of Snakemake."""

import logging
from pathlib import Path
from typing import Any

import pytest

from ggexp.run.console import LastScreen
from ggexp.run.job import job


def screen(pages: str = "results", answer: str | None = None) -> LastScreen:
    new_screen = LastScreen(
        "results",
        pages=lambda: pages,
        answer=answer,
    )
    new_screen.begin({}, [])
    return new_screen


def send(screen: LastScreen, event: str | None, message: str = "", **fields: Any) -> None:
    record = logging.LogRecord("snakemake", logging.INFO, "", 0, message, (), None)
    vars(record).update(fields, event=event)
    screen.handle(record)


def job_fields(number: int, log: str = "none.log", output: str = "") -> dict[str, Any]:
    return {"jobid": number, "rule_name": f"rule_{number}", "log": [log], "output": [output]}


def test_no_run_no_screen() -> None:
    unused = LastScreen("results", pages=lambda: "results")
    assert unused.lines() == []


def test_a_job_that_succeeds_when_retried_has_not_failed() -> None:
    last_screen = screen()
    send(last_screen, "job_info", **job_fields(1))
    send(last_screen, "job_error", **job_fields(1))
    assert last_screen.lines()[0] == "1 job failed:"
    send(last_screen, "job_info", **job_fields(1))
    send(last_screen, "job_finished", job_id=1)
    send(last_screen, "progress", done=1, total=1)
    assert last_screen.lines()[0].startswith("All 1 jobs are done")
    assert "rule_1 (0 s)" in last_screen.lines()[0]


@pytest.mark.parametrize("done", [True, False])
def test_a_quiet_run_that_is_done_is_not_stopped(done: bool) -> None:
    """Snakemake sends no events of progress with --quiet."""
    last_screen = screen()
    last_screen.begin({}, ["a.csv"])
    send(last_screen, "job_info", **job_fields(1, output="a.csv"))
    if done:
        send(last_screen, "job_finished", job_id=1)
    assert last_screen.lines()[0].startswith("All 1 jobs" if done else "Stopped")


@pytest.mark.parametrize(
    ("pages", "is_own"), [("results", True), ("results", False), ("results/guarantees", True)]
)
def test_the_answer_for_own_tables_is_shown_with_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: str, is_own: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(pages).mkdir(parents=True)
    Path(pages, "index.html").touch()
    answer = "own: Use the geometric mechanism; " + "a long sentence " * 9
    Path("results/answer.txt").write_text(f"{answer}\n", "utf-8")
    # without own tables, the answer on the disk is that of an earlier run
    last_screen = screen(pages, "results/answer.txt" if is_own else None)
    send(last_screen, "progress", done=1, total=1)
    _, *lines, path = last_screen.lines()
    assert path.endswith(f"{pages}/index.html")
    assert max(map(len, lines), default=0) <= 80
    assert " ".join(map(str.strip, lines)) == (
        answer.strip() if pages == "results" and is_own else ""
    )


def test_the_report_of_a_job_without_outputs_is_shown(tmp_path: Path) -> None:
    last_screen = screen()
    report = "verified: 135 files"
    logs = {1: f"07:59:01 a warning\n07:59:02 {report}\n", 2: "07:59:03 a file\n", 3: ""}
    for number, text in logs.items():
        log = tmp_path / f"{number}.log"
        log.write_text(text, "utf-8")
        outputs = ["a.csv"] if number == 2 else []
        send(last_screen, "job_info", **(job_fields(number, str(log)) | {"output": outputs}))
        send(last_screen, "job_finished", job_id=number)
    send(last_screen, "progress", done=3, total=3)
    assert [line for line in last_screen.lines() if not line.startswith(("All 3", "  "))] == [
        report
    ]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("epsilon must be in (0, ∞)\nand more"), "epsilon must be in (0, ∞)"),
        (RuntimeError("never thought of"), "RuntimeError: never thought of"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
    ],
)
def test_the_last_error_in_the_log_is_shown(tmp_path: Path, error: Exception, line: str) -> None:
    log = tmp_path / "a.log"
    root = logging.getLogger()
    before = root.handlers[:]
    root.handlers.clear()
    try:
        with pytest.raises(SystemExit), job(log):
            logging.getLogger("ggexp").warning("error: not this line of the job's own code")
            raise error
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers[:] = before
        logging.captureWarnings(False)
    last_screen = screen()
    send(last_screen, "job_error", **job_fields(1, str(log)))
    assert f"    {line}" in last_screen.lines()


def test_only_logs_with_content_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    last_screen = screen()
    last_screen.begin({}, [], [tmp_path / "all messages.log"])
    Path("empty.log").touch()
    for number, log in enumerate(["absent.log", "empty.log"]):
        send(last_screen, "job_error", **job_fields(number, log, output=f"{number}.csv"))
        assert f"  rule_{number}: {number}.csv" in last_screen.lines()
        assert log not in "".join(last_screen.lines())
    assert "see all messages.log" in " ".join(last_screen.lines())

    Path("written.log").write_text("12:00:00 all is well\n")
    send(last_screen, "job_error", **job_fields(2, "written.log"))
    assert "  rule_2: written.log" in last_screen.lines()
    assert "all messages.log" not in " ".join(last_screen.lines())


def test_jobs_of_a_group_with_an_error_in_their_log_have_failed(tmp_path: Path) -> None:
    (tmp_path / "1.log").write_text("12:00:00 all is well\n")
    (tmp_path / "2.log").write_text("12:00:00 error: a bad cell\n")
    jobs = [job_fields(number, str(tmp_path / f"{number}.log")) for number in (1, 2)]
    last_screen = screen()
    send(last_screen, "group_error", job_error_info=jobs)
    assert list(last_screen.failed) == [2]
    assert "    a bad cell" in last_screen.lines()


def test_an_interrupted_run_says_how_to_continue() -> None:
    last_screen = screen()
    send(last_screen, "progress", done=3, total=9)
    send(last_screen, None, "Terminating processes on user request, this might take some time.")
    send(last_screen, "job_error", **job_fields(4))
    stopped, remedy = last_screen.lines()
    assert stopped.startswith("Stopped after 0 s: 3 of 9 jobs")
    assert remedy.startswith("Run the same command again")


def test_an_error_after_the_last_job_is_not_a_success() -> None:
    last_screen = screen()
    send(last_screen, "progress", done=9, total=9)
    send(last_screen, "error", "the report could not be made")
    assert last_screen.lines()[0].startswith("Stopped after 0 s: 9 of 9 jobs")
