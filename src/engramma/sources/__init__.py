"""Outside formats to conversations: a module a format, one table, and nothing lost without a word.

To add a format, write a module with NAME, DESCRIPTION, looks_like and read, and put it in `_TABLE`.
One whose files come in a zip or a folder says with `takes` which of them it reads (`reader.Reader`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

from ..errors import BadInput, UnreadableSource
from ..records import Conversation, Extra, Problem
from . import (
    chatgpt,
    claude,
    claude_code,
    codex,
    containers,
    cursor,
    engramma_jsonl,
    fact_lines,
    files,
    folders,
    gemini_cli,
    gemini_takeout,
    locomo,
    longmemeval,
    mail,
    markdown_chat,
    mcp_memory,
    members,
    messages,
    slack,
    telegram,
    transcript,
    whatsapp,
)
from .checks import check_conversations
from .clock import placed
from .folders import Parts
from .reader import Reader, ReaderOptions

__all__ = ["READERS", "Parts", "Reader", "ReaderOptions", "find_sources", "read_source", "sniff"]

# In the order in which they are asked: the strictest first, plain text last.
_TABLE: tuple[Reader, ...] = (
    engramma_jsonl,
    chatgpt,
    claude,
    claude_code,
    codex,
    gemini_cli,
    cursor,
    gemini_takeout,
    mcp_memory,
    telegram,
    slack,
    longmemeval,
    locomo,
    messages,
    mail,
    whatsapp,
    markdown_chat,
    transcript,
    fact_lines,
)

READERS: dict[str, Reader] = {reader.NAME: reader for reader in _TABLE}


def sniff(path: str | Path) -> str:
    """The name of the format of a file, a zip or a folder, found from its content."""
    path = Path(path)
    if containers.is_container(path):
        name = members.sniff_container(path, READERS)
    else:
        name = members.file_format(path, READERS)
    if name is not None:
        return name
    what = (
        members.describe_container(path, READERS)
        if containers.is_container(path)
        else files.describe_file(path, files.read_text_head(path))
    )
    raise UnreadableSource(
        f"{path} is not in a format that Engramma reads. It seems to be {what}. "
        f"`engramma import --formats` lists what can be read.{document_hint(path)}"
    )


def document_hint(*paths: Path) -> str:
    """For what is no talk but can be read as documents, files or folders with such files: which command reads it."""
    kept = [path for path in paths if any(map(_is_document, path.iterdir() if path.is_dir() else [path]))]
    what = "it as a document" if len(kept) == 1 else "them as documents"
    named = " ".join(shlex.quote(str(path)) for path in kept)
    return f" To keep {what}: `engramma ingest {named}`." if kept else ""


def _is_document(path: Path) -> bool:
    from .documents import SUFFIXES

    return path.is_file() and SUFFIXES.get(path.suffix.lower()) not in (None, "code")


def find_sources(path: str | Path) -> Parts:
    """The sources in a folder of files of several kinds, and what is none."""
    return folders.sort_folder(Path(path), READERS)


def read_source(
    path: str | Path,
    format: str | None = None,
    *,
    zone: tzinfo = UTC,
    idle_gap: timedelta,
    fallback_time: datetime | None = None,
    names: Sequence[str] | None = None,
) -> Iterator[Conversation | Problem | Extra]:
    """The conversations of a file, a zip or a folder, and a Problem for each record that was not taken as it stands.

    `zone` is for times written without one; `names` are the only files of a folder to read.
    A file as a whole that cannot be read raises UnreadableSource: at once for an unknown format,
    else when the damage is reached.
    """
    path = Path(path)
    name = format or sniff(path)
    if name not in READERS:
        raise BadInput(f"unknown format {name!r}: choose from {', '.join(READERS)}")
    if fallback_time is not None and fallback_time.tzinfo is None:
        raise BadInput("fallback_time has no time zone")
    options = ReaderOptions(idle_gap, fallback_time)
    if containers.is_container(path):
        found = members.read_container(path, READERS[name], READERS, options, names)
    else:
        found = READERS[name].read(path, options)
    return placed(check_conversations(found, str(path)), zone)
