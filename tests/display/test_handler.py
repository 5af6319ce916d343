"""What a run prints, made from records like those of Snakemake."""

import logging
import os
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from rich.console import Console
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.tests import TestLogHandlerBase

from ggexp.run.job import job
from snakemake_logger_plugin_ggexp import LogHandler
from snakemake_logger_plugin_ggexp.bars import Bars, progress_of

QUIET = [[], ["progress"], ["rules"], ["progress", "rules"], ["all"]]


def handler_of(quiet=None):
    common = {
        **dict.fromkeys(("dryrun", "stdout", "verbose", "debug_dag"), False),
        "show_failed_logs": True,
        "quiet": {Quietness.parse_choice(choice) for choice in quiet or []},
    }
    return LogHandler(SimpleNamespace(**common), None)


def send(handler, event, message="", time=0.0, **fields):
    kind = (event or "").rpartition("_")[2]
    level = {"error": logging.ERROR, "warning": logging.WARNING}.get(kind, logging.INFO)
    record = logging.LogRecord("snakemake", level, "", 0, message, (), None)
    vars(record).update(fields, event=event, created=time)
    handler.handle(record)


def job_fields(number, log="none.log", output="", **more):
    fields = {"jobid": number, "rule_name": f"rule_{number}", "log": [log], "indent": False}
    return fields | {"output": [output] if output else [], "wildcards": {"k": f"{number}"}} | more


def begun(*rules, command="snakemake", quiet=None):
    """Return the handler of a run that has begun with a job of each of these rules."""
    handler = handler_of(quiet)
    send(handler, "workflow_started", cmd=command)
    stats = {f"rule_{number}": 1 for number in rules}
    send(handler, "run_info", stats=stats | {"total": len(rules)})
    return handler


@pytest.fixture
def ended(capsys):
    """A function that closes a handler, twice as Python does, and returns all that it printed."""

    def close(handler):
        handler.close()
        handler.close()
        captured = capsys.readouterr()
        assert captured.out == ""
        return captured.err.splitlines()

    return close


class TestInterface(TestLogHandlerBase):
    __test__ = True

    def get_log_handler_cls(self):
        return LogHandler

    def get_log_handler_settings(self):
        return None


@pytest.mark.parametrize("quiet", QUIET, ids=" ".join)
@pytest.mark.parametrize("fails", [False, True])
def test_the_last_screen_is_right_however_quiet_the_run(tmp_path, ended, quiet, fails):
    """With `progress` among the quiet things, Snakemake does not report the ends of jobs."""
    handler = begun(1, 2, quiet=quiet)
    for number in (1, 2):
        output = tmp_path / f"{number}.csv"
        log = tmp_path / f"{number}.log"
        send(handler, "job_info", **job_fields(number, str(log), str(output)))
        if fails and number == 2:
            log.write_text("12:00:00 error: a bad cell\n", "utf-8")
            send(handler, "job_error", **job_fields(number, str(log), str(output)))
            send(handler, "error", "WorkflowError: failed", exception="WorkflowError")
        else:
            output.touch()
            if "progress" not in quiet:
                send(handler, "job_finished", job_id=number)
    lines = ended(handler)
    shown = [line for line in lines if ": rule_" in line and "elapsed" in line]
    assert len(shown) == (0 if {"progress", "all"} & {*quiet} else 1 if fails else 2)
    screen = lines[lines.index("") + 1 :]
    if fails:
        assert screen[0] == "1 job failed:"
        assert "    a bad cell" in screen
        assert ("1 of 2 jobs" in " ".join(screen)) == ("progress" not in quiet)
    else:
        assert screen[0].startswith("All 2 jobs are done")


def test_a_warning_fits_a_terminal_and_keeps_its_paths_whole(ended):
    handler, path = begun(1), f"data/{'own-' * 30}.csv"
    send(handler, "warning", f"{'a word ' * 30}{path}")
    lines = ended(handler)
    assert path in [line.strip() for line in lines]
    assert max(len(line) for line in lines if path not in line) <= 80


