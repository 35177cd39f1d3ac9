"""Which entities stand in lists and in the graph: people, and things that are worth a page.

The others are kept with all that was said of them, and are found by name. Judged by hand on four kinds of talk:
docs/log/people-and-things.md.
"""

from __future__ import annotations

import re

from ..claims.names import KIN, NO_NAMES, PETS, PLURAL
from .known_names import PARTICLES, TITLES, head_type
from .numbered import numbered_things

NAMED = 2  # mentions from which a thing with a name is listed; what is known to be a place or a project, from one
KNOWN = frozenset({"place", "organisation", "event", "project", "work", "tool"})
OWNED = 2  # of somebody's sister or cat without a name
COMMON = 3  # of a group, event or place without a name: "support group"
# Speakers that are programs.
MACHINES = frozenset({"assistant", "ai", "ai assistant", "bot", "chatbot", "system", "tool", "chatgpt", "copilot"})
NO_PAGES = frozenset({"role", "text", "time", "date", "", "unknown"})  # types of what is no thing
_QUANTITY = re.compile(
    r"[\W_]*(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|dozens?|hundreds?|thousands?|several|some"
    r"|many|few|more|most|another|other|first|second|third|last|next|half|couple|lots?|bunch|all|both|each|every|any|no"
    r"|such|same|new|next|great|good|nice|own|different|only|kind|sort|type)\b)",
    re.IGNORECASE,
)


def is_listed(name: str, type: str, owner: int, mentions: int, speaks: bool = False) -> bool:
    """Whether an entity is worth a line of a list; who speaks is, but for programs."""
    words = name.split()
    if name.casefold() in MACHINES or type in NO_PAGES or not words:
        return False
    if speaks and type == "person" and not owner:
        return True
    if numbered_things(name):
        return " " in name or mentions >= NAMED  # "BD-2" may be a pedal as well as a ticket
    if type == "person":
        if owner:
            return mentions >= OWNED and is_one_of_kin(words)
        is_whole = words[0][:1].isupper() and all(word[:1].isupper() or word in PARTICLES for word in words)
        return is_whole and words[0].casefold().rstrip(".") not in NO_NAMES - TITLES
    if type == "pet":
        return mentions >= OWNED or name[:1].isupper()
    if _QUANTITY.match(name):
        return False
    if is_named(words):
        return mentions >= NAMED or type in KNOWN
    return not owner and len(words) > 1 and mentions >= COMMON and bool(head_type(name))


def is_named(words: list[str]) -> bool:
    """Whether words are a name: they begin with a capital that is not only a nationality's or of "AI-powered"."""
    if len(words) > 1 and words[0].casefold() in NO_NAMES and words[1][:1].isupper():
        words = words[1:]  # "The Marvelous Mrs. Maisel"
    first = words[0]
    if not any(char.isupper() for char in first) or first.casefold() in NO_NAMES or "/" in first:
        return False
    return not ("-" in first and first.rpartition("-")[2].islower())


def is_one_of_kin(words: list[str]) -> bool:
    """Somebody's one sister, and not family; a friend without a name is another one every time."""
    last = words[-1].casefold()
    many = last in PLURAL or (last.endswith("s") and last not in ("boss", "sis"))
    return last in KIN and not many and last not in PETS and KIN[last][0] not in ("has_friend", "knows")
