"""Messages in every shape that exporters write; ids and times do not depend on the copy of the file."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.language.times import format_time
from engramma.records import Conversation, Problem

from .samples import MESSAGES, SINGLES, json_lines, read_all, turns_of

START = datetime(2020, 1, 1, tzinfo=UTC)


def read_values(tmp_path: Path, *values: Any, **options: Any) -> tuple[list[Conversation], list[Problem]]:
    path = tmp_path / "chat.jsonl"
    path.write_text(json_lines(list(values)))
    return read_all(path, format="messages", **options)


def read_messages(tmp_path: Path, *messages: Any, **options: Any) -> tuple[Conversation, list[Problem]]:
    conversations, problems = read_values(tmp_path, {"id": "c", "messages": messages}, **options)
    return conversations[0], problems


def test_a_conversation_a_line(tmp_path: Path) -> None:
    conversations, problems = read_values(tmp_path, *MESSAGES)
    soup, kites = conversations
    assert (soup.id, soup.title, soup.source) == ("soup", "Soup", "messages")
    assert [(turn.speaker, turn.role, turn.text) for turn in turns_of(soup)] == [
        ("system", "system", "Be brief."),
        ("user", "user", "What goes into borscht?"),
        ("assistant", "assistant", "Beetroot."),
    ]
    assert [(turn.speaker, turn.role) for turn in turns_of(kites)] == [("Ida", "user")]
    assert [problem.where for problem in problems] == ["times"]


def test_seconds_milliseconds_and_strings_are_the_same_time(tmp_path: Path) -> None:
    times = [1709287205, 1709287205000, 1709287205.0, "1709287205", "2024-03-01T10:00:05Z"]
    talk, problems = read_messages(
        tmp_path, *({"role": "user", "content": str(n), "timestamp": time} for n, time in enumerate(times))
    )
    assert {format_time(turn.said_at) for turn in turns_of(talk) if turn.said_at} == {"2024-03-01T10:00:05Z"}
    assert not problems


def test_naive_times_are_read_in_the_zone_given(tmp_path: Path) -> None:
    message = {"role": "user", "content": "x", "time": "2024-07-01 12:00"}
    talk, _ = read_messages(tmp_path, message, zone=ZoneInfo("Europe/Berlin"))
    assert turns_of(talk)[0].said_at == datetime(2024, 7, 1, 10, tzinfo=UTC)


def test_single_messages_are_gathered_by_conversation(tmp_path: Path) -> None:
    conversations, _ = read_values(tmp_path, *SINGLES)
    assert [(talk.id, [turn.text for turn in turns_of(talk)]) for talk in conversations] == [
        ("a", ["one", "two"]),
        ("b", ["uno"]),
    ]


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("value", [SINGLES, MESSAGES, MESSAGES[0], MESSAGES[:1]])
def test_one_json_value_reads_like_lines(value: Any, indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(value, indent=indent))
    expected, _ = read_values(tmp_path, *(value if isinstance(value, list) else [value]))
    assert read_all(path)[0] == expected


def test_parts_are_joined_and_parts_without_text_are_reported(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "Look "},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        "here",
        None,
        7,
    ]
    talk, problems = read_messages(tmp_path, {"role": "user", "content": parts}, fallback_time=START)
    assert turns_of(talk)[0].text == "Look \nhere"
    assert problems[0].reason == "imported, except for parts without text: image_url, int"


def test_calls_of_tools_are_kept_as_text(tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}
    other = {"function": {"name": "now", "arguments": {"zone": "UTC"}}}
    talk, _ = read_messages(
        tmp_path,
        {"role": "assistant", "content": None, "tool_calls": [call, other]},
        {"role": "assistant", "content": "So:", "function_call": {"name": "old", "arguments": ""}},
        {"role": "tool", "name": "add", "content": "2"},
    )
    assert [(turn.speaker, turn.text) for turn in turns_of(talk)] == [
        ("assistant", '[call add({"a":1})]\n[call now({"zone":"UTC"})]'),
        ("assistant", "So:\n[call old()]"),
        ("add", "2"),
    ]


def test_messages_that_cannot_be_taken_are_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    talk, problems = read_messages(
        tmp_path,
        {"role": "user", "content": None},
        {"role": "user", "content": "  "},
        {"role": "user", "content": [{"type": "image_url"}]},
        {"content": "who?"},
        {"role": "user", "content": 5},
        "text",
        {"role": "user", "content": "good", "timestamp": "2024-01-01T00:00:00Z"},
    )
    assert [turn.text for turn in turns_of(talk)] == ["good"]
    assert [(problem.where, problem.reason) for problem in problems] == [
        ("line 1, message 1", "no text; skipped"),
        ("line 1, message 2", "no text; skipped"),
        ("line 1, message 3", "no text, only parts without text: image_url; skipped"),
        ("line 1, message 4", "a message without a role or a name; skipped"),
        ("line 1, message 5", "content is a int, not text or a list of parts; skipped"),
        ("line 1, message 6", "not a JSON object; skipped"),
    ]


def test_an_unknown_role_is_the_name_of_the_speaker(tmp_path: Path) -> None:
    talk, _ = read_messages(
        tmp_path,
        {"role": "Moderator", "content": "a"},
        {"role": "human", "content": "b"},
        {"role": "developer", "content": "c"},
    )
    assert [(turn.speaker, turn.role) for turn in turns_of(talk)] == [
        ("Moderator", None),
        ("user", "user"),
        ("system", "system"),
    ]


def test_a_missing_time_is_a_second_after_the_one_before(tmp_path: Path) -> None:
    talk, problems = read_messages(
        tmp_path,
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b", "timestamp": "2024-01-01T00:00:10Z"},
        {"role": "user", "content": "c", "timestamp": "teatime"},
        {"role": "user", "content": "d", "timestamp": "2024-01-01T00:01:00Z"},
    )
    seconds = [turn.said_at.second for turn in turns_of(talk) if turn.said_at]
    assert seconds == [9, 10, 11, 0]
    assert "'teatime'" in problems[0].reason


def test_without_times_in_the_messages_the_conversation_says_when(tmp_path: Path) -> None:
    record = {"messages": [{"role": "user", "content": "a"}], "created_at": "2024-01-01T00:00:00Z"}
    conversations, problems = read_values(tmp_path, record, fallback_time=START)
    assert turns_of(conversations[0])[0].said_at == datetime(2024, 1, 1, tzinfo=UTC)
    assert not problems


def test_without_any_time_the_fallback_counts_and_is_noted_once(tmp_path: Path) -> None:
    record = {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}
    other = {"messages": [{"role": "user", "content": "c"}]}
    conversations, problems = read_values(tmp_path, record, other, fallback_time=START)
    assert turns_of(conversations[0])[1].said_at == START + timedelta(seconds=1)
    assert [problem.reason for problem in problems] == [
        "conversations without a time: 2; their turns are dated from 2020-01-01T00:00:00Z on, a second apart"
    ]
    conversations, problems = read_values(tmp_path, record)
    assert turns_of(conversations[0])[0].said_at is None
    assert "give a date" in problems[0].reason


def test_ids_do_not_depend_on_the_fallback_time(tmp_path: Path) -> None:
    record = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    ids = []
    for start in (None, START, START + timedelta(days=400)):
        talk = read_values(tmp_path, record, fallback_time=start)[0][0]
        ids.append((talk.id, talk.sessions[0].id, [turn.id for turn in turns_of(talk)]))
    assert ids[0] == ids[1] == ids[2]


def test_a_timed_conversation_keeps_its_ids_when_it_goes_on(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "ok", "timestamp": "2024-01-01T00:00:00Z"},
        {"role": "user", "content": "ok"},
        {"role": "user", "content": "again", "timestamp": "2024-01-02T00:00:00Z"},
    ]
    short = read_values(tmp_path, {"messages": messages[:2]})[0][0]
    long = read_values(tmp_path, {"messages": messages})[0][0]
    assert long.id == short.id
    assert long.sessions[0] == short.sessions[0]
    assert len({turn.id for turn in turns_of(long)}) == 3


def test_untimed_conversations_with_the_same_beginning_stay_apart(tmp_path: Path) -> None:
    greeting = {"role": "user", "content": "hi"}
    conversations, _ = read_values(
        tmp_path,
        {"messages": [greeting, {"role": "user", "content": "a"}]},
        {"messages": [greeting, {"role": "user", "content": "b"}]},
    )
    assert conversations[0].id != conversations[1].id


def test_a_pause_longer_than_the_gap_opens_a_session(tmp_path: Path) -> None:
    talk, _ = read_messages(
        tmp_path,
        {"role": "user", "content": "a", "timestamp": "2024-01-01T00:00:00Z"},
        {"role": "user", "content": "b", "timestamp": "2024-01-01T00:30:00Z"},
        {"role": "user", "content": "c", "timestamp": "2024-01-01T01:00:01Z"},
    )
    assert [(session.id, len(session.turns)) for session in talk.sessions] == [("c-1", 2), ("c-2", 1)]


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_damaged_line_is_reported_and_the_rest_is_read(position: int, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    rows = json_lines(MESSAGES).splitlines(keepends=True)
    rows.insert(position, rows[0][:60] + "\n")
    path.write_text("".join(rows))
    conversations, problems = read_all(path)
    assert [talk.id for talk in conversations] == ["soup", "kites"]
    assert problems[0].where == f"line {position + 1}"
    assert problems[0].reason.startswith("not JSON")


def test_other_values_are_reported(tmp_path: Path) -> None:
    conversations, problems = read_values(
        tmp_path, {"messages": []}, {"messages": [3]}, {"text": "?"}, [1], 5, MESSAGES[0]
    )
    assert [talk.id for talk in conversations] == ["soup"]
    assert {problem.where for problem in problems} == {
        "line 1",
        "line 2",
        "line 2, message 1",
        "line 3",
        "line 4",
        "line 5",
    }


def test_a_time_at_the_end_of_the_calendar_does_not_stop_the_reading(tmp_path: Path) -> None:
    talk, _ = read_messages(
        tmp_path,
        {"role": "user", "content": "a", "timestamp": "9999-12-31T23:59:59Z"},
        {"role": "user", "content": "b"},
    )
    assert len(turns_of(talk)) == 2


def test_a_file_without_any_message_is_refused_with_its_first_problem(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"id": "c", "messages": [{"role": "user", "content": "cut')
    with pytest.raises(UnreadableSource, match=r"contains no messages; line 1: not JSON.*ends too early"):
        read_all(path)


@pytest.mark.parametrize("indent", [None, 2])
def test_another_vendors_tree_of_messages_is_not_taken_for_a_list(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    node = {"message": {"author": {"role": "user"}, "content": {"parts": ["hi"]}}}
    path.write_text(json.dumps([{"title": "x", "mapping": {"1": node}}], indent=indent))
    assert sources.sniff(path) == "chatgpt"
    with pytest.raises(UnreadableSource, match="contains no messages"):
        read_all(path, format="messages")


def test_deep_nesting_is_reported_at_every_depth(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    call = '{"role": "assistant", "content": null, "tool_calls": [%s%s]}\n'
    for depth in (1, *range(900, 1000, 3), 100_000):
        path.write_text(json_lines(SINGLES) + call % ("[" * depth, "]" * depth))
        conversations, _ = read_all(path)
        assert {"a", "b"} <= {talk.id for talk in conversations}


def test_problems_can_be_printed_whatever_the_file_holds(tmp_path: Path) -> None:
    parts = [{"type": "\ud800" * 5000}, {"type": "text", "text": "x"}]
    _, problems = read_messages(tmp_path, {"role": "user", "content": parts}, fallback_time=START)
    assert all(len(problem.reason.encode()) < 2000 for problem in problems)