def test_a_file_has_one_line_per_finished_job(ended):
    handler = begun(*range(1, 13))
    for number in range(1, 13):
        long_name = {"k": "x" * 500} if number == 7 else {"a": "mildew", "b": "laplace"}
        send(handler, "job_info", time=10.0 * number, **job_fields(number, wildcards=long_name))
        send(handler, None, "Select jobs to execute...")
        send(handler, "job_finished", time=10.0 * number + 5, job_id=number)
    lines = ended(handler)
    assert lines.index("") == 12
    assert max(map(len, lines)) == 160
    assert lines[2].startswith(" 3 of 12, ")
    assert lines[2].endswith(": rule_3 mildew laplace")


def test_the_remaining_time_is_estimated_by_rules():
    """Two jobs run at a time; jobs of a take 2 s, of b 8 s; c has the mean of both."""
    handler = handler_of()
    send(handler, "run_info", stats={"a": 4, "b": 3, "c": 1, "total": 8})
    for number, (rule, start, end) in enumerate([("a", 0, 2), ("a", 0, 2), ("b", 2, 10)]):
        fields = job_fields(number) | {"rule_name": rule}
        send(handler, "job_info", time=start, **fields)
        send(handler, "job_finished", time=end, job_id=number)
    # 12 s of jobs in 10 s; ahead are two jobs of 2 s, two of 8 s and one of 4 s
    assert handler.run.remaining(11) == pytest.approx(24 * 10 / 12 - 1)
    assert handler.run.remaining(1000) == 0


FINISHED = [("job_info", job_fields(1)), ("job_finished", {"job_id": 1})]
FAILED = [
    ("job_info", job_fields(1)),
    ("error", {"message": "no output", "exception": "MissingOutputException"}),
    ("job_error", job_fields(1)),
]


@pytest.mark.parametrize(
    ("command", "events", "last"),
    [
        ("snakemake", [*FAILED, *FINISHED], "1 job is done"),  # it was tried again
        ("snakemake --quiet progress", [*FAILED, FINISHED[0]], "1 job is done"),
        ("snakemake --touch all", FINISHED, "1 jobs were touched"),
        ("snakemake --until rule_1", [], "up to date"),
        ("", [(None, {"message": "Report created."})], "Report created."),
    ],
)
def test_the_last_line_says_what_was_done(ended, command, events, last):
    handler = begun(*[1] * bool(events), command=command) if command else handler_of()
    for event, fields in events:
        send(handler, event, **fields)
    assert any(last in line for line in ended(handler)[-2:])


@pytest.mark.parametrize(
    ("command", "pages"),
    [("snakemake all", "results"), ("snakemake guarantees", "results/guarantees")],
)
@pytest.mark.parametrize("has_answer", [True, False])
def test_the_answer_for_own_tables_is_shown_with_the_pages(
    tmp_path, monkeypatch, ended, command, pages, has_answer
):
    monkeypatch.chdir(tmp_path)
    Path(pages).mkdir(parents=True)
    Path(pages, "index.html").touch()
    answer = "own: Use the geometric mechanism; " + "a long sentence " * 9
    Path("results/answer.txt").write_text(f"{answer}\n", "utf-8")
    handler = begun(command=command)
    # without own tables, the answer on the disk is that of an earlier run
    files = {
        "results": "results",
        "answer": "results/answer.txt" if has_answer else None,
        "pages": {"guarantees": "results/guarantees"},
    }
    send(handler, "ggexp", files=files)
    _, _, *lines, path = ended(handler)
    assert path.endswith(f" {pages}/index.html")
    assert max(map(len, lines), default=0) <= 80
    shows = has_answer and pages == "results"
    assert " ".join(map(str.strip, lines)) == (answer.strip() if shows else "")


