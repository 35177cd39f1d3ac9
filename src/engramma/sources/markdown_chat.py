"""Chats with an assistant as Markdown: a heading or a bold name opens each turn.

    ## User                      also "### Human", "# 🧑 You:", "## User (2024-05-01 10:00)", "## Ann (10:32)"
    **Assistant:** Hello         also "**Assistant**" on a line of its own, "_**User**_", "> **User:** hi"
    ## 2024-05-01                between turns: the day of those that follow

A turn's text is kept verbatim, code fences too; rules ("---") between turns and quote marks that
stand before every line of a turn are the exporter's. Which lines open turns is decided for the whole
file (markdown_openers.py), so that a document about users is no chat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Turn
from .agent_turns import line_time, lines_told
from .files import document
from .ids import name_file, talk_id, with_content_ids
from .markdown_days import day_before, times_on_days
from .markdown_openers import MarkdownOpener, openers
from .reader import ReaderOptions
from .sessions import fill_times, no_times, numbered, split_by_gap

NAME = "markdown"
DESCRIPTION = (
    'Markdown chat with "## User" and "## Assistant", or people\'s names, as headings or bold before the turns'
)

_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*")
_FRONT_FIELD = re.compile(r"(?P<key>[A-Za-z_-]{1,30})\s*:\s*(?P<value>.*?)\s*")
_DATE_KEYS = ("date", "created", "created_at", "create_time", "timestamp")


def looks_like(head: str, path: Path) -> bool:
    if "\0" in head or head.lstrip()[:1] in ("<", "{", "["):
        return False
    return bool(openers(_rows(head)))


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    text = document(path)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UnreadableSource(f"{path} is not text: a NUL byte in line {line}")
    rows = _rows(text)
    found = openers(rows, is_chat=True)
    if not found:
        raise UnreadableSource(f'{path} has no turns of a chat, such as "## User" and "## Assistant"')
    front, begins = front_matter(rows)
    problems: list[Problem] = []
    title, preamble = _title(rows, begins, min(found))
    if preamble:
        problems.append(
            Problem(str(path), lines_told(preamble[0], preamble[-1]), "comes before the first turn; skipped")
        )
    drafts = _drafts(rows, found)
    empty = [draft.line for draft in drafts if not draft.text.strip()]
    problems += [Problem(str(path), f"line {line}", "a turn without text; skipped") for line in empty]
    drafts = [draft for draft in drafts if draft.text.strip()]
    if not drafts:
        raise UnreadableSource(f"{path} has speaker names, but no text below them")

    told = next((front[key] for key in _DATE_KEYS if key in front), None)
    clocks = [(draft.line - 1, draft.opener.clock) for draft in drafts]
    on_days = times_on_days(rows, clocks, told)
    if any(clock for _, clock in clocks) and not any(on_days):
        problems.append(Problem(str(path), "times", "times of day without a date; left out"))
    stated = [
        line_time(draft.opener.time or time, draft.line, str(path), options, problems)
        for draft, time in zip(drafts, on_days, strict=True)
    ]
    if not any(stated):
        stated[0] = _front_time(front, str(path), options, problems)
    yield from problems
    if not any(stated):
        yield no_times(str(path), 1, options.fallback_time)
    times = fill_times(stated, start=options.fallback_time)
    turns = [
        Turn(draft.opener.name, draft.text, time, role=draft.opener.role)
        for draft, time in zip(drafts, times, strict=True)
    ]
    first = drafts[0]
    conversation = talk_id(name_file(path), first.opener.time, first.opener.name, first.text.partition("\n")[0])
    sessions = numbered(conversation, split_by_gap(with_content_ids(turns), options.idle_gap))
    yield Conversation(conversation, sessions, title=front.get("title") or title, source=NAME)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A turn as it is written: its opener, the line of it, and the text below."""

    line: int
    opener: MarkdownOpener
    text: str


def _rows(text: str) -> list[str]:
    return [row.removesuffix("\r") for row in text.split("\n")]


def _drafts(rows: list[str], found: dict[int, MarkdownOpener]) -> list[_Draft]:
    starts, is_clocked = sorted(found), any(opener.clock for opener in found.values())
    days = [_last_day(rows, start, end, is_clocked) for start, end in pairwise(starts)]
    ends = [*(end if day is None else day for day, end in zip(days, starts[1:], strict=True)), len(rows)]
    bodies = [_stripped([found[start].text, *rows[start + 1 : end]]) for start, end in zip(starts, ends, strict=True)]
    # Between the turns of one file there are rules, or there are none: a lone one is someone's text.
    ruled = sum(bool(body) and bool(_RULE.fullmatch(body[-1])) for body in bodies)
    drafts = []
    for start, body in zip(starts, bodies, strict=True):
        if body and _RULE.fullmatch(body[-1]) and ruled * 2 >= len(bodies) - 1:
            body = _stripped(body[:-1])
        filled = [row for row in body if row.strip()]
        if found[start].quoted or (filled and all(row.lstrip().startswith(">") for row in filled)):
            body = [re.sub(r"^\s{0,3}>\s?", "", row) for row in body]
        drafts.append(_Draft(start + 1, found[start], "\n".join(body)))
    return drafts


def _last_day(rows: list[str], start: int, end: int, is_clocked: bool) -> int | None:
    """The row of the heading of the next day, if it stands last in a turn."""
    last = max((n for n in range(start + 1, end) if rows[n].strip()), default=start)
    return last if day_before(rows, start, end, is_clocked) == last > start else None


def _stripped(rows: list[str]) -> list[str]:
    """The rows without empty ones at either end."""
    filled = [n for n, row in enumerate(rows) if row.strip()]
    return rows[filled[0] : filled[-1] + 1] if filled else []


def front_matter(rows: list[str]) -> tuple[dict[str, str], int]:
    """The plain fields of a front matter, and the row behind it."""
    if rows[0].strip() != "---":
        return {}, 0
    end = next((n for n, row in enumerate(rows[1:200], start=1) if row.strip() in ("---", "...")), 0)
    fields = [match for row in rows[1:end] if (match := _FRONT_FIELD.fullmatch(row))]
    return {
        match["key"].lower(): match["value"].strip("\"'") for match in fields if match["value"]
    }, end + 1 if end else 0


def _title(rows: list[str], begins: int, first: int) -> tuple[str | None, list[int]]:
    """The first heading before the turns, and the numbers of the other lines there."""
    title = None
    others: list[int] = []
    for n in range(begins, first):
        row = rows[n].strip()
        if title is None and not others and row.startswith("# "):
            title = row[2:].strip() or None
        # Exporters leave comments, such as the name of the program.
        elif row and not _RULE.fullmatch(row) and not re.fullmatch(r"<!--.*-->", row):
            others.append(n + 1)
    return title, others


def _front_time(front: dict[str, str], path: str, options: ReaderOptions, problems: list[Problem]) -> datetime | None:
    for key in _DATE_KEYS:
        if key in front and (time := line_time(front[key], 1, path, options, problems)):
            return time
    return None
