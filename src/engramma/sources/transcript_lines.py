"""The lines of a plain transcript: which open a turn, which open a session, and the rest.

Plain text has no grammar, so a name is believed only when it reads like one:
- it starts in the first column, outside ``` fences, perhaps after a time;
- at most 40 characters from a letter on, without sentence punctuation, then a colon and a space
  ("http://" has no space);
- it is no common label ("Note:", "Example:");
- words in lower case ("here is the list:") pass only if the name comes back in the file;
- in a file whose turns mostly have times, it has a time itself or is known from a line that has.
Everything else belongs to the turn before it, so a wrong guess moves a boundary but loses no text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

MAX_NAME = 40

_TIME = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?: ?Z\b| ?[+-][0-9]{2}:?[0-9]{2})?)?"
)
# The full stop of a title is no sentence punctuation.
_NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\. )?[^\W\d_][^:.!?;,\[\]{}<>\"*|=\\/`#]*"
_OPENER = re.compile(
    rf"(?:(?:\[(?P<boxed>{_TIME})\] ?|(?P<bare>{_TIME}) )(?:- )?)?"
    rf"(?P<bold>\*\*)?(?P<name>{_NAME})(?(bold)(?::\*\*|\*\*:)|:)(?:[ \t](?P<text>.*))?"
)
_RULE = re.compile(rf"-{{3,}} *(?P<time>{_TIME}) *-{{3,}}")
_HEADING = re.compile(r"#{1,6}\s+(?P<words>.*)")
_LAST_TIME = re.compile(rf"(?:^|[,\s(])(?P<time>{_TIME})\)?$")
# A heading is short; the limit keeps a huge line from being searched at every position.
_MAX_HEADING = 200

_LABEL = re.compile(
    r"author|caution|cc|date|edit|error|examples?|from|fwd|hint|important|link|nb|notes?|output|ps|re|"
    r"reminder|result|source|step|subject|summary|tip|title|to|todo|update|usage|warning",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TranscriptOpener:
    """A line that opens a turn: who speaks, the time as it is written, and the text on that line."""

    name: str
    time: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Break:
    """A line that opens a session: its name and its time, as far as they are written."""

    name: str | None
    time: str | None


Mark = TranscriptOpener | Break | None


def marks(rows: Sequence[str]) -> list[Mark]:
    """What each row is: the opener of a turn, of a session, or (None) part of what it stands in."""
    fenced = _fenced(rows)
    found: list[Mark] = [None if n in fenced else session_break(row) or _opener(row) for n, row in enumerate(rows)]
    openers = [mark for mark in found if isinstance(mark, TranscriptOpener)]
    counts = Counter(opener.name for opener in openers)
    timed = Counter(opener.name for opener in openers if opener.time)
    mostly_timed = timed.total() * 2 >= len(openers) and bool(timed)
    found = [
        None if isinstance(mark, TranscriptOpener) and not _believed(mark, counts, timed, mostly_timed) else mark
        for mark in found
    ]
    return _breaks_before_turns(rows, found)


def _believed(opener: TranscriptOpener, counts: Counter[str], timed: Counter[str], mostly_timed: bool) -> bool:
    if opener.time:
        return True
    if mostly_timed:
        return opener.name in timed
    words = opener.name.split()
    if _LABEL.fullmatch(opener.name):
        return False
    return len(words) == 1 or counts[opener.name] > 1 or not any(word[0].islower() for word in words)


def _breaks_before_turns(rows: Sequence[str], found: list[Mark]) -> list[Mark]:
    """The marks without those breaks that prose follows: a heading inside a turn is that turn's text.

    Before the first turn every break counts, because there is no turn that it could belong to.
    """
    first = next((n for n, mark in enumerate(found) if isinstance(mark, TranscriptOpener)), len(found))
    result = list(found)
    followed = False
    for n in range(len(found) - 1, first, -1):
        if isinstance(found[n], Break) and not followed:
            result[n] = None
        elif rows[n].strip():
            followed = found[n] is not None
    return result


def _fenced(rows: Sequence[str]) -> set[int]:
    """The rows inside ``` fences, where "key: value" is code; a fence that never closes is none."""
    opened: int | None = None
    inside: set[int] = set()
    for n, row in enumerate(rows):
        opener = _opener(row) if opened is None else None
        if (opener.text if opener else row).lstrip().startswith("```"):
            if opened is None:
                opened = n
            else:
                inside.update(range(opened + 1, n + 1))
                opened = None
    return inside


def _opener(row: str) -> TranscriptOpener | None:
    match = _OPENER.fullmatch(row)
    if not match or len(match["name"]) > MAX_NAME:
        return None
    return TranscriptOpener(match["name"].rstrip(), match["boxed"] or match["bare"], match["text"] or "")


def session_break(row: str) -> Break | None:
    """What a row says as the opener of a session, if it stands where one can be."""
    if len(row) > _MAX_HEADING:
        return None
    row = row.strip()
    if rule := _RULE.fullmatch(row):
        return Break(None, rule["time"])
    heading = _HEADING.fullmatch(row)
    if not heading:
        return None
    words = heading["words"]
    dated = _LAST_TIME.search(words)
    before = words[: dated.start()].strip() if dated else words
    named = re.fullmatch(r"session\b[\s:#]*(?P<name>.*)", before, re.IGNORECASE)
    if not named and (before or not dated):
        return None
    return Break((named["name"].rstrip(" ,:") or None) if named else None, dated["time"] if dated else None)
