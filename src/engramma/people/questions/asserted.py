"""What a yes-or-no question asserts: its verb, or what it says that somebody is.

"Did we buy the press?" is a yes from "we bought it" or "we ordered it", and not from any sentence about the press.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from ...language.lexical import stems
from ..claims.names import is_name
from ..grammar.auxiliaries import ADVERBS, ALMOST_NOT, NOT
from ..grammar.sets import wordset
from ..grammar.values import DETERMINERS, PREPOSITIONS
from ..grammar.verbs import BE, FORMS, FRAMES
from ..grammar.words import TextWords, read_words
from .doers import AskedSubject, is_said_of
from .phrases import GROUPS
from .question_scope import LOOKED_AT

_DO = wordset("do does did can could will would should shall may might must")
_HAVE = wordset("have has had")
_DONE = wordset("did have has had was were")  # these ask for what was done
_PRONOUNS = wordset(
    "i we you he she they it this that these those there anyone anybody someone somebody everyone everybody nobody"
    " anything something everything all us"
)
_OTHERS = wordset("he she they")
_PASSIVE = wordset("'s got gets")  # as "is" before what was done
_PEOPLE = wordset("i we you he she they who")
_LIGHT = wordset("be have do")  # verbs that say nothing by themselves
_BEFORE_VERB = wordset("going able allowed supposed about planning")  # before "to" and the verb that is asked for
# Relations whose verbs do not say the same: who bakes does not knit, who sprains an ankle does not break it.
_SEVERAL = wordset("did does made injured got feels helped gave")
SHORTEST = 5  # letters of a stem that a longer one begins with
_ENDS = frozenset({*",.;:!?()", "of"})
_DID = re.compile(r"\s*did\b", re.IGNORECASE)
_TO_COME = re.compile(
    r"\b(?:coming|going to|gonna|will|planning|plans? to|hop(?:es?|ing) to|booked)\b|['’]ll\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Assertion:
    """The words of which a statement must have one to say yes, or to deny it; whether it must have been done, and by
    somebody who is named."""

    verbs: frozenset[str]  # plain forms
    stems: frozenset[str]
    is_done: bool
    by_other: bool = False
    is_active: bool = False  # somebody does it, rather than that it is done to them

    def is_in(self, text: str) -> bool:
        """Whether a text has the verb, or what somebody is said to be, in any form."""
        return any(True for _ in self._places(read_words(text)))

    def is_of(self, text: str, asked: AskedSubject | None) -> bool:
        """Whether a text says it, in any form, of the one asked about; of anybody, where that is nobody by name."""
        words = read_words(text)
        return any(self._is_of(words, place, asked) for place in self._places(words))

    def is_said(self, text: str, asked: AskedSubject | None = None) -> bool:
        """Whether a text has it in a form that says so of the one asked about: what is asked for as done, in the past,
        and not almost."""
        words = read_words(text)
        return any(self._tells(words, place) and self._is_of(words, place, asked) for place in self._places(words))

    def has(self, word: str) -> bool:
        """Whether a word is a form of it."""
        form = FORMS.get(word.lower())
        if form is not None and form.lemma in self.verbs:
            return True
        return any(are_alike(stem, other) for stem in stems(word.lower()) for other in self.stems)

    def _is_of(self, words: TextWords, place: int, asked: AskedSubject | None) -> bool:
        if asked is None:
            return True
        if self.is_active and _is_done_to_it(words, place):
            return asked.is_speaker and not self.by_other  # "the hotel is booked": by who says so
        if self.is_active and (agent := _agent(words, place)):
            return agent in asked.names or (asked.is_speaker and agent in ("me", "us"))
        return is_said_of(words, place, asked)

    def _places(self, words: TextWords) -> Iterator[int]:
        return (place for place, word in enumerate(words.low) if word[:1].isalpha() and self.has(word))

    def _tells(self, words: TextWords, place: int) -> bool:
        low, form = words.low, FORMS.get(words.low[place])
        before = low[max(0, place - 3) : place]
        if not ALMOST_NOT.isdisjoint(before) or (self.by_other and _is_done_to_it(words, place)):
            return False
        if not self.is_done:
            return True
        if form is None:
            return not self.verbs or low[place].endswith("ed")
        if form.kinds & {"past", "part"}:
            return True
        return ("ing" in form.kinds and not {"been", "was", "were"}.isdisjoint(before)) or not {
            "did",
            "used",
        }.isdisjoint(before)


@lru_cache(maxsize=256)
def asserted(question: str) -> Assertion | None:
    """What a question asserts; None where it begins with no auxiliary, or its verb says nothing by itself."""
    words = read_words(question[:LOOKED_AT])
    low = words.low
    if not low or low[0] not in _DO | _HAVE | BE:
        return None
    at = 1
    while at < len(low) and (low[at] in NOT or low[at] in ("both", "either")):
        at += 1
    after = _after_subject(words, at)
    found = [word for word in _candidates(words, low[0], after, at) if word[:1].isalpha()]
    lemmas = [form.lemma if (form := FORMS.get(word)) is not None else word for word in found]
    if not lemmas or any(lemma in _LIGHT for lemma in lemmas):
        return None
    is_verb = low[0] not in BE or any(_is_participle(word) or f"to {word}" in " ".join(low) for word in found)
    verbs = frozenset(verb for lemma in lemmas for verb in (lemma, *_synonyms(lemma))) if is_verb else frozenset()
    own = frozenset(stem for word in (*found, *verbs) for stem in stems(word))
    is_active = low[0] in _DO | _HAVE and is_verb
    by_other = is_active and at < len(low) and (low[at] in _OTHERS or is_name(words.as_is[at]))
    return Assertion(verbs, own, low[0] in _DONE and is_verb, by_other, is_active)


def _is_done_to_it(words: TextWords, place: int) -> bool:
    """Whether a verb says what was done to a thing, and not by whom: "the train is cancelled", not "she is married"."""
    low, form = words.low, FORMS.get(words.low[place])
    is_participle = low[place].endswith("ed") if form is None else "part" in form.kinds
    at = place - 1
    while at > 0 and _is_adverb(low[at]):
        at -= 1
    if at < 1 or not is_participle or "by" in low[place + 1 : place + 4]:
        return False
    is_passive = low[at] in BE | _PASSIVE
    while at > 0 and low[at] in BE | _PASSIVE | _HAVE | _DO:
        at -= 1
    return is_passive and low[at] not in _PEOPLE and not is_name(words.as_is[at])


def _agent(words: TextWords, place: int) -> str:
    """By whom something was done, in one word: "cancelled by Ben himself"; "" if nobody is told."""
    low = words.low
    by = next((at for at in range(place + 1, min(place + 4, len(low) - 1)) if low[at] == "by"), 0)
    is_passive = by and any(word in BE | _PASSIVE for word in low[max(0, place - 3) : place])
    is_told = is_passive and (is_name(words.as_is[by + 1]) or low[by + 1] in ("me", "us", "my", "our", "the"))
    return low[by + 1] if is_told else ""


def _after_subject(words: TextWords, at: int) -> int:
    """The place after a subject that is a pronoun or a name; of a noun, the place of the noun itself."""
    low, last = words.low, len(words.low)
    if at < last and low[at] in _PRONOUNS:
        return at + 1
    if at < last and is_name(words.as_is[at]):
        while at < last and (is_name(words.as_is[at]) or (low[at] in ("and", "or") and _names(words, at + 1))):
            at += 1
        return at + 1 if at < last and low[at] in ("'s", "'") else at
    return at


def _names(words: TextWords, at: int) -> bool:
    return at < len(words.low) and is_name(words.as_is[at])


def _candidates(words: TextWords, auxiliary: str, after: int, subject: int) -> list[str]:
    """The words that may be the verb, or what somebody is said to be: one after a pronoun or a name, else those of the
    words up to the next noun group of which a verb may be one."""
    low, last = words.low, len(words.low)
    is_noun = after == subject or low[after - 1] in ("'s", "'")
    at = after
    while at < last and (low[at] in DETERMINERS if is_noun else _is_adverb(low[at])):
        at += 1
    if not is_noun:
        return _next(low, at, auxiliary)
    end = at
    while end < last and low[end] not in _ENDS | DETERMINERS | PREPOSITIONS | _PRONOUNS and not _names(words, end):
        end += 1
    run = [word for word in low[at + 1 : end] if not _is_adverb(word)]
    fits = [word for word in run if _fits(word, auxiliary)]
    if fits or run:
        return fits or run[:1] if auxiliary in _DO else fits or run[-1:]
    later = (word for word in low[end:] if _fits(word, auxiliary))
    return _next(low, end, auxiliary) if auxiliary in BE else list(later)[:1]


def _next(low: tuple[str, ...], at: int, auxiliary: str) -> list[str]:
    """The verb that stands at a place; after a form of "be", the next word that tells."""
    if auxiliary in BE:
        if at + 2 < len(low) and low[at] in _BEFORE_VERB and low[at + 1] == "to":
            return [low[at + 2]]
        while at < len(low) and (low[at] in DETERMINERS | PREPOSITIONS or _is_adverb(low[at])):
            at += 1
    return list(low[at : at + 1])


def are_alike(stem: str, other: str) -> bool:
    """Whether two stems are of one family: allergic and allergy."""
    short, long = sorted((stem, other), key=len)
    return stem == other or (len(short) >= SHORTEST and long.startswith(short))


def _is_adverb(word: str) -> bool:
    return word in ADVERBS | NOT or (word.endswith("ly") and word not in FORMS)


def _fits(word: str, auxiliary: str) -> bool:
    form = FORMS.get(word)
    if auxiliary in _DO:
        return form is not None and "base" in form.kinds
    return _is_participle(word)


def _is_participle(word: str) -> bool:
    form = FORMS.get(word)
    if form is not None:
        return bool(form.kinds & {"part", "ing"})
    return re.search(r"\w{2}(?:ed|ing)$", word) is not None


@cache
def _synonyms(lemma: str) -> frozenset[str]:
    """The verbs that say the same relation, such as buy and purchase."""
    own = _relations(lemma)
    near = own | {one for group in GROUPS.values() if not own.isdisjoint(group[:1]) for one in group}
    return frozenset(verb for verb in FRAMES if not near.isdisjoint(_relations(verb)))


def _relations(verb: str) -> frozenset[str]:
    """The relations that a verb says of its object; of one that takes none, with what follows it."""
    frames = FRAMES.get(verb, ())
    direct = {relation for key, relation in frames if not key}
    return frozenset(direct or {relation for _, relation in frames}) - _SEVERAL


def was_to_be(question: str, sentence: str) -> bool:
    """Whether it is asked if something happened, and a sentence says only that it is to: "He is coming home"."""
    return _DID.match(question) is not None and _TO_COME.search(sentence) is not None
