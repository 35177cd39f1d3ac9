"""Claude.ai's export: lists and trees of messages, blocks and attachments, and what stands beside them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.records import Conversation, Problem, Turn

from .export_samples import CLAUDE, ROOT_PARENT, as_json, claude_chat, claude_said, write_folder, write_zip
from .samples import read_all, turns_of


def read_chats(tmp_path: Path, *chats: Any, **options: Any) -> tuple[list[Conversation], list[Problem]]:
    path = tmp_path / "conversations.json"
    path.write_bytes(as_json(list(chats)))
    return read_all(path, **options)


def read_one(tmp_path: Path, *messages: Any, **fields: Any) -> tuple[Conversation, list[str]]:
    (conversation,), problems = read_chats(tmp_path, claude_chat("c", *messages, **fields))
    return conversation, [problem.reason for problem in problems]


def texts(conversation: Conversation) -> list[list[str]]:
    return [[turn.text for turn in session.turns] for session in conversation.sessions]


def at(minute: int, second: int = 0) -> datetime:
    return datetime(2024, 3, 10, 9, minute, second, tzinfo=UTC)


# --- the conversation ------------------------------------------------------------------------


def test_ids_titles_roles_and_times_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(as_json(CLAUDE))
    assert sources.sniff(path) == "claude"
    (first, second), problems = read_all(path)
    assert (first.id, first.title, first.source) == ("asyncio", "Asyncio", "claude")
    assert turns_of(first)[:2] == [
        Turn("user", "What is a coroutine?", at(0, 30), "c1", "user"),
        Turn("assistant", "A function that can pause.", at(2), "c3", "assistant"),
    ]
    assert (second.id, second.title, texts(second)) == ("greeting", None, [["Hello! 🍲"]])
    assert not problems


def test_an_answer_made_anew_is_a_session_of_its_own(tmp_path: Path) -> None:
    (talk, _), _ = read_chats(tmp_path, *CLAUDE)
    assert texts(talk) == [["What is a coroutine?", "A function that can pause."], ["A function that waits."]]
    assert [session.id for session in talk.sessions] == ["asyncio-1", "asyncio-c2-1"]
    assert dict(turns_of(talk)[2].meta) == {"branch": "c2", "follows": "c1"}


def test_the_current_leaf_decides_where_it_is_given(tmp_path: Path) -> None:
    talk, _ = read_one(tmp_path, *CLAUDE[0]["chat_messages"], current_leaf_message_uuid="c2")
    assert texts(talk)[0] == ["What is a coroutine?", "A function that waits."]


def test_messages_without_parents_are_a_list(tmp_path: Path) -> None:
    """The older export: no parents, and here and there no time."""
    talk, reasons = read_one(
        tmp_path,
        claude_said("m1", "human", "one", at="00:00"),
        claude_said("m2", "assistant", "two"),
        claude_said("m3", "human", "three", at="01:00"),
    )
    assert texts(talk) == [["one", "two", "three"]]
    assert [turn.said_at for turn in turns_of(talk)] == [at(0), at(0) + timedelta(microseconds=1), at(1)]
    assert not reasons


@pytest.mark.parametrize("root", [ROOT_PARENT, "another root", ""])
def test_the_root_may_have_any_name(root: str, tmp_path: Path) -> None:
    talk, _ = read_one(
        tmp_path,
        claude_said("a", "human", "one", at="00:00", parent_message_uuid=root),
        claude_said("b", "assistant", "two", at="00:01", parent_message_uuid="a"),
    )
    assert texts(talk) == [["one", "two"]]


def test_an_edited_question_keeps_both_talks(tmp_path: Path) -> None:
    talk, _ = read_one(
        tmp_path,
        claude_said("a", "human", "Old question", at="00:00", parent_message_uuid=ROOT_PARENT),
        claude_said("b", "assistant", "Old answer", at="00:01", parent_message_uuid="a"),
        claude_said("d", "human", "New question", at="05:00", parent_message_uuid=ROOT_PARENT),
        claude_said("e", "assistant", "New answer", at="05:01", parent_message_uuid="d"),
    )
    assert texts(talk) == [["New question", "New answer"], ["Old question", "Old answer"]]


def test_messages_in_a_circle_and_ids_used_twice_lose_nothing(tmp_path: Path) -> None:
    talk, reasons = read_one(
        tmp_path,
        claude_said("a", "human", "one", at="00:00", parent_message_uuid="b"),
        claude_said("b", "assistant", "two", at="00:01", parent_message_uuid="a"),
        claude_said("b", "assistant", "three", at="00:02", parent_message_uuid="b"),
    )
    assert sorted(turn.text for turn in turns_of(talk)) == ["one", "three", "two"]
    assert "messages reply to each other in a circle; each kept once" in reasons


def test_a_thread_ten_thousand_deep_is_walked(tmp_path: Path) -> None:
    messages = [
        claude_said(f"m{n}", "human", f"line {n}", parent_message_uuid=f"m{n - 1}" if n else ROOT_PARENT)
        for n in range(10_000)
    ]
    talk, _ = read_one(tmp_path, *messages)
    assert [turn.id for turn in turns_of(talk)] == [f"m{n}" for n in range(10_000)]


def test_what_cannot_be_taken_is_reported_and_the_rest_is_taken(tmp_path: Path) -> None:
    talk, reasons = read_one(
        tmp_path,
        claude_said("a", "human", "kept", at="00:00"),
        None,
        "text",
        {**claude_said("b", "human", "x"), "sender": None},
        claude_said("c", "human", content=7),
        claude_said("d", "human"),
        {"uuid": None, "sender": "assistant", "text": "kept, too", "content": None, "attachments": None},
        created_at="some day",
    )
    assert texts(talk) == [["kept", "kept, too"]]
    assert turns_of(talk)[1].id
    assert sorted(reasons) == sorted(
        [
            "not a JSON object; skipped",
            "not a JSON object; skipped",
            "a message without a sender; skipped",
            "content is a int, not a list of blocks; skipped",
            "kept without created_at: 'some day' is not an ISO 8601 time such as 2023-05-08T13:56:00Z",
            "not part of the conversation: 1 empty; skipped",
        ]
    )


@pytest.mark.parametrize("messages", [None, [], {}, [None], "x"])
def test_a_conversation_without_messages_is_reported(messages: Any, tmp_path: Path) -> None:
    conversations, problems = read_chats(tmp_path, {**CLAUDE[0], "chat_messages": messages}, CLAUDE[1])
    assert [talk.id for talk in conversations] == ["greeting"]
    assert problems[-1].reason == "a conversation without usable messages; skipped"


# --- what a message says ---------------------------------------------------------------------


def said_text(tmp_path: Path, **fields: Any) -> str:
    talk, _ = read_one(tmp_path, {**claude_said("a", "assistant", "the text field"), **fields})
    return turns_of(talk)[0].text


TEXT = {"type": "text", "text": "A block.", "start_timestamp": "2024-03-10T09:00:00Z", "citations": []}
THINKING = {"type": "thinking", "thinking": "Hm.", "summaries": []}
CALL = {"type": "tool_use", "name": "web_search", "input": {"query": "herons"}}
RESULT = {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "A long page"}]}
ARTIFACT = {
    "type": "tool_use",
    "name": "artifacts",
    "input": {"id": "plan", "title": "The plan", "command": "create", "content": "Step one"},
}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"content": [TEXT, {**TEXT, "text": " Another "}]}, "A block.\n Another "),
        ({"content": []}, "the text field"),
        ({"content": None}, "the text field"),
        ({"content": "as a string"}, "as a string"),
        ({"content": [{"type": "text", "text": ""}]}, "the text field"),
        ({"content": [THINKING, CALL, RESULT, TEXT, {"type": "token_budget"}]}, "A block."),
        ({"content": [THINKING, CALL]}, "the text field"),
        ({"content": [TEXT, ARTIFACT]}, "A block.\n[document: The plan]\nStep one"),
        ({"content": [{"type": "voice_note", "title": "t", "text": "spoken"}]}, "spoken"),
        ({"content": [{"type": "image", "source": {}}, TEXT]}, "[image]\nA block."),
        ({"content": [None, 3, {}, TEXT]}, "A block."),
    ],
)
def test_blocks_are_the_text_and_the_text_field_stands_in(fields: Any, text: str, tmp_path: Path) -> None:
    assert said_text(tmp_path, **fields) == text


def test_what_was_left_out_is_counted(tmp_path: Path) -> None:
    _, reasons = read_one(
        tmp_path, claude_said("a", "assistant", "x", content=[THINKING, CALL, RESULT, THINKING, TEXT])
    )
    assert reasons == ["not part of the conversation: 2 thoughts, 1 tool calls, 1 tool results; skipped"]


def test_attachments_keep_their_text_and_files_their_names(tmp_path: Path) -> None:
    text = said_text(
        tmp_path,
        attachments=[
            {"file_name": "notes.txt", "file_type": "txt", "file_size": 9, "extracted_content": "Chapter one\n"},
            {"file_name": "", "extracted_content": "pasted"},
            {"file_name": "", "extracted_content": ""},
            None,
        ],
        files=[{"file_name": "photo.png"}, {"file_name": "notes.txt"}, {"file_uuid": "1"}],
        files_v2=[{"file_name": "photo.png"}],
    )
    assert text == ("the text field\n[attachment: notes.txt]\nChapter one\n\n[attachment]\npasted\n[file: photo.png]")


def test_a_message_of_an_attachment_alone_is_kept(tmp_path: Path) -> None:
    files = [{"file_name": "a.pdf", "extracted_content": "its text"}]
    assert said_text(tmp_path, text="", content=[], attachments=files) == "[attachment: a.pdf]\nits text"


def test_model_and_project_are_kept(tmp_path: Path) -> None:
    talk, _ = read_one(
        tmp_path,
        claude_said("a", "human", "x"),
        claude_said("b", "assistant", "y"),
        model="claude-sonnet",
        project={"uuid": "p-1", "name": "Garden"},
    )
    assert [dict(turn.meta) for turn in turns_of(talk)] == [
        {"project": "p-1"},
        {"project": "p-1", "model": "claude-sonnet"},
    ]


# --- who speaks, and what stands beside ------------------------------------------------------


def test_the_accounts_name_is_the_speakers(tmp_path: Path) -> None:
    talk, _ = read_one(tmp_path, claude_said("a", "human", "x"), account={"uuid": "u", "name": "Alice Coder"})
    assert (turns_of(talk)[0].speaker, turns_of(talk)[0].role) == ("Alice Coder", "user")


@pytest.mark.parametrize("write", [write_zip, write_folder])
def test_names_of_the_users_beside_are_kept_and_other_files_are_noted(write: Any, tmp_path: Path) -> None:
    members = {
        "conversations.json": as_json(CLAUDE),
        "users.json": as_json([None, {"uuid": "user-1", "full_name": "Ada", "email_address": "a@example.org"}]),
        "projects.json": as_json([{"uuid": "p-1", "docs": []}]),
    }
    path = write(tmp_path / "data-2025", members)
    assert sources.sniff(path) == "claude"
    conversations, problems = read_all(path)
    said = [turn for talk in conversations for turn in turns_of(talk)]
    assert {(turn.speaker, turn.meta.get("name")) for turn in said} == {("user", "Ada"), ("assistant", None)}
    (note,) = [problem.reason for problem in problems if problem.where == "other files"]
    assert "projects.json" in note and "users.json" in note


@pytest.mark.parametrize("users", [b"<html>", b"{}", b"[1, {}]", b"\xff", b""])
def test_a_bad_file_of_users_costs_only_the_names(users: bytes, tmp_path: Path) -> None:
    path = write_folder(tmp_path / "x", {"conversations.json": as_json(CLAUDE), "users.json": users})
    conversations, _ = read_all(path)
    assert (turns_of(conversations[0])[0].speaker, dict(turns_of(conversations[0])[0].meta)) == ("user", {})


def test_the_bare_file_and_the_zip_are_the_same_turns(tmp_path: Path) -> None:
    """Imported one after the other, the second must add nothing."""
    users = as_json([{"uuid": "user-1", "full_name": "Ada"}])
    bare, _ = read_chats(tmp_path, *CLAUDE)
    zipped, _ = read_all(write_zip(tmp_path / "x.zip", {"conversations.json": as_json(CLAUDE), "users.json": users}))
    for one, other in zip(bare, zipped, strict=True):
        assert one.id == other.id
        known = [(turn.id, turn.speaker, turn.text, turn.said_at) for turn in turns_of(one)]
        assert known == [(turn.id, turn.speaker, turn.text, turn.said_at) for turn in turns_of(other)]


def test_an_export_of_the_other_vendor_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(as_json([{"title": "x", "mapping": {}}]))
    with pytest.raises(UnreadableSource, match=r"holds no claude conversation\..*the keys title, mapping"):
        read_all(path, format="claude")
