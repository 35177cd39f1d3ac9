"""Kinds of answers: what a text has that tells a phone number, a birth or a colour.

A phone number has digits: what is found without is something else. So is what is said of a "she" who is not the one
asked about.
"""

from __future__ import annotations

import re

from ...language.proper_names import proper_names
from ..entities.known_names import first_names

_COLOURS = (
    "red|blue|green|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|silver|gold|beige|cream|navy|teal"
    "|turquoise|maroon|crimson|scarlet|lilac|lavender|magenta|indigo|olive|khaki|tan\\b|ivory|bronze|copper|colou?r"
    "|pastel|neon|dark|light\\b|bright|blond|brunette|ginger|auburn|plum|mint|peach|coral|rose\\b|burgundy|mustard"
)
# What is asked for, and what a text that tells it has.
_MARKS = (
    (re.compile(r"\b(?:phone|mobile|cell|telephone) number\b", re.IGNORECASE), re.compile(r"\d(?:[\d ()/.-]*\d){5}")),
    (re.compile(r"\bborn\b", re.IGNORECASE), re.compile(r"\bborn\b|\bbirth|\bb-?day\b", re.IGNORECASE)),
    (re.compile(r"\be-?mail address\b", re.IGNORECASE), re.compile(r"\S@\S|\bat\b.{1,40}\bdot\b", re.IGNORECASE)),
    (re.compile(r"\s*what (?:\w+ )?colou?r\b", re.IGNORECASE), re.compile(rf"\b(?:{_COLOURS})", re.IGNORECASE)),
)
_CAPITAL = re.compile(r"\b[A-Z][a-z]+")
_OF_SOMEBODY = re.compile(
    r"\W*(?:(?:no|yes|yeah|and|but|so|well|oh)\b\W*)*(?:s?he)(?:['’]?s|['’]d|['’]ll)?\s", re.IGNORECASE
)


def has_marks(question: str, text: str) -> bool:
    """Whether a text has the phone number, mail address, birth or colour asked for. True for other questions."""
    return all(mark.search(text) for asked, mark in _MARKS if asked.search(question))


def is_of_another(question: str, sentence: str, before: str, turn: str) -> bool:
    """Whether a sentence says it of a "she" who is none of those named in the question.

    She is somebody named in the turn so far, or where nobody is, in the turn before or the rest of it.
    """
    asked = {name.casefold() for name in proper_names(question)}
    if not asked or not _OF_SOMEBODY.match(sentence):
        return False
    said = turn.partition(sentence)[0]
    is_named = proper_names(said) or any(word.casefold() in first_names() for word in _CAPITAL.findall(said))
    around = said if is_named else f"{before}\n{turn}"
    return asked.isdisjoint(re.findall(r"[^\W\d_]+", around.casefold()))
