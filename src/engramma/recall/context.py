"""The words of a context block, and how it is read back (docs/explanation/context.md has its grammar).

    <engramma-memory-TAG>
    Quoted from memory: …

    [2026-02-03 18:00 UTC | import | trip-1 | trip | entry]
    Ana:
    > We booked the night train to Vienna for the 4th of March.
    </engramma-memory-TAG>

Labels and names are ours, each in one line; every line of stored text is quoted. So `parse_context` gives back exactly
who said what and when, whatever was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ..language.fence import MARK, TOLD
from ..language.quoting import ID_CHARACTERS, QUOTE, name_in, name_line, quoted, speaker_line, unquoted
from ..language.text import DOCUMENTS, NOTES
from ..language.times import format_time
from ..records import Candidate, Segment, Spoken

CUT = "[… {what}]"  # what was left out of the words above it

_LABEL = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?) UTC \| (.+)\]")
_CUT = re.compile(r"\[… .*\]")
_SPEAKER = re.compile(r"(.*?)(?: \[(\d{4}-\d\d-\d\d )?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\])?:")
_NAMESPACE = re.compile(r"\[namespace (.*)\]")


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one speaker said at one time."""

    speaker: str
    said_at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """An entry of a context block as it is read back: `fields` are those of its label after the origin."""

    said_at: datetime
    origin: str
    fields: tuple[str, ...]
    said: tuple[Utterance, ...]
    is_cut: bool = False
    namespace: str | None = None


# --- writing --------------------------------------------------------------------------------------


def said_in(thing: Candidate | Segment) -> list[Utterance]:
    """Who said what in a segment: a turn each."""
    return said_between(thing, 0, len(thing.text))


def said_between(thing: Candidate | Segment, start: int, end: int) -> list[Utterance]:
    """Who said what between two places of a segment's text."""
    parts = thing.spoken or (Spoken(", ".join(thing.speakers), thing.said_at, 0, len(thing.text)),)
    return [
        Utterance(one.speaker, one.said_at, thing.text[max(start, one.start) : min(end, one.end)])
        for one in parts
        if max(start, one.start) < min(end, one.end)
    ]


def label(said_at: datetime, *fields: str) -> str:
    """A line of ours above what was said: when, then what the caller gives, already in one line each."""
    return f"[{_moment(said_at)} UTC | {' | '.join(fields)}]"


def places(thing: Candidate | Segment) -> tuple[str, ...]:
    """Where a segment came from and is cited by: its session and conversation, its document, or as a note its id."""
    if thing.conversation_id == NOTES:
        return thing.origin, name_line(thing.session_id, ID_CHARACTERS)
    if thing.conversation_id == DOCUMENTS:
        return thing.origin, name_line(thing.session_id)
    return thing.origin, name_line(thing.session_id), name_line(thing.conversation_id)


def quotes(said: Sequence[Utterance], since: datetime) -> str:
    """What was said, each under its speaker; the time only where it is not the label's."""
    return "\n".join(f"{speaker_line(one.speaker)}{_beside(one.said_at, since)}:\n{quoted(one.text)}" for one in said)


def cut_said(said: Sequence[Utterance], characters: int) -> list[Utterance]:
    """The beginning of what was said: so many characters of its texts."""
    kept = list[Utterance]()
    for one in said:
        if characters <= 0 and kept:
            break
        kept.append(Utterance(one.speaker, one.said_at, one.text[: max(0, characters)]))
        characters -= len(one.text)
    return kept


def _moment(said_at: datetime) -> str:
    """A time to the minute, or as exactly as it is known."""
    day, _, time = format_time(said_at).removesuffix("Z").partition("T")
    time = time.rstrip("0") if "." in time else time.removesuffix(":00") if time.count(":") == 2 else time
    return f"{day} {time}"


def _beside(said_at: datetime, since: datetime) -> str:
    if said_at == since:
        return ""
    shown = _moment(said_at)
    return f" [{shown.partition(' ')[2] if shown[:10] == _moment(since)[:10] else shown}]"


# --- reading --------------------------------------------------------------------------------------


def parse_context(block: str) -> list[ContextEntry]:
    """The entries of a context block, exactly as they were stored; ValueError for a line that no block has.

    A name that was too long to be shown whole comes back as it is shown.
    """
    lines = [line for line in block.split("\n") if not re.fullmatch(rf"</?{MARK}-[a-z2-7]+>", line) and line != TOLD]
    entries, namespace = list[ContextEntry](), None
    for part in _parts(lines):
        if inside := _NAMESPACE.fullmatch(part[0]):
            namespace, part = name_in(inside[1]), part[1:]
        if part:
            entries.append(_entry(part, namespace))
    return entries


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines between empty ones."""
    part = list[str]()
    for line in (*lines, ""):
        if line:
            part.append(line)
        elif part:
            yield part
            part = []


def _entry(lines: Sequence[str], namespace: str | None) -> ContextEntry:
    head = _LABEL.fullmatch(lines[0])
    if head is None:
        raise ValueError(f"Not a label: {lines[0]!r:.200}")
    said_at = datetime.fromisoformat(head[1]).replace(tzinfo=UTC)
    origin, *fields = head[2].split(" | ")
    said, is_cut, at = list[Utterance](), False, 1
    while at < len(lines):
        if _CUT.fullmatch(lines[at]):
            is_cut, at = True, at + 1
            continue
        who, end = _SPEAKER.fullmatch(lines[at]), at + 1
        while end < len(lines) and lines[end].startswith(QUOTE.rstrip()):
            end += 1
        if who is None or end == at + 1:
            raise ValueError(f"Not a speaker with words: {lines[at]!r:.200}")
        day = who[2] or f"{said_at:%Y-%m-%d} "
        then = said_at if who[3] is None else datetime.fromisoformat(day + who[3]).replace(tzinfo=UTC)
        said.append(Utterance(name_in(who[1]), then, unquoted(list(lines[at + 1 : end]))))
        at = end
    return ContextEntry(said_at, origin, tuple(map(name_in, fields)), tuple(said), is_cut, namespace)
