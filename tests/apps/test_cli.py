"""The command line as a user meets it: a real process, its output and its exit code."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

COMMAND = "from engramma.apps.cli.main import run; run()"
FIELDS = {"segment_id", "session_id", "conversation_id", "turn_ids", "speakers", "said_at", "text", "score", "role"}


@pytest.fixture
def run(tmp_path):
    def call(*arguments, stdin=None, ok=True):
        command = [sys.executable, "-c", COMMAND, "--store", str(tmp_path / "store"), *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, input=stdin, encoding="utf-8", cwd=tmp_path)
        assert "Traceback" not in result.stderr
        if ok:
            assert result.returncode == 0, result.stderr
        return result

    return call


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "trip.txt"
    path.write_text(
        "--- 2026-02-03 18:00 ---\n"
        "Ana: We booked the night train to Vienna for the 4th of March.\n"
        "Ben: Great. I will bring the binoculars, and my sister joins us in Linz.\n"
        "--- 2026-02-20 08:30 ---\n"
        "Ben: Bad news: the night train is cancelled.\n"
        "Ana: Then we take the morning train at 7:42, I changed the booking.\n",
        encoding="utf-8",
    )
    return path


def test_from_a_transcript_to_an_answer(run, transcript):
    added = run("import", transcript).stdout
    assert "2 sessions, 4 turns, 4 segments" in added
    found = run("recall", "Which train do we take to Vienna?").stdout
    assert "Ana: Then we take the morning train at 7:42" in found and "2026-02-20 08:30" in found


def test_json_everywhere(run, transcript):
    assert json.loads(run("init", "--json").stdout)["embedder"]
    assert json.loads(run("--json", "import", transcript).stdout)["turns"] == 4
    recalled = json.loads(run("recall", "the train", "--json").stdout)
    assert set(recalled) == {"query", "context", "candidates", "trace", "tokens"}
    assert set(recalled["candidates"][0]) >= FIELDS
    segment = recalled["candidates"][0]["segment_id"]
    assert json.loads(run("show", segment, "--json").stdout)["segment"]["id"] == segment
    assert len(json.loads(run("sessions", "--json").stdout)) == 2
    figures = json.loads(run("stats", "--json").stdout)
    assert figures["turns"] == 4 and figures["thresholds"]["mode"] == "auto"
    assert json.loads(run("doctor", "--json").stdout)["ok"] is True


def test_remember_recall_show(run):
    run("remember", "My cat is called Pixel", "-s", "Ana", "--at", "2026-03-01T10:00:00+01:00")
    run("remember", "-", "-s", "Ben", "--session", "x", "--close", stdin="I am allergic to cats")
    assert "Pixel" in run("recall", "What is Ana's cat called?").stdout
    assert "[" in run("sessions").stdout or "cli/x" in run("sessions").stdout
    assert "I am allergic to cats" in run("show", "cli/x").stdout


def test_export_backup_restore(run, transcript, tmp_path):
    run("import", transcript)
    run("export", tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8")
    assert run("export").stdout == lines
    run("backup", tmp_path / "b.zip")
    run("restore", tmp_path / "b.zip", "--store", tmp_path / "other")
    assert run("export", "--store", tmp_path / "other").stdout == lines
    assert "0 turns" in run("import", tmp_path / "all.jsonl").stdout


def test_mistakes_get_a_message_and_an_exit_code(run, tmp_path):
    missing = run("recall", "x", ok=False)
    assert missing.returncode == 1 and "engramma init" in missing.stderr and missing.stdout == ""
    run("init")
    for arguments, words in (
        (("recall", "x", "--recipe", "magic"), "default, pmg, vector"),
        (("recall", " "), "empty"),
        (("show", "seg_nothing"), "engramma sessions"),
        (("import", tmp_path / "no-such-file"), "no-such-file"),
        (("remember", "x", "--at", "yesterday"), "--at"),
        (("import", "--timezone", "Mars/Base", tmp_path / "x"), "Mars/Base"),
        (("init", "--embedder", "no-such-model"), "no-such-model"),
    ):
        result = run(*arguments, ok=False)
        assert result.returncode == 1 and words in result.stderr, (arguments, result.stderr)
    assert run("recall", ok=False).returncode == 2


def test_namespaces_are_apart(run, transcript):
    run("import", transcript, "-n", "travel")
    assert json.loads(run("sessions", "--json").stdout) == []
    assert len(json.loads(run("sessions", "--json", "--namespace", "travel").stdout)) == 2
    typo = run("recall", "x", "-n", "travels", ok=False)
    assert typo.returncode == 1 and "There are: default, travel" in typo.stderr


def test_the_demo_shows_contexts_and_draws_a_picture(run, tmp_path):
    shown = run("demo", "--out", tmp_path / "d").stdout
    assert shown.count("Question ") == 3 and "semantic edge" in shown and "chain edge" in shown
    assert (tmp_path / "d" / "graph.html").stat().st_size > 20_000
    assert "0 turns" in run("demo", "--out", tmp_path / "d").stdout, "a second run finds everything there"
