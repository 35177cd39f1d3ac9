"""Shows where a name is said that nobody is known by: who is only talked about has a place in the memory, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ..language.text import plural, shorten
from ..language.times import local_day
from .hits import place_name

if TYPE_CHECKING:
    from ..memory import Memory
    from ..recall.session_pages import SessionLine

LOOKED_AT, SHOWN = 20, 3  # sessions, the latest first
BEFORE = 50  # characters of what stands before the name
QUOTED = 90  # characters of what was said
# Of the turns with a word: it seldom has a capital there, be it to begin a sentence, unless it is a name.
CAPITALS = 0.25
_SENTENCE_ENDS = re.compile(r"[.!?…\n]\s+")


class Mentioned(NamedTuple):
    """A turn that has a name in it: where and when it was said, in which words, and whether it is written as one."""

    place: str
    said_at: datetime
    words: str
    is_capital: bool
    is_within: bool  # a sentence, where only a name has a capital


def name_sayings(memory: Memory, name: str) -> list[str]:
    """A line that says in how many sessions a name was said, and the latest of them with the words; none if nowhere.

    Written small it counts, too, as chats have it: unless it is a word as well, or never stands with a capital.
    """
    words = " ".join(name.split())
    if not words:
        return []
    found, total = memory.browse.session_page(words=f"{words} ", limit=LOOKED_AT)
    mentioned = [list(_mentioned_in(memory, one, words)) for one in found]
    if not _is_written_small(words, [one for some in mentioned for one in some]):
        mentioned = [[one for one in some if one.is_capital] for some in mentioned]
    said = [some for some in mentioned if some]
    if not said:
        return []
    count = f"{len(said)} of the latest {LOOKED_AT} sessions" if total > LOOKED_AT else plural(len(said), "session")
    by_day = {(one.place, local_day(one.said_at)): one for some in said for one in reversed(some)}  # the first of a day
    latest = sorted(by_day.values(), key=lambda one: one.said_at, reverse=True)[:SHOWN]
    shown = [f'  {local_day(one.said_at)}  "{one.place}"  “{shorten(one.words, QUOTED)}”' for one in latest]
    return [f"The name is said in {count}:", *shown]


def _is_written_small(name: str, mentioned: Sequence[Mentioned]) -> bool:
    """Whether a name counts without its capital: "alasdair", of whom others write Alasdair, and no "mark"."""
    from ..people import first_names, word_names

    known = name.casefold()
    capitals = sum(one.is_capital for one in mentioned)
    is_name = known in first_names() or any(one.is_within for one in mentioned) or capitals > len(mentioned) * CAPITALS
    return is_name and known not in word_names()


def _mentioned_in(memory: Memory, session: SessionLine, name: str) -> Iterator[Mentioned]:
    """The turns of a session that have a name in them as a word, each once: with its capital if it has one there."""
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    place = place_name(session.conversation, session.session, session.title)
    for turn in memory.browse.turns_in(session.conversation, session.session):
        matches = sorted(pattern.finditer(turn.text), key=lambda match: not match[0][0].isupper())
        if matches and turn.said_at is not None:
            starts = [0, *(end.end() for end in _SENTENCE_ENDS.finditer(turn.text))]
            capital = [match for match in matches if match[0][0].isupper()]
            is_within = any(match.start() not in starts for match in capital)
            yield Mentioned(place, turn.said_at, _words_around(turn.text, matches[0]), bool(capital), is_within)


def _words_around(text: str, match: re.Match[str]) -> str:
    """A match from the beginning of its sentence on, or where that is far, from a whole word on."""
    start = max((end.end() for end in _SENTENCE_ENDS.finditer(text) if end.end() <= match.start()), default=0)
    near = match.start() - BEFORE
    if start >= near:
        return text[start:]
    return "… " + text[near:].partition(" ")[2]
