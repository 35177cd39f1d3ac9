"""Where installed assistants keep their talk on this machine, by names and sizes alone: nothing is opened.

Claude Code and Codex are where they are on every system; Gemini CLI too; Cursor is where the system
keeps the settings of programs. Exports are looked for among the downloads by the names that ChatGPT,
Claude and Google give them.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..language.times import from_seconds

# More than anybody has; a link to a whole disk should not be walked to its end.
_MAX_FILES = 100_000

_CHATGPT = re.compile(
    r"(?:chatgpt|openai)[\w .()-]*\.zip|conversations(?:-[0-9]{3})?(?: ?\([0-9]+\))?\.json", re.IGNORECASE
)
# ChatGPT names its zip by a hash of 64 digits, the date and the time.
_CHATGPT_HASH = re.compile(r"[0-9a-f]{40,64}-20[0-9]{2}-[0-9-]{5,20}[\w-]*(?: ?\([0-9]+\))?\.zip", re.IGNORECASE)
_CLAUDE = re.compile(r"(?:claude|anthropic)[\w .()-]*\.zip|data-20[0-9]{2}-[\w .()-]*\.zip", re.IGNORECASE)
_TAKEOUT = re.compile(
    r"takeout-20[0-9]{6}t[0-9]{6}z[\w .()-]*\.zip|my ?activity(?: ?\([0-9]+\))?\.(?:json|html)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TranscriptPlace:
    """A folder or file with transcripts: whose they are, which reader takes them, how many, how large, how new.

    `reader` is None where a file's name does not say which of several it is.
    """

    name: str
    reader: str | None
    path: Path
    files: int
    bytes: int
    newest: datetime | None


def known_places(
    home: Path | None = None, env: Mapping[str, str] | None = None, platform: str = sys.platform
) -> list[TranscriptPlace]:
    """The places that exist here and hold at least one file, assistants first, then exports, the newest first."""
    variables = os.environ if env is None else env
    below = home or Path.home()
    assistants = [
        _place(name, reader, folder, _matching(folder, pattern, names))
        for name, reader, folder, pattern, names in _assistants(below, variables, platform)
    ]
    found = [*assistants, *_exports(below / "Downloads")]
    return [place for place in found if place.files]


def _assistants(
    home: Path, env: Mapping[str, str], platform: str
) -> Iterator[tuple[str, str, Path, str, re.Pattern[str]]]:
    """Name, reader, folder, the pattern of its files, and the names that count."""
    claude = [Path(one) for one in env.get("CLAUDE_CONFIG_DIR", "").split(",") if one.strip()]
    for folder in claude or [home / ".claude", home / ".config" / "claude"]:
        # Files of subagents begin with "agent-", or lie in folders of their own.
        yield "Claude Code", "claude-code", folder / "projects", "*/*.jsonl", re.compile(r"(?!agent-).*\.jsonl")
    codex = Path(env["CODEX_HOME"]) if env.get("CODEX_HOME") else home / ".codex"
    for part in ("sessions", "archived_sessions"):
        yield "Codex", "codex", codex / part, "**/*", re.compile(r"rollout-.*\.jsonl?(?:\.zst)?")
    gemini = Path(env["GEMINI_CLI_HOME"]) if env.get("GEMINI_CLI_HOME") else home
    yield ("Gemini CLI", "gemini-cli", gemini / ".gemini" / "tmp", "*/chats/*", re.compile(r"session-.*\.jsonl?"))
    for user in _cursor_folders(home, env, platform):
        yield "Cursor", "cursor", user / "globalStorage", "state.vscdb", re.compile(r"state\.vscdb")
        yield "Cursor, older chats", "cursor", user / "workspaceStorage", "*/state.vscdb", re.compile(r"state\.vscdb")


def _cursor_folders(home: Path, env: Mapping[str, str], platform: str) -> list[Path]:
    if platform == "darwin":
        settings = home / "Library" / "Application Support"
    elif platform in ("win32", "cygwin"):
        settings = Path(env["APPDATA"]) if env.get("APPDATA") else home / "AppData" / "Roaming"
    else:
        settings = Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"
    return [settings / "Cursor" / "User"]


def _exports(downloads: Path) -> list[TranscriptPlace]:
    """One place an export, because each is imported on its own."""
    kinds = (
        ("ChatGPT export", "chatgpt", (_CHATGPT, _CHATGPT_HASH)),
        ("Claude export", "claude", (_CLAUDE,)),
        ("Google Takeout", None, (_TAKEOUT,)),
    )
    found: list[TranscriptPlace] = []
    for path in _listed(downloads):
        for name, reader, patterns in kinds:
            if any(pattern.fullmatch(path.name) for pattern in patterns):
                # conversations.json is what both call it.
                plain = path.suffix.lower() == ".json" and reader == "chatgpt"
                label = "ChatGPT or Claude export" if plain else name
                found.append(_place(label, None if plain else reader, path, [path]))
                break
    return sorted(found, key=lambda place: (place.newest or datetime.min.replace(tzinfo=UTC), place.path), reverse=True)


def _place(name: str, reader: str | None, path: Path, files: Iterable[Path]) -> TranscriptPlace:
    count = size = 0
    newest = 0.0
    for file in files:
        try:
            facts = file.stat()
        except OSError:
            continue
        if stat.S_ISREG(facts.st_mode) and facts.st_size:
            count, size, newest = count + 1, size + facts.st_size, max(newest, facts.st_mtime)
    when = from_seconds(newest) if count else None
    return TranscriptPlace(name, reader, path, count, size, when)


def _matching(folder: Path, pattern: str, names: re.Pattern[str]) -> Iterator[Path]:
    """The files below a folder; one that may not be looked into is passed over."""
    seen = 0
    try:
        for path in folder.glob(pattern):
            seen += 1
            if seen > _MAX_FILES:
                return
            if names.fullmatch(path.name):
                yield path
    except OSError:
        return


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
