"""Engramma's own export: JSON lines, lossless in both directions.

    {"engramma":1,"kind":"export","namespace":"default"}
    {"type":"conversation","id":"trip","title":null,"source":null}
    {"type":"session","conversation":"trip","id":"trip-1","closed":true}
    {"type":"turn","conversation":"trip","session":"trip-1","id":"t1","speaker":"Ann","role":"user",
     "said_at":"2023-05-08T13:56:00Z","text":"..."}                          (on one line)

    {"type":"note","id":"note_1f…","tags":["deploy"],...}                    (beside the talk: what is known of a note,
    {"type":"repeat","note":"note_1f…","text":"…",...}                       what repeated it, links, users' decisions,
    {"type":"link","source":"note_1f…","kind":"supports","target":"seg_trip/trip-1_0",...}
    {"type":"decision","verdict":"SEPARATE","person":"Ann","entity":"job","conversations":["trip","work"],...}
    {"type":"me","name":"Ann"}                                               who "user" is,
    {"engramma":1,"kind":"export","entity":{"called":["Ann"],"merged":[{"called":["Ann Lee"],...}],...}}
                                                                             and what users said of entities)

A conversation is followed by its sessions, a session by its turns, so a file of any length is read
one conversation at a time. The namespace says where the file came from; the importer decides where
it goes. What users said of entities stands in lines that earlier versions take for the beginning of
another export, so that they read the rest without complaint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from ..errors import UnreadableSource
from ..language.times import format_time, parse_time
from ..records import Conversation, Extra, Problem, Role, Session, Turn
from .files import read_lines
from .json_files import parse_json
from .reader import ReaderOptions

NAME = "engramma"
DESCRIPTION = "Engramma's own export (JSON lines)"

VERSION = 1

_HEADER = re.compile(r'\s*\{\s*"engramma"\s*:')
_EXTRAS: dict[object, Literal["note", "repeat", "link", "decision", "me"]] = {
    "note": "note",
    "repeat": "repeat",
    "link": "link",
    "decision": "decision",
    "me": "me",
}
_ROLES: dict[str, Role] = {role: role for role in get_args(Role)}


def looks_like(head: str, path: Path) -> bool:
    return bool(_HEADER.match(head))


def write_export_lines(
    conversations: Iterable[Conversation], namespace: str, extras: Iterable[Extra] = ()
) -> Iterator[str]:
    """The lines of an export, each with its line end, ready for `file.writelines`."""
    yield _line({"engramma": VERSION, "kind": "export", "namespace": namespace})
    for talk in conversations:
        yield _line({"type": "conversation", "id": talk.id, "title": talk.title, "source": talk.source})
        for session in talk.sessions:
            yield _line({"type": "session", "conversation": talk.id, "id": session.id, "closed": session.closed})
            for turn in session.turns:
                yield _line(
                    {
                        "type": "turn",
                        "conversation": talk.id,
                        "session": session.id,
                        "id": turn.id,
                        "speaker": turn.speaker,
                        "role": turn.role,
                        "said_at": None if turn.said_at is None else format_time(turn.said_at),
                        "text": turn.text,
                        **({"meta": dict(turn.meta)} if turn.meta else {}),
                    }
                )
    for extra in extras:
        if extra.kind == "entity":
            yield _line({"engramma": VERSION, "kind": "export", "entity": extra.fields})
        else:
            yield _line({"type": extra.kind, **extra.fields})


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem | Extra]:
    drafts: dict[str, _Draft] = {}
    header_read = False
    for line in read_lines(path):
        if isinstance(line, Problem):
            yield line
            continue
        number, text = line
        try:
            fields = _object(text)
            if "engramma" in fields or not header_read:
                # Also in the middle: two exports put into one file are a valid export.
                _check_header(fields, path)
                header_read = True
                if isinstance(entity := fields.get("entity"), dict):
                    yield Extra("entity", entity, f"line {number}")
                continue
            if (kind := fields.get("type")) in _EXTRAS:
                rest = {name: value for name, value in fields.items() if name != "type"}
                yield Extra(_EXTRAS[kind], rest, f"line {number}")
                continue
            if kind == "conversation":
                yield from (draft.finished() for draft in drafts.values())
                drafts.clear()
            _take(drafts, fields)
        except ValueError as error:
            if not header_read:
                raise UnreadableSource(f"{path} does not start with a readable export line: {error}") from None
            yield Problem(str(path), f"line {number}", f"{error}; skipped", damage=True)
    if not header_read:
        raise UnreadableSource(f"{path} does not start with an export line")
    yield from (draft.finished() for draft in drafts.values())


@dataclass(slots=True)
class _Draft:
    """A conversation that is being read; several only where a conversation's own line is damaged."""

    id: str
    title: str | None = None
    source: str | None = None
    turns: dict[str, list[Turn]] = field(default_factory=dict)
    open_sessions: set[str] = field(default_factory=set)

    def finished(self) -> Conversation:
        sessions = tuple(
            Session(name, tuple(turns), closed=name not in self.open_sessions) for name, turns in self.turns.items()
        )
        return Conversation(self.id, sessions, self.title, self.source)


