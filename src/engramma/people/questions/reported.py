"""What somebody is asked to have said: "What did Carol say about Ludlow?"

It has to be Carol who speaks, or a sentence that says what she said: "Carol and I are moving to Ludlow" is not hers.
"""

from __future__ import annotations

import re

from ..grammar.sets import wordset

_SAYING = (
    "said|says?|told|tells?|thinks?|thought|reckon(?:s|ed)?|suggest(?:s|ed)?|recommend(?:s|ed)?|advise[sd]?"
    "|promise[sd]?|claim(?:s|ed)?|mention(?:s|ed)?|insist(?:s|ed)?|swears?|swore|asks?|asked|repl(?:ies|ied)|wrote"
    "|writes?|texted|wants?|wanted|warn(?:s|ed)?"
)
_ASKED_OF = re.compile(
    r"\s*(?:what|how|why)\s+(?:did|does|do|has|had)\s+(?P<who>(?:(?:my|our|the)\s+)?[^\W\d_]+(?:\s+[^\W\d_]+)?)\s+"
    r"(?:say|said|tell|told|think|thought|reckon|suggest|recommend|advise|promise|claim|mention|write)\b",
    re.IGNORECASE,
)
_ANYBODY = wordset("i you we they he she it people anyone anybody everyone somebody someone assistant")
_LEADING = wordset("my our the")


def who_is_to_say(question: str) -> tuple[str, ...]:
    """The words, in small letters, for the one who is asked to have said it; none for other questions."""
    found = _ASKED_OF.match(question)
    words = tuple(word for word in found["who"].lower().split() if word not in _LEADING) if found else ()
    return () if _ANYBODY.intersection(words) else words


def is_said_by(who: tuple[str, ...], speaker: str) -> bool:
    """Whether the one asked about speaks here."""
    return not {*who}.isdisjoint(re.findall(r"[^\W\d_]+", speaker.lower()))


def reports(who: tuple[str, ...], sentence: str, around: str) -> bool:
    """Whether a sentence says what they said: by name, or as "he" or "she" of one whom the text around it names."""
    names = "|".join(map(re.escape, who))
    told = rf"\b(?:{names}|s?he|they)\b(?:\W+\w+){{0,3}}?\W+(?:{_SAYING})\b|\baccording to (?:{names})\b"
    is_named = re.search(rf"\b(?:{names})\b", around, re.IGNORECASE) is not None
    return is_named and re.search(told, sentence, re.IGNORECASE) is not None
