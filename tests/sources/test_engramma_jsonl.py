"""Engramma's own export is lossless, stable and forgiving of damaged lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engramma.errors import UnreadableSource
from engramma.records import Conversation, Problem, Role, Session, Turn
from engramma.sources import ReaderOptions, engramma_jsonl

from .samples import CONVERSATIONS, GAP, read_all, turns_of

TEXT = st.text()  # Every character but the surrogates, which no file can hold.
TURNS = st.builds(
    Turn,
    speaker=TEXT,
    text=TEXT,
    said_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    id=st.none() | TEXT,
    role=st.none() | st.sampled_from(get_args(Role)),
)
SESSIONS = st.builds(Session, id=TEXT, turns=st.lists(TURNS, max_size=3).map(tuple), closed=st.booleans())
TALKS = st.builds(
    Conversation,
    id=TEXT,
    sessions=st.lists(SESSIONS, max_size=3, unique_by=lambda session: session.id).map(tuple),
    title=st.none() | TEXT,
    source=st.none() | TEXT,
)


def write(path: Path, conversations: Iterable[Conversation], namespace: str = "default") -> Path:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(engramma_jsonl.write_export_lines(conversations, namespace))
    return path


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TALKS, max_size=3, unique_by=lambda talk: talk.id), TEXT)
def test_reading_gives_back_exactly_what_was_written(tmp_path: Path, talks: list[Conversation], namespace: str) -> None:
    path = write(tmp_path / "export.jsonl", talks, namespace)
    assert list(engramma_jsonl.read(path, ReaderOptions(GAP))) == talks


def test_the_lines_are_these() -> None:
    talk = Conversation(
        "trip",
        (Session("s", (Turn("Änn", "a\n\u2028b\x01", datetime(2023, 5, 8, 13, 56, tzinfo=UTC), "t", "user"),)),),
    )
    assert list(engramma_jsonl.write_export_lines([talk], "home")) == [
        '{"engramma":1,"kind":"export","namespace":"home"}\n',
        '{"type":"conversation","id":"trip","title":null,"source":null}\n',
        '{"type":"session","conversation":"trip","id":"s","closed":true}\n',
        '{"type":"turn","conversation":"trip","session":"s","id":"t","speaker":"Änn","role":"user",'
        '"said_at":"2023-05-08T13:56:00Z","text":"a\\n\u2028b\\u0001"}\n',
    ]


def test_the_common_way_of_reading_changes_nothing_either(tmp_path: Path) -> None:
    path = write(tmp_path / "export.jsonl", CONVERSATIONS)
    assert read_all(path) == (list(CONVERSATIONS), [])


def test_an_empty_export_is_valid(tmp_path: Path) -> None:
    assert read_all(write(tmp_path / "export.jsonl", [])) == ([], [])


def test_two_exports_in_one_file_are_an_export(tmp_path: Path) -> None:
    path = tmp_path / "both.jsonl"
    path.write_bytes(
        write(tmp_path / "a", CONVERSATIONS[:1]).read_bytes() + write(tmp_path / "b", CONVERSATIONS[1:]).read_bytes()
    )
    assert read_all(path) == (list(CONVERSATIONS), [])


def test_a_newer_version_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text('{"engramma":2,"kind":"export","namespace":"default"}\n')
    with pytest.raises(UnreadableSource, match="version 2"):
        read_all(path)


@pytest.mark.parametrize(
    "header", ['{"engramma":1,"kind":"backup"}', '{"engramma":"1","kind":"export"}', '{"engramma":1,"ki', "7"]
)
def test_other_first_lines_are_refused(header: str, tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text(header + "\n")
    with pytest.raises(UnreadableSource):
        read_all(path, format="engramma")


@pytest.mark.parametrize("number", range(2, 10))
def test_one_damaged_line_costs_that_line_only(number: int, tmp_path: Path) -> None:
    path = write(tmp_path / "export.jsonl", CONVERSATIONS)
    rows = path.read_bytes().split(b"\n")
    was = json.loads(rows[number - 1])
    rows[number - 1] = rows[number - 1][:-7]
    path.write_bytes(b"\n".join(rows))
    conversations, problems = read_all(path)
    assert problems[0].where == f"line {number}"
    assert problems[0].reason.startswith("not JSON")
    kept = [turn for talk in conversations for turn in turns_of(talk)]
    assert len(kept) == 4 - (was["type"] == "turn")
    assert {talk.id for talk in conversations} | {was["id"]} >= {"trip", "short"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"type":"turn","conversation":"c","session":"s","speaker":"A"}', "text is missing"),
        ('{"type":"turn","conversation":"c","session":"s","speaker":"A","text":5}', "text is missing"),
        ('{"type":"turn","session":"s","speaker":"A","text":"x"}', "conversation is missing"),
        (
            '{"type":"turn","conversation":"c","session":"s","speaker":"A","text":"x","role":"boss"}',
            "role is 'boss'",
        ),
        (
            '{"type":"turn","conversation":"c","session":"s","speaker":"A","text":"x","said_at":"2023-01-01"}',
            "no time zone",
        ),
        ('{"type":"session","conversation":"c","id":"s"}', "closed"),
        ('{"type":"remark"}', "type is 'remark'"),
        ("[]", "not a JSON object"),
    ],
)
def test_a_line_that_does_not_fit_says_why(line: str, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path / "export.jsonl", CONVERSATIONS)
    path.write_bytes(path.read_bytes() + line.encode() + b"\n")
    conversations, problems = read_all(path)
    assert conversations == list(CONVERSATIONS)
    assert [type(problem) for problem in problems] == [Problem]
    assert reason in problems[0].reason
