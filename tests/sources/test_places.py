"""Where assistants keep their talk, on each system: found by names and sizes, and nothing is opened."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engramma import sources
from engramma.sources.places import TranscriptPlace, known_places

LINUX = {
    ".claude/projects/-work-kites/1.jsonl": 30,
    ".claude/projects/-work-kites/2.jsonl": 40,
    ".claude/projects/-work-kites/agent-1.jsonl": 9,
    ".claude/projects/-work-kites/2/subagents/agent-2.jsonl": 9,
    ".claude/projects/-work-kites/empty.jsonl": 0,
    ".codex/sessions/2026/09/28/rollout-1.jsonl": 5,
    ".codex/sessions/2026/09/27/rollout-0.jsonl.zst": 5,
    ".codex/sessions/2026/09/27/notes.txt": 5,
    ".codex/auth.json": 5,
    ".gemini/tmp/79b6/chats/session-1.jsonl": 7,
    ".gemini/tmp/79b6/chats/parent/sub.jsonl": 7,
    ".gemini/tmp/79b6/logs.json": 7,
    ".gemini/oauth_creds.json": 7,
    ".config/Cursor/User/globalStorage/state.vscdb": 11,
    ".config/Cursor/User/globalStorage/state.vscdb.backup": 11,
    ".config/Cursor/User/workspaceStorage/1f/state.vscdb": 12,
    "Downloads/holiday.zip": 1,
}


def lay(home: Path, files: dict[str, int]) -> Path:
    """Files of these sizes that nobody may open, each a minute newer than the one before."""
    for minute, (name, size) in enumerate(files.items()):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        os.utime(path, (minute * 60, minute * 60))
    return home


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening any file fails the test, once the files are laid."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    plain = known_places

    def guarded(*args: object, **kwargs: object) -> list[TranscriptPlace]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("io.open", refuse)
            patch.setattr("builtins.open", refuse)
            patch.setattr("os.open", refuse)
            return plain(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setitem(globals(), "known_places", guarded)


def facts(places: list[TranscriptPlace], home: Path) -> list[tuple[str, str | None, str, int, int]]:
    return [(one.name, one.reader, one.path.relative_to(home).as_posix(), one.files, one.bytes) for one in places]


def test_linux(tmp_path: Path) -> None:
    places = known_places(lay(tmp_path, LINUX), {}, platform="linux")
    assert facts(places, tmp_path) == [
        ("Claude Code", "claude-code", ".claude/projects", 2, 70),
        ("Codex", "codex", ".codex/sessions", 2, 10),
        ("Gemini CLI", "gemini-cli", ".gemini/tmp", 1, 7),
        ("Cursor", "cursor", ".config/Cursor/User/globalStorage", 1, 11),
        ("Cursor, older chats", "cursor", ".config/Cursor/User/workspaceStorage", 1, 12),
    ]
    assert places[0].newest == datetime(1970, 1, 1, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("darwin", "Library/Application Support/Cursor/User"), ("win32", "AppData/Roaming/Cursor/User")],
)
def test_cursor_on_other_systems(platform: str, folder: str, tmp_path: Path) -> None:
    lay(tmp_path, {f"{folder}/globalStorage/state.vscdb": 3})
    assert [place.path for place in known_places(tmp_path, {}, platform=platform)] == [
        tmp_path / folder / "globalStorage"
    ]


def test_variables_move_the_folders(tmp_path: Path) -> None:
    files = ("c/projects/p/1.jsonl", "x/sessions/rollout-1.jsonl", "g/.gemini/tmp/h/chats/session-1.json")
    lay(tmp_path, dict.fromkeys((*files, "s/Cursor/User/globalStorage/state.vscdb"), 1))
    env = {"CLAUDE_CONFIG_DIR": "c", "CODEX_HOME": "x", "GEMINI_CLI_HOME": "g", "XDG_CONFIG_HOME": "s"}
    env = {name: str(tmp_path / folder) for name, folder in env.items()}
    assert [place.name for place in known_places(tmp_path / "nobody", env, platform="linux")] == [
        "Claude Code",
        "Codex",
        "Gemini CLI",
        "Cursor",
    ]
    windows = {"APPDATA": str(tmp_path / "s")}
    assert [place.name for place in known_places(tmp_path, windows, platform="win32")] == ["Cursor"]


@pytest.mark.parametrize(
    ("file", "name", "reader"),
    [
        ("ChatGPT-export.zip", "ChatGPT export", "chatgpt"),
        (f"{'0a' * 32}-2026-09-28-09-00-00-{'1b' * 16}.zip", "ChatGPT export", "chatgpt"),
        ("conversations.json", "ChatGPT or Claude export", None),
        ("conversations (1).json", "ChatGPT or Claude export", None),
        ("conversations-001.json", "ChatGPT or Claude export", None),
        ("data-2026-09-28-09-00-00-batch-0000.zip", "Claude export", "claude"),
        ("claude_export.zip", "Claude export", "claude"),
        ("takeout-20260928T090000Z-001.zip", "Google Takeout", None),
        ("MyActivity.json", "Google Takeout", None),
    ],
)
def test_exports_among_the_downloads(file: str, name: str, reader: str | None, tmp_path: Path) -> None:
    lay(tmp_path, {f"Downloads/{file}": 5, "Downloads/other/conversations.json": 5, "Downloads/report.json": 5})
    assert facts(known_places(tmp_path, {}, platform="linux"), tmp_path) == [(name, reader, f"Downloads/{file}", 1, 5)]


def test_the_newest_export_is_first(tmp_path: Path) -> None:
    lay(tmp_path, {"Downloads/chatgpt-b.zip": 5, "Downloads/claude.zip": 5, "Downloads/chatgpt-a.zip": 5})
    names = [place.path.name for place in known_places(tmp_path, {}, platform="linux")]
    assert names == ["chatgpt-a.zip", "claude.zip", "chatgpt-b.zip"]


def test_nothing_there(tmp_path: Path) -> None:
    assert known_places(tmp_path / "nobody", {}, platform="linux") == []
    (tmp_path / ".claude").write_text("a file")
    (tmp_path / "Downloads").write_text("a file")
    assert known_places(tmp_path, {}, platform="linux") == []


def test_every_reader_that_is_named_exists(tmp_path: Path) -> None:
    lay(tmp_path, {**LINUX, "Downloads/chatgpt.zip": 1, "Downloads/claude.zip": 1})
    named = {place.reader for place in known_places(tmp_path, {}, platform="linux")} - {None}
    assert named <= set(sources.READERS)
    assert len(named) == 6
