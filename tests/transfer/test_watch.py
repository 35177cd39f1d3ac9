"""Live transcripts: what grows is imported as it grows, once, and the same as if it were imported at the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.sources.containers import members
from engramma.transfer import watch as watching
from engramma.transfer.export import export_lines
from engramma.transfer.imports import Reading, import_file
from engramma.transfer.watch import Watch, Watched, live_places, watch_round
from tests.commands import ran
from tests.fakes import HashEmbedder
from tests.sources.agents import CLAUDE_CODE, claude_row, text
from tests.sources.samples import json_lines

COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]
QUESTION = claude_row("user", "u1", 1, "Why does the kite fall?")
ANSWER = claude_row("assistant", "a1", 5, [text("The tail is too short.")])
AGAIN = claude_row("user", "u2", 50 * 60, "It flies. Thank you.")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "projects" / "-work-kites").mkdir(parents=True)
    return tmp_path / "projects"


def write(folder, name, data, *, at):
    """Write a transcript as it is at a second; file times are set, so that no test depends on the clock."""
    path = folder / "-work-kites" / f"{name}.jsonl"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    os.utime(path, (at, at))
    return path


def looked(memory, folder, watch, how=None):
    return list(watch_round(memory._core, [Watched(folder, "claude-code")], watch, how))


def told(memory):
    return [t.text for c in memory.conversations() for s in c.sessions for t in s.turns]


def test_a_transcript_that_grows_is_the_same_as_one_imported_whole(memory, folder, tmp_path):
    whole = json_lines(CLAUDE_CODE).encode()
    watch = Watch()
    for number, end in enumerate(range(0, len(whole) + 997, 997)):  # cut anywhere, also within a line
        path = write(folder, "kite", whole[:end], at=1_000 + number)
        reports = [report for _, report in looked(memory, folder, watch)]
        assert all(not [p for p in report.problems if "line" in p.where] for report in reports)
    assert (again := import_file(memory._core, path)).turns == 0 and again.known_turns == len(told(memory)) > 5
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        import_file(other._core, path)
        assert list(export_lines(other._core)) == list(export_lines(memory._core))
        assert sorted(other.graph()[1]) == sorted(memory.graph()[1])
    assert [check for check in doctor(memory._core) if not check.ok and check.name != "embedder works"] == []


def test_what_is_too_old_is_left_out_and_what_has_no_time_gets_one(memory, folder):
    timeless = [{**row, "sessionId": "other", "uuid": f"t{n}"} for n, row in enumerate([QUESTION, ANSWER])]
    for row in timeless:
        del row["timestamp"]
    late = datetime(2026, 9, 28, 9, 30, tzinfo=UTC)
    write(folder, "kite", json_lines([QUESTION, ANSWER, AGAIN]), at=1_000)
    write(folder, "other", json_lines(timeless), at=1_900_000_000)
    watch = Watch()
    reports = [report for _, report in looked(memory, folder, watch, Reading(since=late))]
    assert told(memory) == ["It flies. Thank you.", "Why does the kite fall?", "The tail is too short."]
    assert [p.reason for p in reports[0].problems] == ["2 said before 2026-09-28T09:30:00Z; left out as requested"]
    (placed,) = [c for c in memory.conversations() if c.id == "other"]
    assert placed.sessions[0].turns[0].said_at == datetime.fromtimestamp(1_900_000_000, UTC)
    assert looked(memory, folder, watch, Reading(since=late)) == []


def test_the_command_takes_since_date_and_timezone(folder, tmp_path):
    write(folder, "kite", json_lines([QUESTION, ANSWER, AGAIN]), at=1_000)
    command = ["watch", folder, "--once", "--store", tmp_path / "s", "--json"]
    bad = ran(*command, "--since", "tomorrowish")
    assert bad.returncode == 1 and "--since 'tomorrowish'" in bad.stderr
    asked = ["--since", "2026-09-28T11:30", "--timezone", "Europe/Berlin", "--date", "2026-01-01"]
    done = ran(*command, *asked)
    assert json.loads(done.stdout)["turns"] == 1, done.stderr


def test_a_file_is_read_again_only_when_it_changed(memory, folder):
    watch = Watch()
    first = write(folder, "one", json_lines([QUESTION]), at=1_000)
    assert [path for path, _ in looked(memory, folder, watch)] == [first]
    assert looked(memory, folder, watch) == []
    second = write(folder, "two", json_lines([claude_row("user", "x1", 2, "Silk?", sessionId="two")]), at=1_000)
    assert [path for path, _ in looked(memory, folder, watch)] == [second]
    write(folder, "one", json_lines([QUESTION, ANSWER]), at=1_000)  # larger within the same second
    ((path, report),) = looked(memory, folder, watch)
    assert path == first and (report.turns, report.known_turns) == (1, 1)


def test_a_half_written_line_waits_without_a_word(memory, folder):
    watch = Watch()
    data = json_lines([QUESTION, ANSWER]).encode()
    write(folder, "one", data[:-40], at=1_000)
    ((_, report),) = looked(memory, folder, watch)
    assert report.turns == 1 and report.problems == ()
    write(folder, "one", data, at=1_001)
    ((_, report),) = looked(memory, folder, watch)
    assert report.turns == 1 and told(memory) == ["Why does the kite fall?", "The tail is too short."]


def test_a_resumed_session_that_repeats_another_adds_only_what_is_new(memory, folder):
    watch = Watch()
    write(folder, "one", json_lines([QUESTION, ANSWER]), at=1_000)
    looked(memory, folder, watch)
    copied = [{**row, "sessionId": "resumed"} for row in (QUESTION, ANSWER, AGAIN)]
    for rows in (copied[:2], copied):
        write(folder, "resumed", json_lines(rows), at=1_001 + len(rows))
        looked(memory, folder, watch)
    assert sorted(told(memory)) == sorted(["Why does the kite fall?", "The tail is too short.", "It flies. Thank you."])
    assert import_file(memory._core, folder).turns == 0  # the folder as a whole cuts the resumed session elsewhere


def test_a_problem_is_told_once_and_a_file_that_is_gone_is_no_problem(memory, folder):
    watch = Watch()
    rows = [json.dumps(QUESTION), "{broken", json.dumps(ANSWER)]
    path = write(folder, "one", "\n".join(rows) + "\n", at=1_000)
    ((_, report),) = looked(memory, folder, watch)
    assert [problem.where for problem in report.problems] == ["line 2"]
    write(folder, "one", "\n".join([*rows, json.dumps(AGAIN)]) + "\n", at=1_001)
    ((_, report),) = looked(memory, folder, watch)
    assert report.turns == 1 and report.problems == ()
    write(folder, "empty", "", at=1_002)
    path.unlink()
    assert looked(memory, folder, watch) == []
    page = write(folder, "page", "<html>", at=1_003)
    ((_, report),) = looked(memory, folder, watch)
    assert report.problems[0].path == str(page) and looked(memory, folder, watch) == []


def test_a_folder_that_goes_while_it_is_listed_keeps_no_other_from_being_followed(
    memory, folder, tmp_path, monkeypatch
):
    going = tmp_path / "going"
    going.mkdir()
    write(folder, "one", json_lines([QUESTION, ANSWER]), at=1_000)

    def listed(path):
        if path == going and going.exists():
            going.rmdir()  # after it was seen that it is there
        return members(path)

    monkeypatch.setattr(watching, "members", listed)
    watch, places = Watch(), [Watched(going, "claude-code"), Watched(folder, "claude-code")]
    assert [report.turns for _, report in list(watch_round(memory._core, places, watch))] == [0, 2]
    assert list(watch_round(memory._core, places, watch)) == []


def test_the_default_is_where_claude_code_and_codex_keep_theirs(monkeypatch, tmp_path):
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    assert live_places() == []
    (tmp_path / ".claude" / "projects" / "-work").mkdir(parents=True)
    (tmp_path / ".claude" / "projects" / "-work" / "a.jsonl").write_text(json_lines([QUESTION]), encoding="utf-8")
    assert live_places() == [Watched(tmp_path / ".claude" / "projects", "claude-code")]


# --- the command -----------------------------------------------------------------------------------


def test_watching_once_imports_what_is_new(folder, tmp_path):
    write(folder, "one", json_lines([QUESTION, ANSWER]), at=1_000)
    command = ["--store", tmp_path / "store", "watch", "--once", folder, "--speaker", "me=Ann", "--json"]
    results = [ran(*command) for _ in range(2)]
    (line,) = results[0].stdout.splitlines()
    assert json.loads(line)["turns"] == 2 and results[1].stdout == ""
    with Memory.open(tmp_path / "store") as memory:
        assert [t.speaker for c in memory.conversations() for s in c.sessions for t in s.turns] == ["Ann", "assistant"]


def test_watching_what_is_not_there_says_so(tmp_path):
    result = ran("--store", tmp_path / "store", "watch", tmp_path / "nowhere")
    assert result.returncode == 1 and "does not exist" in result.stderr and "Traceback" not in result.stderr


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child")
def test_ctrl_c_ends_a_watch_cleanly(folder, tmp_path):
    path = write(folder, "one", json_lines([QUESTION]), at=1_000)
    command = [*COMMAND, "--store", tmp_path / "store", "watch", folder, "--interval", "0.1"]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    # Whoever runs the tests in the background may have Ctrl-C ignored, which children inherit.
    with subprocess.Popen(command, env=env, preexec_fn=restored, **pipes) as child:
        try:
            assert "1 turn" in child.stdout.readline()
            path.write_text(json_lines([QUESTION, ANSWER]), encoding="utf-8")
            assert "1 turn" in child.stdout.readline()  # it looked again by itself
            child.send_signal(signal.SIGINT)
            _, remarks = child.communicate(timeout=60)
        finally:
            child.kill()
    assert child.returncode == 0 and "stopped" in remarks and "Traceback" not in remarks


def restored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
