"""One fact a line, as PocketPaw's old store and many a notes file has it. Never sniffed: any text is that.

    - [2026-02-10] Prefers tea            a bullet, a date in brackets or bare: neither is part of the fact
    2026-02-10T09:30:00Z Moved to Lyon
    ## 14:05                              a heading is no fact; a date or a time in it holds for what follows
    #travel #food                         tags belong to the fact before them

Facts of a day are a session, those without a date another, and a fact's id comes from its words:
lines may be added, moved or removed anywhere, and an import adds only what is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from pathlib import Path

from ..errors import UnreadableSource
from ..language.times import format_time
from ..records import Conversation, Problem, Session, Turn
from .clock import written_time
from .files import describe_file, read_lines, read_text_head
from .ids import content_id, name_file
from .reader import ReaderOptions
from .sessions import fill_times

NAME = "facts"
DESCRIPTION = "one fact per line (only with --format facts)"

SPEAKER = "notes"

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
_WHEN = rf"{_DAY}(?:[T ]{_CLOCK}(?: ?Z\b| ?[+-][0-9]{{2}}:?[0-9]{{2}})?)?"
_BULLET = re.compile(r"\s*(?:(?:[-*+•‣–]|[0-9]{1,4}[.)])(?:\s+|$))?(?:\[[ xX]\](?:\s+|$))?")
_DATED = re.compile(rf"(?:[\[(](?P<boxed>{_WHEN})[\])]|(?P<bare>{_WHEN})(?=[\s:,|–—-]))\s*(?:[:,|–—-]\s+)?")
_HEADING = re.compile(r"#{1,6}\s+(?P<words>.*)")
_FOREIGN = re.compile(r"\{|\[\s*[\"{\[\]0-9-]|<(?:!doctype|html|\?xml)|(?:null|true|false|[0-9.]+)\s*\Z", re.IGNORECASE)
_TAGS = re.compile(r"#\w+(?:\s+#\w+)*")


def looks_like(head: str, path: Path) -> bool:
    return False


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    start = read_text_head(path).lstrip()
    if _FOREIGN.match(start) and not _DATED.match(start):
        # Each of its lines would be a fact; nobody means that.
        raise UnreadableSource(f"{path} is not a list of facts. Seen: {describe_file(path, start)}.")
    reading = _Reading(str(path), options, day=_day_of(path.stem))
    for line in read_lines(path):
        if isinstance(line, Problem):
            yield line
            continue
        reading.line(*line)
        yield from reading.problems
        reading.problems.clear()
    if not reading.facts:
        raise UnreadableSource(f"{path} holds no fact: every line is empty, a heading or unreadable")
    undated = sum(fact.said_at is None for _, fact in reading.facts)
    if undated:
        yield _no_dates(str(path), undated, options.fallback_time)
    name = f"facts-{name_file(path)}"
    yield Conversation(name, _sessions(name, reading.facts, options), source=NAME)


@dataclass(slots=True)
class _Reading:
    """One pass over a file: the facts with the day of each, and the day and time that the last heading gave."""

    path: str
    options: ReaderOptions
    day: str | None
    clock: str | None = None
    facts: list[tuple[str, Turn]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def line(self, number: int, row: str) -> None:
        row = row.rstrip()
        if "\0" in row:
            self.note(number, "contains a NUL byte, so not text; skipped")
        elif heading := _HEADING.fullmatch(row):
            self.heading(heading["words"])
        elif self.facts and _TAGS.fullmatch(row.strip()):
            day, fact = self.facts[-1]
            tags = " ".join([*fact.meta.get("tags", "").split(), *row.replace("#", "").split()])
            self.facts[-1] = (day, replace(fact, meta={**fact.meta, "tags": tags}))
        else:
            self.fact(number, row)

    def heading(self, words: str) -> None:
        if found := re.search(_DAY, words):
            self.day, self.clock = _day_of(found[0]) or self.day, None
        if found := re.fullmatch(rf"(?:{_DAY}[T ])?({_CLOCK})", words.strip()):
            self.clock = found[1]

    def fact(self, number: int, row: str) -> None:
        body = row[_match_end(_BULLET, row) :]
        dated = _DATED.match(body)
        written = (dated["boxed"] or dated["bare"]) if dated else None
        text = body[dated.end() :] if dated else body
        said_at = None
        if written:
            # "9:30" as people write it, and "13:56:00,5 +02:00" as some programs do.
            padded = re.sub(r"([T ])([0-9]:)", r"\g<1>0\2", written, count=1)
            said_at = self.time(padded[:11] + padded[11:].replace(",", ".").replace(" ", ""), number)
        if said_at is None:
            # What is no date after all belongs to the words.
            text, written = body if written else text, self.heading_time()
            said_at = self.time(written, number) if written else None
        if text.strip():
            self.facts.append((written[:10] if said_at and written else "undated", Turn(SPEAKER, text, said_at)))
        else:
            self.note(number, "only a bullet or a date, no text; skipped")

    def heading_time(self) -> str | None:
        if not self.day:
            return None
        return f"{self.day}T{self.clock.zfill(5)}" if self.clock else self.day

    def time(self, written: str, number: int) -> datetime | None:
        try:
            return written_time(written)
        except ValueError as error:
            self.note(number, f"kept, with its date read as text: {error}")
            return None

    def note(self, number: int, reason: str) -> None:
        self.problems.append(Problem(self.path, f"line {number}", reason))


def _sessions(conversation: str, facts: list[tuple[str, Turn]], options: ReaderOptions) -> tuple[Session, ...]:
    days: dict[str, list[Turn]] = {}
    known: set[str] = set()
    for day, fact in facts:
        # A fact that is written twice is one fact, on the first day it has.
        name = content_id(fact.text)
        if name not in known:
            known.add(name)
            days.setdefault(day, []).append(replace(fact, id=name))
    sessions = []
    for day, turns in days.items():
        times = fill_times([turn.said_at for turn in turns], start=options.fallback_time)
        timed = tuple(replace(turn, said_at=time) for turn, time in zip(turns, times, strict=True))
        sessions.append(Session(f"{conversation}-{day}", timed))
    return tuple(sessions)


def _day_of(text: str) -> str | None:
    """The day that a file's name or a heading states, if it is one of the calendar."""
    found = re.match(_DAY, text)
    try:
        return datetime.combine(datetime.fromisoformat(found[0]), time()).date().isoformat() if found else None
    except ValueError:
        return None


def _match_end(pattern: re.Pattern[str], row: str) -> int:
    found = pattern.match(row)
    return found.end() if found else 0


def _no_dates(path: str, facts: int, fallback_time: datetime | None) -> Problem:
    placed = (
        "their turns are left without a time: give a date for the import"
        if fallback_time is None
        else f"their turns are dated from {format_time(fallback_time)} on, a second apart"
    )
    return Problem(path, "dates", f"facts without a date: {facts}; {placed}")
