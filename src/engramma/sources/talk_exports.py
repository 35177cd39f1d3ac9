"""Which files are certainly exports of talk, so that nobody keeps their raw JSON as a document by mistake."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from . import chatgpt, claude, claude_code, codex, engramma_jsonl, files, gemini_takeout, telegram, whatsapp
from .reader import Reader


class TalkExport(NamedTuple):
    """A kind of export: what people call it, and which marks must all stand in its first part to be certain."""

    title: str
    reader: Reader
    suffixes: str
    marks: str = ""


_EXPORTS = (
    TalkExport("a ChatGPT export", chatgpt, ".json", '"children" "parent" "mapping"'),
    TalkExport("a Claude export", claude, ".json", '"uuid" "chat_messages"'),
    TalkExport("Gemini's part of a Google Takeout", gemini_takeout, ".json .html"),
    TalkExport("a Telegram export", telegram, ".json"),
    TalkExport("a Claude Code transcript", claude_code, ".jsonl"),
    TalkExport("a Codex transcript", codex, ".jsonl"),
    TalkExport("an Engramma export", engramma_jsonl, ".jsonl"),
)


def talk_export(path: Path) -> str | None:
    """What export of talk a file is, in words; None where it is none, or where that is not certain.

    A WhatsApp chat is one by its name, too: a diary's lines may begin with a day, a time and "Mood:".
    """
    suffix = path.suffix.lower()
    if suffix == ".txt":
        is_chat = bool(whatsapp.takes([path.name])) and whatsapp.looks_like(files.read_text_head(path), path)
        return "a WhatsApp chat" if is_chat else None
    asked = [one for one in _EXPORTS if suffix in one.suffixes.split()]
    head = files.read_text_head(path) if asked else ""
    for one in asked:
        if all(mark in head for mark in one.marks.split()) and one.reader.looks_like(head, path):
            return one.title
    return None