def test_the_report_of_a_job_without_outputs_is_shown(tmp_path, ended):
    handler = begun(1, 2, 3)
    logs = {1: "07:59:01 a\n07:59:02 verified: 135 files\n", 2: "07:59:03 a file\n", 3: ""}
    for number, text in logs.items():
        log = tmp_path / f"{number}.log"
        log.write_text(text, "utf-8")
        output = "a.csv" if number == 2 else ""
        send(handler, "job_info", **job_fields(number, str(log), output))
        send(handler, "job_finished", job_id=number)
    assert ended(handler)[5:] == ["verified: 135 files"]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("epsilon must be in (0, ∞)\nand more"), "epsilon must be in (0, ∞)"),
        (RuntimeError("never thought of"), "RuntimeError: never thought of"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
    ],
)
def test_the_last_error_in_the_log_is_shown(tmp_path, ended, error, line):
    log = tmp_path / "a.log"
    with patch.object(logging.getLogger(), "handlers", []) as handlers:
        with pytest.raises(SystemExit), job(SimpleNamespace(log=[log], params={})):
            logging.getLogger("ggexp").warning("error: not this line of the job's own code")
            raise error
        for handler in handlers:
            handler.close()
    logging.captureWarnings(False)
    display = begun(1)
    send(display, "job_error", **job_fields(1, str(log)))
    lines = ended(display)
    assert f"    {line}" in lines[lines.index("1 job failed:") :]


def test_only_logs_with_content_are_named(tmp_path, monkeypatch, ended):
    monkeypatch.chdir(tmp_path)
    Path("empty.log").touch()
    Path("written.log").write_text("12:00:00 all is well\n")
    handler = begun(*range(4))
    for number, log in enumerate(["absent.log", "empty.log", "written.log", "absent.log"]):
        send(handler, "job_error", **job_fields(number, log, output=f"{number}.csv"))
    text = "\n".join(ended(handler))
    assert "absent.log" not in text
    assert "empty.log" not in text
    named = ["  rule_0: 0.csv", "  rule_1: 1.csv", "  rule_2: written.log"]
    assert {"4 jobs failed:", *named, "  and 1 more"} <= {*text.splitlines()}


def test_jobs_of_a_group_with_an_error_in_their_log_have_failed(tmp_path):
    (tmp_path / "1.log").write_text("12:00:00 all is well\n")
    (tmp_path / "2.log").write_text("12:00:00 error: a bad cell\n")
    jobs = [job_fields(number, str(tmp_path / f"{number}.log")) for number in (1, 2)]
    handler = begun(1, 2)
    send(handler, "group_error", job_error_info=jobs)
    for fields in jobs:
        send(handler, "job_error", **fields | {"indent": True})
    assert [*handler.run.failed] == [2]


def test_a_closed_pipe_does_not_end_the_run():
    reader, writer = os.pipe()
    handler = begun(1)
    handler.stream = os.fdopen(writer, "w")
    os.close(reader)
    send(handler, "job_info", **job_fields(1))
    send(handler, "job_finished", job_id=1)
    handler.close()
    handler.stream.close()  # raises an error if its text still cannot be written


def test_bars_are_not_higher_than_the_terminal(monkeypatch):
    """If forty rules are running, a terminal with 24 rows shows some of them and the total."""
    handler = begun(*range(40))
    for number in range(40):
        send(handler, "job_info", **job_fields(number))
    bars = Bars.__new__(Bars)
    bars.run, bars.console = handler.run, Console(width=80, height=24)
    rows = ["".join(segment.text for segment in row) for row in bars.console.render_lines(bars)]
    assert len(rows) < 24
    assert max(map(len, rows)) <= 80
    assert "rule 7 " in "\n".join(rows)
    assert "0/40" in "\n".join(rows)


def test_the_progress_of_the_longest_running_job_is_shown(tmp_path):
    logs = {
        "late": "10:00:00 1 of 9 repeats, 80 s remain\n",
        "tabulate_figure": "10:00:00 2 of 9 points, 7 s remain\n" * 2,
        "silent": "10:00:00 1 of 9 repeats, 80 s remain\n10:00:09 writing\n",
        "missing": None,
    }
    handler = handler_of()
    for number, (rule, text) in enumerate(logs.items()):
        log = tmp_path / f"{rule}.log"
        if text:
            log.write_text(text, "utf-8")
        fields = job_fields(number, str(log)) | {"rule_name": rule}
        send(handler, "job_info", time=9.0 - number, **fields)
    assert progress_of(handler.run) == ["tabulate figure: 2 of 9 points, 7 s remain"]
