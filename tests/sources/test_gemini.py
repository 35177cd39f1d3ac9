"""Gemini: the command line's sessions in all their forms, and the chats of the app out of Google Takeout."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.language.times import format_time
from engramma.records import Conversation, Problem

from .agents import (
    GEMINI_CHECKPOINT,
    GEMINI_HEAD,
    GEMINI_LINES,
    GEMINI_LOG,
    GEMINI_SESSION,
    OTHER,
    SESSION,
    TAKEOUT,
    TAKEOUT_PAGE,
    activity,
    card,
    gemini_message,
)
from .growing import grows_line_by_line
from .samples import json_lines, read_all, turns_of


def read_text(tmp_path: Path, name: str, text: str, **options: Any) -> tuple[list[Conversation], list[Problem]]:
    path = tmp_path / name
    path.write_text(text)
    return read_all(path, **options)


def said(talk: Conversation) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in turns_of(talk)]


# --- the command line ------------------------------------------------------------------------------

WHOLE = [
    ("user", "Read @kite.py"),
    ("assistant", "It flies."),
    ("user", "And this?\n[image]"),
    ("assistant", "A red one."),
]


@pytest.mark.parametrize(
    "text",
    [
        json_lines(GEMINI_LINES),
        json.dumps(GEMINI_SESSION),
        json.dumps(GEMINI_SESSION) + "\n",
        json.dumps(GEMINI_SESSION, indent=2),
    ],
)
def test_a_session_in_each_form_is_the_same(text: str, tmp_path: Path) -> None:
    conversations, problems = read_text(tmp_path, "file", text)
    talk = conversations[0]
    assert (len(conversations), talk.id, talk.title, talk.source) == (1, SESSION, "Kites", "gemini-cli")
    assert said(talk) == WHOLE
    assert [turn.id for turn in turns_of(talk)] == ["u1", "g2", "u2", "g3"]
    assert turns_of(talk)[1].meta == {"model": "gemini-4-pro", "project": "79b6fa86"}
    assert [format_time(turn.said_at) for turn in turns_of(talk) if turn.said_at][:2] == [
        "2026-09-28T09:00:01Z",
        "2026-09-28T09:00:03Z",
    ]
    assert not problems


def test_every_prefix_imports_and_the_longer_file_adds_only_the_rest(tmp_path: Path) -> None:
    assert grows_line_by_line(tmp_path, "session-2026-09-28T09-00-5d3f7c3e.jsonl", json_lines(GEMINI_LINES)) == 4


def test_a_message_keeps_its_first_words(tmp_path: Path) -> None:
    rows = [GEMINI_HEAD, gemini_message("u1", 1, "user", "Hello"), gemini_message("u1", 1, "user", "[masked]")]
    assert said(read_text(tmp_path, "file", json_lines(rows))[0][0]) == [("user", "Hello")]


def test_a_subagent_is_left_out(tmp_path: Path) -> None:
    rows = [{**GEMINI_HEAD, "kind": "subagent"}, gemini_message("u1", 1, "user", "Do it")]
    conversations, problems = read_text(tmp_path, "file", json_lines(rows))
    assert not conversations
    assert "subagent" in problems[0].reason


def test_damage_is_reported_and_the_rest_read(tmp_path: Path) -> None:
    rows = json_lines(GEMINI_LINES).splitlines(keepends=True)
    text = "".join([*rows[:3], "{broken\n", "[]\n", *rows[3:]])
    conversations, problems = read_text(tmp_path, "file", text)
    assert said(conversations[0]) == WHOLE
    assert [problem.where for problem in problems] == ["line 4", "line 5"]
    messages = [None, "text", gemini_message("u1", 1, "user", "Hello", timestamp="never")]
    conversations, problems = read_text(tmp_path, "file", json.dumps({**GEMINI_HEAD, "messages": messages}))
    assert said(conversations[0]) == [("user", "Hello")]
    assert [problem.where for problem in problems] == ["message 1", "message 2", "message 3"]


def test_the_prompts_of_old_sessions(tmp_path: Path) -> None:
    conversations, problems = read_text(tmp_path, "logs.json", json.dumps(GEMINI_LOG))
    assert [(talk.id, said(talk)) for talk in conversations] == [(OTHER, [("user", "Hello")])]
    assert not problems


def test_prompts_of_a_session_that_is_kept_whole_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / f"session-2025-07-01T10-00-{OTHER[:8]}.json").write_text("{}")
    conversations, problems = read_text(tmp_path, "logs.json", json.dumps(GEMINI_LOG))
    assert not conversations
    assert "chats/: 1; skipped" in problems[0].reason


@pytest.mark.parametrize("value", [GEMINI_CHECKPOINT, GEMINI_CHECKPOINT["history"]])
def test_a_checkpoint_has_no_times(value: Any, tmp_path: Path) -> None:
    when = datetime(2025, 7, 1, tzinfo=UTC)
    conversations, problems = read_text(tmp_path, "checkpoint-a.json", json.dumps(value), fallback_time=when)
    assert said(conversations[0]) == [("user", "Why does the kite fall?"), ("assistant", "The tail is too short.")]
    assert turns_of(conversations[0])[0].said_at == when
    assert "without a time" in problems[0].reason


def test_of_a_folder_the_sessions_are_taken_in_their_newer_form(tmp_path: Path) -> None:
    chats = tmp_path / "79b6fa86" / "chats"
    chats.mkdir(parents=True)
    (chats / "session-1.json").write_text(json.dumps(GEMINI_SESSION))
    (chats / "session-1.jsonl").write_text(json_lines(GEMINI_LINES))
    (tmp_path / "79b6fa86" / "logs.json").write_text(json.dumps(GEMINI_LOG))
    conversations, problems = read_all(tmp_path)
    assert [talk.id for talk in conversations] == [SESSION]
    assert [problem.where for problem in problems] == ["other files"]
    for path in chats.iterdir():
        path.unlink()
    assert [talk.id for talk in read_all(tmp_path)[0]] == [OTHER]


@pytest.mark.parametrize("text", ["{}", "[]", '{"history": []}', '{"sessionId": "x"}\n', '[{"role": "user"}]'])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource):
        read_text(tmp_path, "file", text, format="gemini-cli")


# --- Takeout ---------------------------------------------------------------------------------------


def test_activities_become_chats_and_days(tmp_path: Path) -> None:
    conversations, problems = read_text(tmp_path, "MyActivity.json", json.dumps(TAKEOUT))
    assert {talk.id: said(talk) for talk in conversations} == {
        "gemini-2026-07-20": [("user", "送信したメッセージ: 凧"), ("assistant", "はい。")],
        "0123456789abcdef": [("user", "Linked"), ("assistant", "Yes.")],
        "gemini-2026-07-26": [
            ("user", "Why does the kite fall?"),
            ("assistant", "Reasons\n\n- wind\n- weight & tail\n\nlift = 0"),
            ("user", "And the tail?\n[file]\n[file]"),
            ("assistant", "Longer."),
        ],
    }
    assert [problem.reason for problem in problems] == [
        "not messages: Created (1), Gave (1), of other products (1); skipped",
        "prompts whose date cannot be read: 1; skipped. MyActivity.json has numeric dates",
    ]
    assert conversations[0].source == "gemini-takeout"


def test_a_pause_opens_a_session_and_a_later_export_keeps_its_name(tmp_path: Path) -> None:
    rows = [activity(f"Prompted {hour}", f"2026-07-26T{hour:02}:00:00Z", "<p>Yes.</p>") for hour in (5, 6, 7)]
    ids = [session.id for session in read_text(tmp_path, "a", json.dumps(rows))[0][0].sessions]
    assert ids == [f"gemini-2026-07-26-20260726T0{hour}0000" for hour in (5, 6, 7)]
    later = read_text(tmp_path, "a", json.dumps(rows[1:]))[0][0]
    assert [session.id for session in later.sessions] == ids[1:]


def test_the_same_activity_twice_is_one(tmp_path: Path) -> None:
    row = activity("Prompted Hi", "2026-07-26T06:00:00Z", "<p>Yes.</p>")
    conversations, problems = read_text(tmp_path, "a", json.dumps([row, row]))
    assert len(turns_of(conversations[0])) == 2
    assert not problems


@pytest.mark.parametrize(
    ("title", "answer", "prompt"),
    [
        ("Prompted Created by whom?", None, "Created by whom?"),
        ("Asked Bard: Why?", "<p>x</p>", "Why?"),
        ("Created a plan for me", "<p>x</p>", None),
        ("Fragte: Warum?", None, None),
        ("Prompted what does Attached 2 files. mean here, in this long text?", None,
         "what does Attached 2 files. mean here, in this long text?"),
    ],
)  # fmt: skip
def test_titles(title: str, answer: str | None, prompt: str | None, tmp_path: Path) -> None:
    rows = [activity("Prompted first", "2026-07-25T06:00:00Z"), activity(title, "2026-07-26T06:00:00Z", answer)]
    conversations, _ = read_text(tmp_path, "a", json.dumps(rows))
    assert [talk.sessions[0].turns[0].text for talk in conversations[1:]] == ([prompt] if prompt else [])


def test_the_page_says_the_same(tmp_path: Path) -> None:
    conversations, problems = read_text(tmp_path, "MyActivity.html", TAKEOUT_PAGE)
    assert {talk.id: said(talk) for talk in conversations} == {
        "gemini-2026-07-26": [("user", "Why now?\nSee below"), ("assistant", "It is late.")],
        "0123456789abcdef": [("user", "Linked"), ("assistant", "Yes.")],
    }
    times = [format_time(talk.sessions[0].turns[0].said_at or datetime.max) for talk in conversations]
    assert sorted(times) == ["2025-09-18T11:02:52Z", "2026-07-26T06:07:57Z"]
    assert [problem.where for problem in problems] == ["activities", "dates"]


@pytest.mark.parametrize(
    ("written", "utc"),
    [
        ("Jan 2, 2026, 3:04:05 AM UTC", "2026-01-02T03:04:05Z"),
        ("Jan 2, 2026, 12:04:05 AM GMT+05:30", "2026-01-01T18:34:05Z"),
        ("2 Jan 2026, 15:04:05 GMT-3", "2026-01-02T18:04:05Z"),
        ("Jan 2, 2026, 3:04:05 PM", "2026-01-02T14:04:05Z"),
        ("Jan 2, 2026, 3:04:05 PM XYZT", "2026-01-02T14:04:05Z"),
        ("Feb 30, 2026, 3:04:05 PM UTC", None),
        ("Jan 2, 2026, 25:04:05 UTC", None),
    ],
)
def test_dates_in_words(written: str, utc: str | None, tmp_path: Path) -> None:
    page = f"<html><body>{card(f'Prompted Hi<br>{written}<br><p>Yes.</p>')}</body></html>"
    conversations, _ = read_text(tmp_path, "a", page, zone=ZoneInfo("Europe/Berlin"))
    found = [format_time(turn.said_at) for talk in conversations for turn in turns_of(talk) if turn.said_at]
    assert found == ([utc, utc] if utc else [])


def test_takeout_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "Takeout" / "My Activity" / "Gemini Apps"
    folder.mkdir(parents=True)
    (folder / "MyActivity.json").write_text(json.dumps(TAKEOUT))
    (folder / "MyActivity.html").write_text(TAKEOUT_PAGE)
    (folder / "image.png").write_bytes(b"\x89PNG")
    assert sources.sniff(tmp_path) == "gemini-takeout"
    assert len(read_all(tmp_path)[0]) == 3
    (folder / "MyActivity.json").unlink()
    (folder / "MyActivity.html").rename(folder / "Minhaatividade.html")
    assert len(read_all(tmp_path)[0]) == 2


def test_activity_of_other_products_is_refused(tmp_path: Path) -> None:
    rows = [{"header": "Search", "title": "Searched for kites", "time": "2026-07-26T06:00:00Z"}]
    with pytest.raises(UnreadableSource):
        read_text(tmp_path, "MyActivity.json", json.dumps(rows))
    with pytest.raises(UnreadableSource, match="no activity of Gemini"):
        read_text(tmp_path, "MyActivity.json", json.dumps(rows), format="gemini-takeout")
