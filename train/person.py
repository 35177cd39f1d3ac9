"""Rewrites the first person to a name: "What degree did I ..." becomes "What degree did Emma ..."."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from . import verbs
from .wordlists import word_set

Gender = Literal["f", "m", "n"]

# Stand for the two names of a conversation. They are entries of the tokenizer's vocabulary that no text uses, so
# a name can be put into their place in token ids, afresh in every batch.
SELF, OTHER = "[unused1]", "[unused2]"

PRONOUNS: dict[str, tuple[str, str, str, str]] = {  # subject, object, possessive, reflexive
    "f": ("she", "her", "her", "herself"),
    "m": ("he", "him", "his", "himself"),
    "n": ("they", "them", "their", "themselves"),
}
_WORD = re.compile(r"\[unused\d\]|[A-Za-z]+(?:['’][A-Za-z]+)?|\s+|.", re.DOTALL)
_SHORT = {"m": ("am",), "ve": ("have",), "ll": ("will",), "d": ("would",), "re": ("are",)}
_AGREE = {"do": "does", "have": "has", "am": "is", "are": "is", "were": "was", "don't": "doesn't", "haven't": "hasn't"}
_HELPERS = word_set("did do does have has had am is are was were will would can could should shall may might must")
_AFTER_BARE = _HELPERS | word_set("to didn't don't can't won't let make help made")
_PAST_TOO = word_set("put set cut let hit quit read cost shut hurt spread bet fit")
_BETWEEN = word_set(
    "just also really recently actually finally already still always usually never even currently often"
)


@dataclass(slots=True)
class _Person:
    """One of the two people, as the rewriting goes on."""

    name: str
    gender: Gender
    named: bool = False

    def form(self, case: int) -> str:
        """The name at first, then the pronoun; for nobody's gender in particular, the name as subject."""
        if self.named and not (case == 0 and self.gender == "n"):
            return PRONOUNS[self.gender][case]
        self.named = True
        return f"{self.name}'s" if case == 2 else self.name


def to_third(text: str, name: str = SELF, other: str = OTHER, gender: Gender = "n") -> str:
    """The text about `name` in place of I, and about `other` in place of you."""
    words = _expanded(_WORD.findall(text))
    me, you = _Person(name, gender), _Person(other, "n")
    made: list[str] = []
    for place, word in enumerate(words):
        low = word.lower()
        if low in ("i", "you"):
            _subject(words, place, made, me if low == "i" else you, low == "i" or _is_subject(words, place))
        elif low in ("me", "my", "mine", "myself"):
            made.append(me.form({"me": 1, "my": 2, "mine": 2, "myself": 3}[low]))
        elif low in ("your", "yours", "yourself"):
            made.append(you.form({"your": 2, "yours": 2, "yourself": 3}[low]))
        else:
            made.append(word)
    result = "".join(made)
    return result[:1].upper() + result[1:] if text[:1].isupper() and not result.startswith("[") else result


def _expanded(words: list[str]) -> list[str]:
    """I'm, I've, you're as two words each."""
    made: list[str] = []
    for word in words:
        head, mark, tail = word.replace("’", "'").partition("'")
        if mark and head.lower() in ("i", "you") and tail.lower() in _SHORT:
            made += [head, " ", *_SHORT[tail.lower()]]
        else:
            made.append(word.replace("’", "'"))
    return made


def _subject(words: list[str], place: int, made: list[str], who: _Person, is_subject: bool) -> None:
    """Puts the name down, and makes the helper before it or the verb after it agree."""
    before = _neighbour(words, place, -1)
    if before is not None and words[before].lower() in _AGREE and is_subject:
        made[before] = _cased(_AGREE[words[before].lower()], words[before])
    elif is_subject and (before is None or words[before].lower() not in _AFTER_BARE):
        after = _neighbour(words, place, 1)
        while after is not None and words[after].lower() in _BETWEEN:
            after = _neighbour(words, after, 1)
        if after is not None:
            words[after] = _agreeing(words[after])
    made.append(who.form(0 if is_subject else 1))


def _is_subject(words: list[str], place: int) -> bool:
    """Whether this `you` is a subject: a helper before it, or a word after it and no preposition before."""
    before, after = _neighbour(words, place, -1), _neighbour(words, place, 1)
    if before is not None and words[before].lower() in _HELPERS:
        return True
    objects = ("to", "for", "with", "from", "about", "ask", "asked", "tell", "told", "of", "thank", "and")
    return after is not None and words[after].isalpha() and (before is None or words[before].lower() not in objects)


def _neighbour(words: list[str], place: int, step: int) -> int | None:
    """The next word over blanks; none across punctuation."""
    place += step
    while 0 <= place < len(words) and words[place].isspace():
        place += step
    return place if 0 <= place < len(words) and words[place][0].isalpha() else None


def _agreeing(word: str) -> str:
    low = word.lower()
    if low in _AGREE:
        return _AGREE[low]
    plain = low.isalpha() and not low.endswith("ed") and low not in verbs.MODALS | _PAST_TOO | _HELPERS
    known_past = low in verbs.BASE_OF_PAST or low in verbs.BASE_OF_PARTICIPLE
    return verbs.third_person(low) if plain and not known_past and low not in ("never", "and", "or", "who") else word


def _cased(word: str, like: str) -> str:
    return word.capitalize() if like[:1].isupper() else word
