"""Questions that ask for a person ("Who repaired the boiler?"), and texts that name or describe one."""

from __future__ import annotations

import re

from ...language.first_person import speaks_of_oneself
from ...language.proper_names import proper_names
from ..claims.names import KIN
from ..entities.known_names import first_names
from ..grammar.nouns import is_job
from ..grammar.sets import wordset

ASKS_PERSON = r"(?:(?:with|from|to|for|by|about|at|on) )?(?:whom|whose|who(?:['’]s)?)\b"
_OF_WHOM = re.compile(r"\s*[Ww]ho(?:['’]s| is| was| are| were) (?:[A-Z]|th(?:is|at|ese|ose)\b)")  # "Who is Anthony?"
_DESCRIBED = frozenset(KIN) | wordset(
    "man woman guy lady gentleman person people somebody someone men women guys ladies crew group club band"
    " organisation organization stranger guest guests host hosts classmate classmates ex client clients customer"
    " customers physio everyone everybody nobody warden"
)
_A_THING = re.compile(r"\b[Aa]n? $")  # "a Vaillant"
_LETTERS = re.compile(r"(?<![^\W_])[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_I = re.compile(r"\b(?:I|i|[Ww]e)\b")


def wants_person(question: str) -> bool:
    """Whether a question asks which person; "Who is Anthony?" asks what he is."""
    return re.match(rf"\s*{ASKS_PERSON}", question, re.IGNORECASE) is not None and not _OF_WHOM.match(question)


def names_somebody(question: str, text: str, by_user: bool = False) -> bool:
    """Whether a text names somebody whom the question does not, or says what they are: "my sister", "a plumber".

    Who says "I" tells who it was, unless it is the one who asks, as the user of a chat is (`by_user`).
    """
    asked = _as_words(question)
    for name in proper_names(text):
        place = text.find(name)
        if _as_words(name) not in asked and not _A_THING.search(text[max(0, place - 3) : place]):
            return True
    for found in _LETTERS.finditer(text):  # also one that begins a sentence, has two letters or an accent: Jo, Özlem
        name, before = found[0], text[max(0, found.start() - 3) : found.start()]
        is_known = name[0].isupper() and name.casefold() in first_names()
        if is_known and f" {name.casefold()} " not in asked and not _A_THING.search(before):
            return True
    words = (word.casefold() for word in _WORD.findall(text))
    if any((word in _DESCRIBED or is_job(word)) and _as_words(word) not in asked for word in words):
        return True
    return not by_user and not speaks_of_oneself(question) and _I.search(text) is not None


def _as_words(text: str) -> str:
    """A text as words between blanks, so that one is found as a whole: "Ray" is not in "sprayed"."""
    return f" {' '.join(_LETTERS.findall(text.casefold()))} "
