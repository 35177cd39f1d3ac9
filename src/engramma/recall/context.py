"""The words of a context block, and how it is read back (docs/explanation/context.md has its grammar).

    <engramma-memory-TAG>
    Quoted from memory: …

    [2026-02-03 18:00 UTC | import | Trip to Vienna | k3v7qzpa-12]
    Ana:
    > We booked the night train to Vienna for the 4th of March.
    [also said 2026-02-09]
    </engramma-memory-TAG>

Labels and names are ours, each in one line; every line of stored text is quoted. So `parse_context` gives back exactly
who said what and when, whatever was said; `[…]` stands where words were left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from ..language.fence import MARK, TOLD
from ..language.handles import handle_of
from ..language.quoting import ID_CHARACTERS, QUOTE, name_in, name_line, quoted, speaker_line, unquoted
from ..language.text import DOCUMENTS, NOTES, short_title
from ..language.times import HERE, format_time, wall_clock
from ..records import Candidate, Segment, Spoken

CUT = "[… {what}]"  # what was left out of the words above it
GAP = "[…]"  # words were left out here
AT_ONCE = timedelta(minutes=1)  # what was said within it, such as a reply, has the time of what stands above it
TITLE_CHARACTERS = 60  # of a title: a model needs to tell talks apart, not to read all of what they are called

_LABEL = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?) UTC \| (.+)\]")
_CUT = re.compile(r"\[…(?: .*)?\]")
_AGAIN = re.compile(r"\[also said .*\]")
_SPEAKER = re.compile(r"(.*?)(?: \[(\d{4}-\d\d-\d\d )?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\])?( \[…\])?:")
_NAMESPACE = re.compile(r"\[namespace (.*)\]")


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one speaker said at one time; words may have been left out before and after it."""

    speaker: str
    said_at: datetime
    text: str
    cut_before: bool = False
    cut_after: bool = False

    @property
    def is_cut(self) -> bool:
        return self.cut_before or self.cut_after


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """An entry of a context block as it is read back: `fields` are those of its label after the origin.

    The last of them is the handle, unless it says how the entry stands to others.
    """

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


def places(thing: Candidate | Segment, title: str | None = None) -> tuple[str, ...]:
    """Where a segment came from and is cited by: what its talk or document is called, and its short handle."""
    where = title if isinstance(thing, Segment) else thing.title
    return thing.origin, *called(thing.conversation_id, thing.session_id, where), handle_line(thing)


@lru_cache(maxsize=1024)
def called(conversation: str, session: str, title: str | None) -> tuple[str, ...]:
    """What a talk or a document is called, in one line; nothing for a note, and for a name that a machine gave."""
    if conversation == NOTES:
        return ()
    name = session if conversation == DOCUMENTS else title or ("" if _is_made_up(conversation) else conversation)
    return (name_line(short_title(name, TITLE_CHARACTERS)),) if name.strip() else ()


def _is_made_up(name: str) -> bool:
    """Whether a machine gave this name, as it gives UUIDs: it tells a model nothing."""
    return len(name) >= 20 and not any(c.isspace() for c in name) and sum(c.isdigit() for c in name) >= 5


def handle_line(thing: Candidate | Segment) -> str:
    """What a model gives back to read more of a segment."""
    return shown_handle(thing.segment_id if isinstance(thing, Candidate) else thing.id)


@lru_cache(maxsize=4096)
def shown_handle(segment_id: str) -> str:
    """A segment's handle in one line."""
    return name_line(handle_of(segment_id), ID_CHARACTERS)


def quotes(said: Sequence[Utterance], since: datetime) -> str:
    """What was said, each under its speaker; a time only where it is not about that of the line above."""
    return "\n".join(quoted_lines(said, since)[0])


def quoted_lines(said: Sequence[Utterance], since: datetime) -> tuple[list[str], datetime]:
    """The same as lines, and the last time that they show."""
    lines = list[str]()
    for one in said:
        at, beside = one.said_at, ""
        if at != since and (at < since or at - since >= AT_ONCE):
            beside = _beside(at, since)
            since = at if beside else since
        lines.append(f"{speaker_line(one.speaker)}{beside}{f' {GAP}' if one.cut_before else ''}:")
        lines.append(quoted(one.text))
        if one.cut_after:
            lines.append(GAP)
    return lines, since


def cut_said(said: Sequence[Utterance], characters: int) -> list[Utterance]:
    """The beginning of what was said: so many characters of its texts."""
    kept = list[Utterance]()
    for one in said:
        if characters <= 0 and kept:
            break
        kept.append(Utterance(one.speaker, one.said_at, one.text[: max(0, characters)]))
        characters -= len(one.text)
    return kept


@lru_cache(maxsize=4096)
def _moment(said_at: datetime) -> str:
    """A time to the minute, or to the second where it is known so exactly; what is between two seconds is not shown."""
    day, _, time = format_time(said_at.replace(microsecond=0)).removesuffix("Z").partition("T")
    return f"{day} {time.removesuffix(':00') if time.count(':') == 2 else time}"


def _beside(said_at: datetime, since: datetime) -> str:
    shown = _moment(said_at)
    if shown == _moment(since):
        return ""
    return f" [{shown.partition(' ')[2] if shown[:10] == _moment(since)[:10] else shown}]"


def local_context(block: str) -> str:
    """A block with its times as the clock of this machine shows them, for a person to read; words stay as they are."""
    lines, at = list[str](), None
    for line in block.split("\n"):
        if head := _LABEL.fullmatch(line):
            at = datetime.fromisoformat(head[1]).replace(tzinfo=UTC)
            line = f"[{_local_moment(at)} {at.astimezone(HERE).tzname()} | {head[2]}]"
        elif at is not None and not line.startswith(QUOTE) and (who := _SPEAKER.fullmatch(line)) and who[3]:
            then = datetime.fromisoformat(f"{who[2] or f'{at:%Y-%m-%d} '}{who[3]}").replace(tzinfo=UTC)
            shown, before, at = _local_moment(then), _local_moment(at), then
            time = shown if shown[:10] != before[:10] else shown.partition(" ")[2]
            line = f"{who[1]} [{time}]{who[4] or ''}:"
        lines.append(line)
    return "\n".join(lines)


def _local_moment(moment: datetime) -> str:
    return _moment(wall_clock(moment))


# --- reading --------------------------------------------------------------------------------------


def parse_context(block: str) -> list[ContextEntry]:
    """The entries of a context block, exactly as they were stored; ValueError for a line that no block has.

    A name that was too long to be shown whole comes back as it is shown, and a time to the second.
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
            said[-1:] = [replace(one, cut_after=True) for one in said[-1:]]
            continue
        if _AGAIN.fullmatch(lines[at]):
            at += 1
            continue
        who, end = _SPEAKER.fullmatch(lines[at]), at + 1
        while end < len(lines) and lines[end].startswith(QUOTE.rstrip()):
            end += 1
        if who is None or end == at + 1:
            raise ValueError(f"Not a speaker with words: {lines[at]!r:.200}")
        day = who[2] or f"{(said[-1].said_at if said else said_at):%Y-%m-%d} "
        last = said[-1].said_at if said else said_at
        then = last if who[3] is None else datetime.fromisoformat(day + who[3]).replace(tzinfo=UTC)
        said.append(
            Utterance(name_in(who[1]), then, unquoted(list(lines[at + 1 : end])), cut_before=who[4] is not None)
        )
        is_cut, at = is_cut or who[4] is not None, end
    return ContextEntry(said_at, origin, tuple(map(name_in, fields)), tuple(said), is_cut, namespace)
