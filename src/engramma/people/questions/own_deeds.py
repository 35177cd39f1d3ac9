"""What the one who asks is said to do, and what is theirs: "Where did I drive grain to?", "What is my cholesterol?"

"He used to drive grain to Moose Jaw" tells nothing of the one who says it, nor does "his cholesterol was 7.2".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...language.lexical import stems
from ..grammar.sets import wordset
from ..grammar.verbs import FORMS
from ..grammar.words import read_words
from .doers import AskedSubject, is_said_of

_I_DO = re.compile(
    r"\b(?:did|do|have|had|was|am|will|can|could|should|would|['’](?:ve|d|m))\s+I\s+(?P<deed>(?:[\w'’-]+\s*){1,8})",
    re.IGNORECASE,
)
_BEFORE_VERB = wordset(
    "just also really only ever never still already first last once actually always usually originally finally going to"
    " have had been be say said"
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i['’]?(?:m|ve|d|ll)|me|my|mine|myself|we|us|our|we['’](?:re|ve|d|ll))\b", re.IGNORECASE
)
_I = re.compile(r"\b(?:i|i['’]?(?:m|ve|d|ll)|we|we['’](?:re|ve|d|ll))\b", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"\b(?:he|she|they)\b", re.IGNORECASE)
_MY = re.compile(r"\b(?:my|our) (?P<thing>[\w-]+)", re.IGNORECASE)
_THEIR = re.compile(r"\b(?P<owner>my|our|his|her|their|[A-Z][^\W\d_]+['’]s) (?P<thing>[\w-]+)")


def is_anothers_deed(question: str, sentence: str, asked: AskedSubject) -> bool:
    """Whether a sentence says of somebody else what a question asks of "I"; by "he" or "she" alone, if it has other
    words for it and none for who says it."""
    found = _I_DO.search(question)
    verb = next((word for word in found["deed"].lower().split() if _may_be_verb(word)), "") if found else ""
    if not verb:
        return False
    words, wanted = read_words(sentence), _bases_of(verb)
    places = [place for place, word in enumerate(words.low) if not wanted.isdisjoint(_bases_of(word))]
    is_told_of_third = _THIRD_PERSON.search(sentence) is not None
    if not places:
        return is_told_of_third and _FIRST_PERSON.search(sentence) is None
    may_be_own = _I.search(sentence) is not None and not is_told_of_third  # "I've been on a streak, having read ten"
    return not may_be_own and not any(is_said_of(words, place, asked) for place in places)


def is_anothers_thing(question: str, sentence: str) -> bool:
    """Whether a sentence has what a question calls "my", and only as somebody else's: "her sister"."""
    mine = {found["thing"].lower() for found in _MY.finditer(question)}
    return any(_are_anothers(thing, sentence) for thing in mine)


def _are_anothers(thing: str, sentence: str) -> bool:
    owners = {found["owner"].lower() for found in _THEIR.finditer(sentence) if found["thing"].lower() == thing}
    return bool(owners) and owners.isdisjoint(("my", "our"))


def _may_be_verb(word: str) -> bool:
    return word not in _BEFORE_VERB and not word.endswith("ly")


def _bases_of(word: str) -> frozenset[str]:
    return frozenset(_forms_of(word))


def _forms_of(word: str) -> Iterator[str]:
    if word[:1].isalpha():
        yield from stems(word)
        if (form := FORMS.get(word)) is not None:
            yield form.lemma
