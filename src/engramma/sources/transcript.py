"""Plain transcripts: "Name: text" lines, with or without times, in a text or Markdown file.

    --- 2023-05-08 13:56 ---            opens a session; so do "## 2023-05-08" and
    Ann: Have you seen the heron?       "# Session: by the lake, 2023-05-08 13:56"
    [2023-05-08 13:57] Ben: Not yet.    a time before a name, in brackets or bare
    It hides.                           belongs to Ben's turn

A turn's text is kept verbatim, blank lines inside it too; only those at its end, and the
carriage returns of a Windows file, belong to the file. The conversation's id is the file's name and
a hash of the first turn ("trip-3f9a1c04"): it stays when the file grows, and two chat.txt differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Session, Turn
from .agent_turns import line_time, lines_told
from .files import document
from .ids import name_file, talk_id, with_content_ids
from .markdown_chat import front_matter
from .reader import ReaderOptions
from .sessions import fill_times, no_times, split_by_gap
from .transcript_lines import Break, TranscriptOpener, marks, session_break

NAME = "transcript"
DESCRIPTION = 'plain transcript with "Name: text" lines (text or Markdown)'
IS_PLAIN = True


def looks_like(head: str, path: Path) -> bool:
    if "\0" in head or head.lstrip()[:1] in ("<", "{"):
        return False
    rows, behind = _talk_rows(head)
    found = marks(rows)
    openers = [mark for mark in found if isinstance(mark, TranscriptOpener) and (mark.text or mark.time)]
    if len(openers) < 2:
        return False
    if any(isinstance(mark, Break) for mark in found) or any(mark.time for mark in openers):
        return True
    # In a talk names come back. Settings and mail headers look alike, but every name is new; so it is in a note with a
    # front matter, in a diary, which has more headings than lines such as "Resolutions: swim more", and in a list of
    # which only some lines look like turns.
    names = Counter(mark.name for mark in openers)
    if len(names) == len(openers):
        said = zip(rows, found, strict=True)
        first = next(mark for row, mark in said if mark or (row[:1] != "#" and any(map(str.isalpha, row))))
        if behind or not first or sum(row.startswith("#") for row in rows) > len(openers):
            return False
    return len(names) <= len(openers) / 2 + 1


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    text = document(path)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UnreadableSource(f"{path} is not text: a NUL byte in line {line}")
    problems: list[Problem] = []
    parts, preamble = _parts(_talk_rows(text)[0], str(path), problems)
    if not any(part.drafts for part in parts):
        raise UnreadableSource(f'{path} has no line that opens a turn, such as "Ann: Good morning"')
    title = None
    if preamble and preamble[0][1].startswith("# "):
        title = preamble.pop(0)[1][2:].strip() or None
    if preamble:
        where = lines_told(preamble[0][0], preamble[-1][0])
        yield Problem(str(path), where, "comes before the first turn; skipped")

    stated = _stated_times(parts, str(path), options, problems)
    yield from problems
    if not any(stated):
        yield no_times(str(path), 1, options.fallback_time)
    times = iter(fill_times(stated, start=options.fallback_time))
    turns = iter(
        with_content_ids(Turn(draft.speaker, draft.text(), next(times)) for part in parts for draft in part.drafts)
    )
    conversation = _conversation_id(path, parts)
    sessions: list[Session] = []
    for part in parts:
        own = [next(turns) for _ in part.drafts]
        for n, sitting in enumerate(split_by_gap(own, options.idle_gap), start=1):
            # By order, as in sessions.numbered; a name that the file gives is the better id.
            if part.name is None:
                name = f"{conversation}-{len(sessions) + 1}"
            else:
                name = part.name if n == 1 else f"{part.name}-{n}"
            sessions.append(Session(name, tuple(sitting)))
    yield Conversation(conversation, tuple(sessions), title=title, source=NAME)


def _conversation_id(path: Path, parts: list[_Part]) -> str:
    """From the first turn, with its time as it is written: one that is filled in may differ between copies.

    Of its text the first line only: what follows may still be added to the file.
    """
    part = next(part for part in parts if part.drafts)
    first = part.drafts[0]
    return talk_id(name_file(path), first.time or part.time, first.speaker, first.text().partition("\n")[0])


@dataclass(slots=True)
class _Draft:
    """A turn that is being read."""

    line: int
    speaker: str
    time: str | None
    rows: list[str]

    def text(self) -> str:
        rows = list(self.rows)
        while rows and not rows[-1].strip():
            rows.pop()
        # "Ann:" alone on its line: the text begins on the next.
        return "\n".join(rows[1:] if len(rows) > 1 and not rows[0] else rows)


@dataclass(slots=True)
class _Part:
    """What stands under one session line."""

    line: int
    name: str | None = None
    time: str | None = None
    drafts: list[_Draft] = field(default_factory=list)


def _talk_rows(text: str) -> tuple[list[str], int]:
    """The rows, those of a front matter empty, and how many these are."""
    rows = [row.removesuffix("\r") for row in text.split("\n")]
    _, behind = front_matter(rows)
    names = [_names_of(rows[:behind]), _names_of(rows[behind:]) if behind else Counter()]
    if names[0].keys() & names[1].keys() or names[0].total() > len(names[0]):
        behind = 0  # settings stand there once: these are people who talk between two lines
    return [""] * behind + rows[behind:], behind


def _names_of(rows: list[str]) -> Counter[str]:
    return Counter(mark.name for mark in marks(rows) if isinstance(mark, TranscriptOpener))


def _parts(rows: list[str], path: str, problems: list[Problem]) -> tuple[list[_Part], list[tuple[int, str]]]:
    """The turns under their session lines, and the rows before the first turn."""
    parts = [_Part(1)]
    preamble: list[tuple[int, str]] = []
    opened: _Draft | None = None
    for line, (row, mark) in enumerate(zip(rows, marks(rows), strict=True), start=1):
        if isinstance(mark, Break):
            if parts[-1].drafts:
                parts.append(_Part(line))
            part = parts[-1]
            parts[-1] = _Part(line, mark.name or part.name, mark.time or part.time)
        elif isinstance(mark, TranscriptOpener):
            opened = _Draft(line, mark.name, mark.time, [mark.text])
            parts[-1].drafts.append(opened)
        elif opened:
            opened.rows.append(row)
            if (doubtful := session_break(row)) and doubtful.time:
                reason = "a dated line without a turn after it; read as text, not as the start of a session"
                problems.append(Problem(path, f"line {line}", reason))
        elif row.strip():
            preamble.append((line, row))
    for part in parts:
        empty = [draft for draft in part.drafts if not draft.text().strip()]
        problems += [Problem(path, f"line {draft.line}", "a turn without text; skipped") for draft in empty]
        part.drafts = [draft for draft in part.drafts if draft.text().strip()]
    return parts, preamble


def _stated_times(
    parts: list[_Part], path: str, options: ReaderOptions, problems: list[Problem]
) -> list[datetime | None]:
    """The written time of every turn; the first of a session has the session's, if none of its own."""
    stated: list[datetime | None] = []
    any_stated = False
    for part in parts:
        for n, draft in enumerate(part.drafts):
            time = line_time(draft.time, draft.line, path, options, problems)
            if n == 0 and time is None:
                time = line_time(part.time, part.line, path, options, problems)
            if n == 0 and time is None and any_stated:
                reason = "a session without a time; placed right after the previous one"
                problems.append(Problem(path, f"line {part.line}", reason))
            stated.append(time)
            any_stated = any_stated or time is not None
    return stated
