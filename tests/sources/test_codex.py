"""Codex sessions of every version: each message once, from whichever rows it stands in."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.language.times import format_time
from engramma.records import Conversation, Problem
from engramma.sources import zst

from .agents import (
    CODEX,
    CODEX_META,
    CODEX_OLD,
    OTHER,
    SESSION,
    Row,
    codex_event,
    codex_item,
    codex_message,
    codex_row,
)
from .growing import grows_line_by_line
from .samples import json_lines, read_all, turns_of

NAME = f"rollout-2026-09-28T09-00-00-{SESSION}.jsonl"


def read_rows(tmp_path: Path, rows: list[Row], **options: Any) -> tuple[list[Conversation], list[Problem]]:
    path = tmp_path / NAME
    path.write_text(json_lines(rows))
    return read_all(path, **options)


def said(talk: Conversation) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in turns_of(talk)]


def words(tmp_path: Path, *rows: Row) -> list[tuple[str, str]]:
    conversations, problems = read_rows(tmp_path, [CODEX_META, *rows])
    assert not problems
    return said(conversations[0])


WHOLE = [
    ("user", "Why does the kite fall?"),
    ("assistant", "The tail is too short."),
    ("user", "ok"),
    ("user", "ok"),
    ("user", "And silk?"),
    ("assistant", "Silk is best."),
]


def test_a_whole_session(tmp_path: Path) -> None:
    conversations, problems = read_rows(tmp_path, CODEX)
    talk = conversations[0]
    assert (len(conversations), talk.id, talk.title, talk.source) == (1, SESSION, "kites: The kite", "codex")
    assert said(talk) == WHOLE
    assert not problems
    first, answer = turns_of(talk)[:2]
    assert first.said_at and format_time(first.said_at) == "2026-09-28T09:00:02Z"
    assert first.meta == {"branch": "tail", "cwd": "/home/ann/kites", "version": "0.120.0"}
    assert answer.meta == {**first.meta, "model": "gpt-6-codex"}
    assert len({turn.id for turn in turns_of(talk)}) == 6


def test_every_prefix_imports_and_the_longer_file_adds_only_the_rest(tmp_path: Path) -> None:
    assert grows_line_by_line(tmp_path, NAME, json_lines(CODEX)) == 6


def test_a_session_without_payloads(tmp_path: Path) -> None:
    conversations, problems = read_rows(tmp_path, CODEX_OLD)
    assert (conversations[0].id, said(conversations[0])) == (OTHER, [("user", "Hello"), ("assistant", "Hi.")])
    assert [format_time(turn.said_at) for turn in turns_of(conversations[0]) if turn.said_at] == [
        "2025-06-01T10:00:00Z",
        "2025-06-01T10:00:01Z",
    ]
    assert not problems


@pytest.mark.parametrize("indent", [None, 2])
def test_a_session_in_one_value(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "rollout-2025-05-01.json"
    path.write_text(json.dumps({"session": CODEX_OLD[0], "items": CODEX_OLD[1:]}, indent=indent))
    assert sources.sniff(path) == "codex"
    conversations, _ = read_all(path)
    assert (conversations[0].id, len(turns_of(conversations[0]))) == (OTHER, 2)


def test_a_version_without_events_is_read_from_its_responses(tmp_path: Path) -> None:
    context = "# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"
    rows = [codex_message(1, "user", context, "Hello"), codex_message(2, "assistant", "One.", "Two.")]
    assert words(tmp_path, *rows) == [("user", "Hello"), ("assistant", "One."), ("assistant", "Two.")]


def test_a_version_with_items_alone(tmp_path: Path) -> None:
    rows = [
        codex_item(1, "UserMessage", "Hello"),
        codex_item(2, "Reasoning", "Hm."),
        codex_item(3, "AgentMessage", "Hi."),
    ]
    assert words(tmp_path, *rows) == [("user", "Hello"), ("assistant", "Hi.")]


@pytest.mark.parametrize(
    "context",
    [
        "<environment_context>\n<cwd>/</cwd>\n</environment_context>",
        '<skill name="x">y</skill>',
        "<turn_aborted>x",
        "# AGENTS.md instructions for /work",
        "<image name=[Image #1]>",
    ],
)
def test_what_the_program_adds_is_left_out(context: str, tmp_path: Path) -> None:
    rows = [codex_message(1, "user", context), codex_message(1, "user", "Hello"), codex_message(2, "assistant", "Hi.")]
    assert words(tmp_path, *rows) == [("user", "Hello"), ("assistant", "Hi.")]


def test_a_tag_that_a_person_typed_is_kept(tmp_path: Path) -> None:
    typed = "<div>what is this</div>"
    rows = [codex_message(1, "user", typed), codex_event(1, "user_message", typed)]
    assert words(tmp_path, *rows) == [("user", typed)]


def test_only_the_request_is_kept_of_what_an_editor_sends(tmp_path: Path) -> None:
    sent = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nRename it.\n"
    assert words(tmp_path, codex_event(1, "user_message", sent)) == [("user", "Rename it.")]


def test_pictures_are_counted_in_either_lane(tmp_path: Path) -> None:
    response = codex_message(1, "user", "<image>", "</image>", "See")
    response["payload"]["content"].insert(1, {"type": "input_image", "image_url": "data:…"})
    rows = [response, codex_event(1, "user_message", "See", images=["data:…"], local_images=[])]
    assert words(tmp_path, *rows) == [("user", "See\n[image]")]


def test_a_message_of_the_program_that_no_event_confirms_is_left_out(tmp_path: Path) -> None:
    rows = [codex_message(1, "user", "Warning: too many processes"), codex_message(2, "user", "Hello")]
    answer = codex_message(3, "assistant", "Hi.")
    assert words(tmp_path, *rows, codex_event(2, "user_message", "Hello"), answer) == [
        ("user", "Hello"),
        ("assistant", "Hi."),
    ]
    assert [text for _, text in words(tmp_path, *rows, answer)] == ["Warning: too many processes", "Hello", "Hi."]


def test_the_first_row_names_the_session_and_a_fork_copies_others(tmp_path: Path) -> None:
    copied = codex_row(1, "session_meta", id=OTHER, cwd="/elsewhere")
    conversations, _ = read_rows(tmp_path, [CODEX_META, copied, codex_event(2, "user_message", "Hi")])
    assert conversations[0].id == SESSION
    assert turns_of(conversations[0])[0].meta["cwd"] == "/home/ann/kites"


def test_without_a_first_row_the_file_names_the_session(tmp_path: Path) -> None:
    conversations, _ = read_rows(tmp_path, [codex_event(2, "user_message", "Hi")])
    assert conversations[0].id == SESSION


@pytest.mark.parametrize("fact", [{"thread_source": "subagent"}, {"source": {"subagent": {"thread_spawn": {}}}}])
def test_the_session_of_a_subagent_is_left_out(fact: dict[str, Any], tmp_path: Path) -> None:
    meta = {**CODEX_META, "payload": {**CODEX_META["payload"], **fact}}
    conversations, problems = read_rows(tmp_path, [meta, codex_event(1, "user_message", "Do it")])
    assert not conversations
    assert "subagent" in problems[0].reason


def test_damage_is_reported_and_the_rest_read(tmp_path: Path) -> None:
    path = tmp_path / NAME
    rows = json_lines(CODEX).splitlines(keepends=True)
    broken = '{"timestamp":"x","type":"event_msg","payload":{"type":"user_message","message":"When?"}}\n'
    path.write_text("".join([*rows[:3], "{broken\n", '"text"\n', '{"type":"event_msg"}\n', broken, *rows[3:]]))
    conversations, problems = read_all(path)
    assert [one for one in said(conversations[0]) if one[1] != "When?"] == WHOLE
    assert [problem.where for problem in problems] == ["line 4", "line 5", "line 6", "line 7"]


def test_a_session_without_a_message_says_so(tmp_path: Path) -> None:
    conversations, problems = read_rows(tmp_path, [CODEX_META])
    assert (conversations, [problem.reason for problem in problems]) == ([], ["no message yet; skipped"])


def test_other_lines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="no row of a Codex session"):
        read_rows(tmp_path, [{"role": "user", "content": "Hi"}], format="codex")


# --- packed ----------------------------------------------------------------------------------------


def packed(tmp_path: Path, content: bytes, name: str = f"{NAME}.zst") -> Path:
    path = tmp_path / name
    # Two frames, as files are that were added to.
    half = len(content) // 2
    path.write_bytes(zstandard.compress(content[:half]) + zstandard.compress(content[half:]))
    return path


def test_a_packed_session_is_the_same(tmp_path: Path) -> None:
    path = packed(tmp_path, json_lines(CODEX).encode())
    assert sources.sniff(path) == "codex"
    assert read_all(path) == read_rows(tmp_path, CODEX)


def test_of_a_folder_the_unpacked_file_is_taken(tmp_path: Path) -> None:
    day = tmp_path / "2026" / "09" / "28"
    day.mkdir(parents=True)
    (day / NAME).write_text(json_lines(CODEX))
    packed(day, json_lines(CODEX).encode())
    packed(day, json_lines(CODEX_OLD).encode(), f"rollout-2025-06-01T10-00-00-{OTHER}.jsonl.zst")
    conversations, _ = read_all(tmp_path)
    assert sorted(talk.id for talk in conversations) == [OTHER, SESSION]


def test_without_the_extra_the_message_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(tmp_path, json_lines(CODEX).encode())
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert sources.sniff(path) == "codex"
    with pytest.raises(UnreadableSource) as error:
        read_all(path)
    assert "pip install 'engramma[zst]'" in str(error.value)


def test_a_damaged_packed_file_gives_what_stands_before_the_damage(tmp_path: Path) -> None:
    path = packed(tmp_path, json_lines(CODEX).encode() * 2)
    data = bytearray(path.read_bytes())
    middle = data.index(bytes.fromhex("28b52ffd"), 4)
    path.write_bytes(data[: middle + 9] + b"\xff" * 40)
    conversations, problems = read_all(path)
    assert said(conversations[0]) == WHOLE
    assert any("damaged" in problem.reason for problem in problems)
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 100)
    with pytest.raises(UnreadableSource):
        read_all(path)


def test_lines_of_a_packed_file_that_are_no_text(tmp_path: Path) -> None:
    path = packed(tmp_path, b"\xef\xbb\xbf{}\n\n\xff\nlast")
    found = list(zst.zst_lines(path))
    assert [one if isinstance(one, tuple) else one.where for one in found] == [(1, "{}"), "line 3", (4, "last")]
