"""Shows where a name is said that nobody is known by: who is only talked about has a place in the memory, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..language.text import plural, shorten
from ..language.times import local_day
from .hits import place_name

if TYPE_CHECKING:
    from ..memory import Memory
    from ..recall.session_pages import SessionLine

LOOKED_AT, SHOWN = 20, 3  # sessions, the latest first
QUOTED = 90  # characters of what was said
_SENTENCE_ENDS = re.compile(r"[.!?…\n]\s+")


def name_sayings(memory: Memory, name: str) -> list[str]:
    """A line that says in how many sessions a name was said, and the latest of them with the words; none if nowhere."""
    words = " ".join(name.split())
    if not words:
        return []
    found, total = memory.browse.session_page(words=f"{words} ", limit=LOOKED_AT)
    said = [line for one in found for line in _said_in(one, words)]
    if not said:
        return []
    count = f"{len(said)} of the latest {LOOKED_AT} sessions" if total > LOOKED_AT else plural(len(said), "session")
    return [f"The name is said in {count}:", *said[:SHOWN]]


def _said_in(one: SessionLine, name: str) -> Iterator[str]:
    """When and where a name was said, and in which words: as a name, with a capital."""
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", one.passage or "", re.IGNORECASE):
        if match[0][0].isupper():
            place = place_name(one.conversation, one.session, one.title)
            yield f'  {local_day(one.last_at)}  "{place}"  “{shorten(_sentence(one.passage or "", match), QUOTED)}”'
            return


def _sentence(passage: str, match: re.Match[str]) -> str:
    """The words around a match, from the beginning of its sentence or else from a whole word on."""
    starts = [end.end() for end in _SENTENCE_ENDS.finditer(passage) if end.end() <= match.start()]
    if starts:
        return passage[starts[-1] :]
    whole = passage[:1].isupper() or " " not in passage[: match.start()]
    return passage if whole else "… " + passage.partition(" ")[2]
