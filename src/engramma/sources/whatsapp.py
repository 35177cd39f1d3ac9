"""WhatsApp's "Export chat": a text file a chat, in the forms of Android and iOS.

The conversation is the chat that the file is named after ("WhatsApp Chat with Ann.txt", or the
folder of an iOS "_chat.txt"). Notices by WhatsApp itself and messages that only say "<Media omitted>"
are skipped and counted, an attachment with a name is a placeholder. An export has no ids and may begin
later than the one before, so a message's id is a hash of its minute, speaker and words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Turn
from .chats import sessions_by_start
from .clock import written_time
from .files import read_lines
from .ids import content_id, name_file, original, talk_id
from .reader import ReaderOptions
from .sessions import fill_times
from .whatsapp_lines import (
    MARKS,
    OWN,
    Order,
    Stamped,
    date_order,
    is_notice,
    is_omitted_media,
    name_and_text,
    parse_stamp,
    read_message,
    stamped,
)

NAME = "whatsapp"
DESCRIPTION = 'WhatsApp text export, as "12/31/23, 9:41 PM - Ann: Hello" or "[31.12.23, 21:41:05] Ann: Hello"'

Skipped = Literal["notice", "deleted", "media"]

_ROWS_TRIED = 200
MOST_NAMED = 4  # people in a title
_SKIPPED: dict[Skipped, tuple[str, str]] = {  # one of a kind, and several
    "notice": ("notice by WhatsApp", "notices by WhatsApp"),
    "deleted": ("deleted message", "deleted messages"),
    "media": ("attachment that is not in the export", "attachments that are not in the export"),
}
_TITLE = re.compile(
    r"(?:whatsapp[ -]*(?:chat|unterhaltung)|chat (?:de|di) whatsapp|chat whatsapp|conversa do whatsapp|"
    r"discussion whatsapp|whatsapp)(?: (?:with|mit|con|com|avec|met|med)| [-–])? (?P<name>.+)",
    re.IGNORECASE,
)


def looks_like(head: str, path: Path) -> bool:
    if "\0" in head:
        return False
    rows = [row.removesuffix("\r") for row in head.split("\n", _ROWS_TRIED)[:_ROWS_TRIED]]
    first = next((row for row in rows if row.strip()), "")
    boxed = first.lstrip(MARKS).startswith("[")
    if stamped(first, boxed) is None:
        return False
    stamps = [stamp for row in rows if (stamp := stamped(row, boxed))]
    named = [found for stamp in stamps if (found := name_and_text(stamp.rest))]
    # "[2023-05-08 13:57] Ann:" is a plain transcript: WhatsApp sets a comma behind an ISO date.
    plain = all(stamp.separator == "-" and stamp.date[0] > 31 and not stamp.comma for stamp in stamps)
    return bool(named) and len(stamps) > 1 and (not plain or "whatsapp" in path.name.lower())


def takes(names: Sequence[str]) -> list[str]:
    """The chats of a zip or a folder, which holds what was attached to them beside."""
    paths = [PurePosixPath(name) for name in names]
    return [
        str(path) for path in paths if path.suffix == ".txt" and (original(path.stem) == "_chat" or _named(path.stem))
    ]


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path), options)
    for line in read_lines(path):
        if isinstance(line, Problem):
            yield line
        else:
            reading.line(*line)
    if not reading.drafts:
        raise UnreadableSource(f'{path} has no line of a WhatsApp export, such as "31/12/2023, 21:41 - Ann: Hello"')
    title = _title(path)
    reading.sort_out(title)
    turns = reading.turns()
    yield from reading.problems
    if reading.skipped:
        yield Problem(str(path), "not messages", told_skipped(reading.skipped))
    if not turns:
        raise UnreadableSource(f"{path} contains only notices from WhatsApp, no messages")
    first = turns[0]
    conversation = (
        f"whatsapp-{title}" if title else talk_id(name_file(path), first.speaker, first.text.partition("\n")[0])
    )
    sessions = tuple(sessions_by_start(conversation, turns, options.idle_gap))
    yield Conversation(conversation, sessions, title=title or _people_title(path, turns), source=NAME)


def told_skipped(counts: Mapping[Skipped, int]) -> str:
    """How much of what stands beside the messages was skipped, by its kind."""
    told = (f"{counts[kind]:,} {names[counts[kind] > 1]}" for kind, names in _SKIPPED.items() if kind in counts)
    return f"{', '.join(told)}; skipped"


@dataclass(slots=True)
class _Draft:
    """A message that is being read."""

    line: int
    stamp: Stamped
    speaker: str
    rows: list[str]

    def text(self) -> str:
        return "\n".join(self.rows).rstrip()


@dataclass(slots=True)
class _Reading:
    """One pass over a file: messages, notices, and the form of stamp that the first line has."""

    path: str
    options: ReaderOptions
    boxed: bool = False
    last: int = 0
    drafts: list[_Draft] = field(default_factory=list)
    stamps: list[Stamped] = field(default_factory=list)
    skipped: Counter[Skipped] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    in_notice: bool = False

    def line(self, number: int, row: str) -> None:
        row = row.removesuffix("\r")
        blank, self.last = number - self.last - 1, number
        if not self.stamps:
            self.boxed = row.lstrip(MARKS).startswith("[")
        stamp = stamped(row, self.boxed)
        if stamp is None:
            if self.in_notice:
                return
            if self.drafts:
                # Empty lines are not handed over, but their numbers are missing.
                self.drafts[-1].rows += [*[""] * blank, row]
            else:
                self.note(number, "comes before the first message; skipped")
            return
        self.stamps.append(stamp)
        found = name_and_text(stamp.rest)
        self.in_notice = found is None
        if found is None:
            self.skipped["notice"] += 1
        else:
            self.drafts.append(_Draft(number, stamp, found[0], [found[1]]))

    def sort_out(self, title: str | None) -> None:
        """Leave out what iOS writes as if someone had said it: by the group, or about the chat."""
        speakers = {draft.speaker for draft in self.drafts}
        kept = []
        for n, draft in enumerate(self.drafts):
            text = draft.text()
            by_group = draft.speaker == title and len(speakers) > 3
            own = text.startswith(OWN) and read_message(text)[0] == text.removeprefix(OWN)
            # A chat on iOS begins with the notice about encryption, in any language.
            if is_notice(text) or (own and (by_group or n == 0)):
                self.skipped["deleted" if "delete" in text.lower() else "notice"] += 1
            elif is_omitted_media(text):
                self.skipped["media"] += 1
            elif not text.strip(MARKS + " "):
                self.note(draft.line, "a message without text; skipped")
            else:
                kept.append(draft)
        self.drafts = kept

    def turns(self) -> list[Turn]:
        order, known = date_order(self.stamps)
        if not known:
            form = "day/month" if order == "day" else "month/day"
            reason = f"nothing in the file tells day from month; read as {form}"
            self.problems.append(Problem(self.path, "dates", reason))
        local = [self.moment(draft, order) for draft in self.drafts]
        times = fill_times([self.utc(one, d) for one, d in zip(local, self.drafts, strict=True)], start=None)
        if self.drafts and not any(times):
            times = fill_times(times, start=self.options.fallback_time)
        repeats: Counter[str] = Counter()
        turns = []
        for draft, minute, said_at in zip(self.drafts, local, times, strict=True):
            text, edited = read_message(draft.text())
            name = content_id(f"{minute:%Y-%m-%dT%H:%M}" if minute else None, draft.speaker, text)
            repeats[name] += 1
            if repeats[name] > 1:
                name = content_id(name, str(repeats[name]))
            turns.append(Turn(draft.speaker, text, said_at, name, meta={"edited": "yes"} if edited else {}))
        return turns

    def moment(self, draft: _Draft, order: Order) -> datetime | None:
        try:
            return parse_stamp(draft.stamp, order)
        except ValueError as error:
            self.note(draft.line, f"kept without its time: {error}")
            return None

    def utc(self, local: datetime | None, draft: _Draft) -> datetime | None:
        try:
            return None if local is None else written_time(local)
        except ValueError as error:
            self.note(draft.line, f"kept without its time: {error}")
            return None

    def note(self, number: int, reason: str) -> None:
        self.problems.append(Problem(self.path, f"line {number}", reason))


def _title(path: Path) -> str | None:
    """The name of the chat, from the file's name or its folder's; None where neither says it."""
    return _named(path.absolute().parent.name.removesuffix(".zip") if name_file(path) == "_chat" else path.stem)


def _people_title(path: Path, turns: Sequence[Turn]) -> str | None:
    """Who talks, of a chat whose file is called as all are that iPhones write."""
    if name_file(path) != "_chat":
        return None
    speakers = dict.fromkeys(turn.speaker for turn in turns)
    named = [name for name in speakers if any(map(str.isalpha, name))]  # a number is not what one knows a chat by
    names = named if len(named) > 1 else list(speakers)
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} others"]
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else None


def _named(stem: str) -> str | None:
    found = _TITLE.fullmatch(original(stem.strip(MARKS)))
    return (found["name"].strip(MARKS + " ") or None) if found else None
