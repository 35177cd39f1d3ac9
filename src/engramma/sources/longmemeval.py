"""LongMemEval: a list of questions, each with the chats ("haystack") in which the answer lies.

Only the chats are read, one conversation each. What is graded by stays out: questions and answers,
the marks on answering turns, and the ids of sessions, because those of answering ones begin with
"answer". A chat's id is a hash of its date and words, so one in several haystacks is taken once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ..errors import UnreadableSource
from ..language.times import parse_time, shifted
from ..records import Conversation, Problem, Session, Turn
from .containers import open_source
from .ids import content_id, with_content_ids
from .message_text import speaker_and_role, text_and_omitted
from .reader import ReaderOptions
from .sessions import SECOND
from .streaming import Damage, items

NAME = "longmemeval"
DESCRIPTION = "LongMemEval JSON: questions with haystack_sessions and haystack_dates"

# A chat that quotes the name has a backslash before the quote.
_MARK = re.compile(r'(?<!\\)"haystack_sessions"\s*:\s*\[')
_DATE = re.compile(r"(?P<day>[0-9]{4}/[0-9]{2}/[0-9]{2})\s*\([^()]*\)\s*(?P<clock>[0-9]{2}:[0-9]{2})")


def looks_like(head: str, path: Path) -> bool:
    return head.lstrip()[:1] in ("[", "{") and bool(_MARK.search(head))


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path), options)
    refused: list[str] = []
    with open_source(path) as file:
        for item in items(file, _is_question):
            where = f"question {item.number} at byte {item.at}"
            if isinstance(item, Damage):
                refused = refused or [f"{where}: {item.reason}"]
                yield Problem(str(path), where, f"{item.reason}; skipped", damage=True)
                continue
            if item.note:
                yield Problem(str(path), where, item.note)
            yield from reading.question(item.value, where)
    if not reading.known:
        raise UnreadableSource("; ".join([f"{path} holds no LongMemEval session", *refused]))
    if reading.repeated:
        reason = f"sessions in several haystacks: {reading.repeated}; imported once each"
        yield Problem(str(path), "sessions", reason)


@dataclass(slots=True)
class _Reading:
    """One pass over a file, which knows the chats that it has had."""

    path: str
    options: ReaderOptions
    known: set[str] = field(default_factory=set)
    repeated: int = 0

    def question(self, value: object, where: str) -> Iterator[Conversation | Problem]:
        chats = value.get("haystack_sessions") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(chats, list):
            yield Problem(self.path, where, "no list of haystack_sessions; skipped")
            return
        dates = value.get("haystack_dates")
        for n, chat in enumerate(chats):
            date = dates[n] if isinstance(dates, list) and n < len(dates) else None
            yield from self.chat(chat, date, f"{where}, session {n + 1}")

    def chat(self, chat: object, date: object, where: str) -> Iterator[Conversation | Problem]:
        if not isinstance(chat, list):
            yield Problem(self.path, where, "not a list of turns; skipped")
            return
        began = _time(date)
        start = began if isinstance(began, datetime) else self.options.fallback_time
        turns: list[Turn] = []
        for n, message in enumerate(chat):
            # A session has one time; a second each keeps its turns in order, as in LoCoMo.
            said_at = None if start is None else shifted(start, SECOND * n)
            try:
                turns.append(_turn(message, said_at))
            except ValueError as error:
                yield Problem(self.path, f"{where}, turn {n + 1}", f"{error}; skipped")
        if not turns:
            yield Problem(self.path, where, "no turns; skipped")
            return
        if not isinstance(began, datetime):
            placed = "left without a time" if start is None else "placed at the time of the import"
            yield Problem(self.path, where, f"{began}; kept, {placed}")
        written = date if isinstance(date, str) else None
        name = f"lme-{content_id(written, *(part for turn in turns for part in (turn.speaker, turn.text)))}"
        if name in self.known:
            self.repeated += 1
            return
        self.known.add(name)
        yield Conversation(name, (Session(f"{name}-1", tuple(with_content_ids(turns))),), source=NAME)


def _is_question(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("haystack_sessions"), list)


def _turn(message: object, said_at: datetime | None) -> Turn:
    if not isinstance(message, dict):
        raise ValueError("not a JSON object")
    speaker, role = speaker_and_role(message)
    text, _ = text_and_omitted(message)
    if not text.strip():
        raise ValueError("no text")
    return Turn(speaker, text, said_at, role=role)


def _time(value: object) -> datetime | str:
    """The time of a session, or why there is none; UTC, because the chats belong to no place."""
    if not isinstance(value, str):
        return "no date"
    found = _DATE.fullmatch(value.strip())
    try:
        return parse_time(f"{found['day'].replace('/', '-')}T{found['clock']}" if found else value, UTC)
    except ValueError as error:
        return str(error)