def _take(drafts: dict[str, _Draft], fields: dict[str, object]) -> None:
    """Add one line to the conversation it names.

    A turn may name a conversation or session whose own line was damaged: it is kept under those ids.
    """
    kind = fields.get("type")
    if kind == "conversation":
        name = _string(fields, "id")
        drafts[name] = _Draft(name, _optional(fields, "title"), _optional(fields, "source"))
    elif kind == "session":
        talk, name, closed = _string(fields, "conversation"), _string(fields, "id"), fields.get("closed")
        if not isinstance(closed, bool):
            raise ValueError("closed is neither true nor false")
        draft = drafts.setdefault(talk, _Draft(talk))
        draft.turns.setdefault(name, [])
        if not closed:
            draft.open_sessions.add(name)
    elif kind == "turn":
        talk, name, turn = _string(fields, "conversation"), _string(fields, "session"), _turn(fields)
        drafts.setdefault(talk, _Draft(talk)).turns.setdefault(name, []).append(turn)
    else:
        raise ValueError(f"type is {kind!r}, not conversation, session, turn, note, repeat, link, decision or me")


def _turn(fields: dict[str, object]) -> Turn:
    role = _optional(fields, "role")
    if role is not None and role not in _ROLES:
        raise ValueError(f"role is {role!r}, not one of {', '.join(_ROLES)}")
    written = _optional(fields, "said_at")
    return Turn(
        speaker=_string(fields, "speaker"),
        text=_string(fields, "text"),
        said_at=None if written is None else parse_time(written),
        id=_optional(fields, "id"),
        role=None if role is None else _ROLES[role],
        meta=_meta(fields),
    )


def _meta(fields: dict[str, object]) -> dict[str, str]:
    value = fields.get("meta", {})
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise ValueError("meta does not map names to strings")
    return value


def _check_header(fields: dict[str, object], path: Path) -> None:
    version, kind = fields.get("engramma"), fields.get("kind")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise UnreadableSource(f'{path} does not start with a line such as {{"engramma":{VERSION},...}}')
    if version > VERSION:
        raise UnreadableSource(
            f"{path} is an export of format version {version}; this Engramma reads up to version {VERSION}: "
            "upgrade it, then import again"
        )
    if kind != "export":
        raise UnreadableSource(f"{path} is an Engramma file of kind {kind!r}, not an export")


def _line(fields: dict[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def _object(text: str) -> dict[str, object]:
    value = parse_json(text)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _string(fields: dict[str, object], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{key} is missing or not a string")
    return value


def _optional(fields: dict[str, object], key: str) -> str | None:
    return None if fields.get(key) is None else _string(fields, key)
