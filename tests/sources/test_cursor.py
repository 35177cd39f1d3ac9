"""Cursor's database: its chats are read, nothing else in it is, and nothing in it is changed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.language.times import format_time
from engramma.records import Conversation
from engramma.sources import cursor

from .agents import OLD_CHATS, OTHER, SESSION, TOKEN, bubble, cursor_cells, cursor_database
from .samples import GAP, read_all, turns_of


def said(talk: Conversation) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in turns_of(talk)]


def database(tmp_path: Path, cells: dict[str, Any] | None = None, items: dict[str, Any] | None = None) -> Path:
    return cursor_database(tmp_path / "state.vscdb", cursor_cells() if cells is None else cells, items)


def test_a_whole_database(tmp_path: Path) -> None:
    path = database(tmp_path, items={"cursorAuth/accessToken": TOKEN})
    assert sources.sniff(path) == "cursor"
    conversations, problems = read_all(path)
    old, new = conversations
    assert (new.id, new.title, new.source) == (SESSION, "The kite", "cursor")
    assert said(new) == [
        ("user", "Why does the kite fall?"),
        ("assistant", "The tail is too short."),
        ("user", "Like this?\n[image]"),
    ]
    assert [turn.id for turn in turns_of(new)] == ["b1", "b4", "b5"]
    assert turns_of(new)[0].meta == {"branch": "tail"}
    assert turns_of(new)[1].meta == {"branch": "tail", "model": "claude-5-opus"}
    assert (old.id, said(old)) == (OTHER, [("user", "Hello"), ("assistant", "Hi.")])
    assert [format_time(turn.said_at) for turn in turns_of(old) if turn.said_at] == [
        "2025-06-01T10:00:04Z",
        "2025-06-01T10:00:05Z",
    ]
    assert not problems


def test_only_the_keys_of_chats_are_asked_for(tmp_path: Path) -> None:
    path = database(tmp_path, items={"cursorAuth/accessToken": TOKEN, "workbench.view": TOKEN})
    seen: list[object] = []
    plain = cursor._connected

    def listening(at: Path) -> sqlite3.Connection:
        connection = plain(at)
        connection.text_factory = lambda data: seen.append(data) or bytes(data)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cursor, "_connected", listening)
        assert cursor.looks_like("SQLite format 3\0", path)
        assert len(read_all(path)[0]) == 2
    assert seen
    assert not any(TOKEN.encode() in bytes(one) for one in seen if isinstance(one, bytes))


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    path = database(tmp_path)
    before = path.read_bytes()
    path.chmod(0o400)
    read_all(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["state.vscdb"]


def test_what_cursor_has_just_written_is_read_while_it_runs(tmp_path: Path) -> None:
    path = database(tmp_path)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    chat = {"composerId": "new", "createdAt": 1790586000000, "conversation": [bubble("n1", 1, "Just now")]}
    writer.execute("INSERT INTO cursorDiskKV VALUES ('composerData:new', ?)", (json.dumps(chat),))
    writer.commit()
    conversations, _ = read_all(path)
    assert "new" in [talk.id for talk in conversations]
    writer.close()


def test_a_chat_that_goes_on_adds_only_what_is_new(tmp_path: Path) -> None:
    cells = cursor_cells()
    first = {talk.id: turns_of(talk) for talk in read_all(database(tmp_path, cells))[0]}
    (tmp_path / "state.vscdb").unlink()
    cells[f"composerData:{SESSION}"]["generatingBubbleIds"] = []
    cells[f"bubbleId:{SESSION}:b7"]["text"] = "Half an answer no more."
    later = {talk.id: turns_of(talk) for talk in read_all(database(tmp_path, cells))[0]}
    assert later[SESSION][:-1] == first[SESSION]
    assert later[SESSION][-1].text == "Half an answer no more."


def test_an_answer_that_is_being_written_waits(tmp_path: Path) -> None:
    chat = {
        "composerId": "c",
        "status": "generating",
        "createdAt": 1790586000000,
        "conversation": [bubble("n1", 1, "Hi"), bubble("n2", 2, "Hel")],
    }
    assert said(read_all(database(tmp_path, {"composerData:c": chat}))[0][0]) == [("user", "Hi")]


def test_messages_that_lie_in_a_map(tmp_path: Path) -> None:
    chat = {
        "composerId": "c",
        "createdAt": 1790586000000,
        "fullConversationHeadersOnly": [{"bubbleId": "n1", "type": 1}, {"bubbleId": 3}, None],
        "conversationMap": {"n1": bubble("n1", 1, "Hi")},
    }
    assert said(read_all(database(tmp_path, {"composerData:c": chat}))[0][0]) == [("user", "Hi")]


def test_chats_of_a_workspace_before_2025(tmp_path: Path) -> None:
    key = "workbench.panel.aichat.view.aichat.chatdata"
    composers = {
        "allComposers": [{"composerId": "w", "createdAt": 1717236000000, "conversation": [bubble("x", 1, "Hey")]}]
    }
    path = database(tmp_path, {}, {key: OLD_CHATS, "composer.composerData": composers})
    conversations, problems = read_all(path)
    found = {talk.id: (talk.title, said(talk)) for talk in conversations}
    assert found == {
        "tab-1": ("Old kites", [("user", "Hi"), ("assistant", "Hello.")]),
        "w": (None, [("user", "Hey")]),
    }
    assert not problems


def test_damaged_values_are_reported_and_the_rest_read(tmp_path: Path) -> None:
    cells = cursor_cells()
    cells["composerData:bad"] = "{broken"
    cells["composerData:text"] = b"\xff\xfe"
    cells["composerData:list"] = "[]"
    cells["composerData:none"] = b""
    cells[f"bubbleId:{SESSION}:b6"] = "not json"
    cells[f"bubbleId:{SESSION}:b5"]["createdAt"] = "sometime"
    conversations, problems = read_all(database(tmp_path, cells))
    assert len(conversations) == 2
    places = [problem.where for problem in problems]
    assert places[-2:] == ["composerData:bad", "composerData:text"]
    assert f"bubbleId:{SESSION}:b6" in places
    assert any(place.endswith("message b5") for place in places)


def test_a_damaged_database_gives_what_can_be_read_or_says_why_not(tmp_path: Path) -> None:
    cells = {f"composerData:{n:04}": {"conversation": [bubble(f"b{n}", 1, "x" * 900)]} for n in range(200)}
    path = database(tmp_path, cells)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    try:
        conversations, problems = read_all(path, fallback_time=None)
        assert len(conversations) < 200
        assert any("damaged" in problem.reason for problem in problems)
    except UnreadableSource as error:
        assert "database" in str(error)
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    with pytest.raises(UnreadableSource):
        read_all(path)


def test_other_databases_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)")
    other.execute("INSERT INTO ItemTable VALUES ('workbench.view', 'x')")
    other.commit()
    other.close()
    with pytest.raises(UnreadableSource, match="SQLite database"):
        sources.sniff(path)
    plain = tmp_path / "plain.db"
    empty = sqlite3.connect(plain)
    empty.execute("CREATE TABLE notes (text TEXT)")
    empty.close()
    with pytest.raises(UnreadableSource, match="none of its tables"):
        list(sources.read_source(plain, "cursor", idle_gap=GAP))


def test_a_database_without_chats_says_so(tmp_path: Path) -> None:
    conversations, problems = read_all(database(tmp_path, {}))
    assert (conversations, [problem.reason for problem in problems]) == ([], ["no chats in it; skipped"])


def test_the_folders_of_cursor(tmp_path: Path) -> None:
    path = database(tmp_path)
    user = tmp_path / "User"
    (user / "globalStorage").mkdir(parents=True)
    (user / "workspaceStorage" / "1f").mkdir(parents=True)
    shutil.move(path, user / "globalStorage" / "state.vscdb")
    cursor_database(user / "workspaceStorage" / "1f" / "state.vscdb", {})
    assert sources.sniff(user) == "cursor"
    assert len(read_all(user)[0]) == 2
    packed = Path(shutil.make_archive(str(tmp_path / "user"), "zip", user))
    with pytest.raises(UnreadableSource, match="unpack it first"):
        read_all(packed)
