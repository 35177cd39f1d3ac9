"""Questions for somebody's somebody or something ("Who is my accountant?"), for a phone number, for a birth.

The name of an accountant is told where an accountant is spoken of, and a phone number has digits: what is found without
is something else.
"""

from __future__ import annotations

import re

from ...language.lexical import stems
from ..claims.names import KIN

_OWNER = r"(?:my|our|[A-Z][\w-]*(?: [A-Z][\w-]*)?['’]s?)"
_OWNED = rf"{_OWNER} (?P<owned>[^\W\d_][\w' -]{{1,40}}?)"
_END = r"(?: (?:again|now|these days|at the moment))?\s*\??\s*$"
_ASKS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\s*[Ww]ho(?:['’]s| is| was| are| were) {_OWNED}{_END}",
        rf"(?i:.*\bnames? of) {_OWNED}{_END}",
        rf"\s*(?i:what(?:['’]s| is| was| are| were)) {_OWNED}(?:['’]s? name|(?: \w+)? (?i:called|named)){_END}",
    )
)
# What is asked for, and what a text that tells it has.
_MARKS = (
    (re.compile(r"\b(?:phone|mobile|cell|telephone) number\b", re.IGNORECASE), re.compile(r"\d(?:[\d ()/.-]*\d){5}")),
    (re.compile(r"\bborn\b", re.IGNORECASE), re.compile(r"\bborn\b|\bbirth|\bb-?day\b", re.IGNORECASE)),
    (re.compile(r"\be-?mail address\b", re.IGNORECASE), re.compile(r"\S@\S|\bat\b.{1,40}\bdot\b", re.IGNORECASE)),
)


def owned_noun(question: str) -> str:
    """What the one asked for is to somebody: "accountant" in "Who is my accountant?"; "" for other questions."""
    found = next((match for pattern in _ASKS if (match := pattern.match(question))), None)
    return found["owned"].split()[-1].lower() if found else ""


def speaks_of_owned(question: str, text: str) -> bool:
    """Whether a text speaks of what is asked for: the accountant, or mum for a mother. True for other questions."""
    noun = owned_noun(question)
    if not noun:
        return True
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    if noun in KIN and any(KIN[word][0] == KIN[noun][0] for word in words & KIN.keys()):
        return True
    return not set(stems(noun)).isdisjoint(stems(text))


def has_marks(question: str, text: str) -> bool:
    """Whether a text has the phone number, mail address or birth that is asked for. True for other questions."""
    return all(mark.search(text) for asked, mark in _MARKS if asked.search(question))
