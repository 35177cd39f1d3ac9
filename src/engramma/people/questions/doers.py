"""Who does it: whether a verb, or what somebody is said to be, is said in a text of the one who is asked about.

"My wife is allergic to nuts" says nothing about who says it, and "she passed, I did not" no yes to "did I pass?".
The subject is looked for to the left of the verb, as far as the words around it tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...language.lexical import stems
from ..claims.names import is_name
from ..grammar.auxiliaries import ADVERBS, MODALS, NOT
from ..grammar.sets import wordset
from ..grammar.values import DETERMINERS, PREPOSITIONS
from ..grammar.verbs import BE, FORMS
from ..grammar.words import TextWords, read_words

_SELF = wordset("i we")
_SELF_TOO = wordset("i we me us myself ourselves")  # within "Tom and I", "both of us"
_THIRD = wordset("he she they him them it this that these those there something everything")
_ANYBODY = wordset("everyone everybody nobody all none both")
_OWNERS = wordset("my our your his her their its")
_RELATIVE = wordset("who which that")
_EXCEPT = wordset("except but besides unlike without")
_BESIDE = wordset("of with for from to about than like by at in on near")  # behind these stands nobody who does it
_JOINS = wordset("and or then but so , - – —")
_BREAKS = frozenset('.;:!?\n()"“”…')
_OPENS = wordset("that if when because while although though since so but as whether")
_AUXILIARIES = wordset(
    "do does did have has had 've 'd 'll 'm 're 's been being be got get to going gonna able about supposed ready"
) | frozenset(MODALS)
_TIMES = wordset(
    "yesterday today tonight tomorrow week weekend month year morning afternoon evening night monday tuesday wednesday"
    " thursday friday saturday sunday last this next"
)
_EXCLAIMED = wordset("yes yeah yep no nope lol haha omg ok okay well oh wow so anyway btw update news and also then")
_HAVING = wordset(
    "have has had 've got own owns owned suffer suffers suffered diagnosed developed caught adopted bought keep keeps"
)
_ASKS_HAVING = re.compile(r"\s*(?:do|does|did)(?:n['’]t)?\s+[^?]{1,60}?\s(?:have|own)\b(?! to\b)", re.IGNORECASE)
_LEADING = wordset("of about on from as")  # before what somebody thinks of doing
LOOKED_BACK = 60  # words before a verb: a subject stands nearer
FARTHEST = 6  # words between a noun that is said of somebody, and the form of "be" before it


@dataclass(frozen=True, slots=True)
class AskedSubject:
    """Who is asked about: the words of their names, and whether it is they who say what was found."""

    names: frozenset[str]
    is_speaker: bool


def asked_subject(question: str) -> frozenset[str]:
    """The words that a question names its subject by: "i", or those of names; none if it is a thing, "we" or "she"."""
    words = read_words(question)
    at = 1
    while at < len(words.low) and (words.low[at] in NOT or words.low[at] in ("both", "either")):
        at += 1
    if at < len(words.low) and words.low[at] == "i":
        return frozenset({"i"})
    found = set[str]()
    while at < len(words.low) and (is_name(words.as_is[at]) or (found and words.low[at] in ("and", "or"))):
        found.add(words.low[at])
        at += 1
    is_owner = at < len(words.low) and words.low[at] in ("'s", "'")
    return frozenset() if is_owner else frozenset(found) - {"and", "or"}


def is_said_of(words: TextWords, place: int, asked: AskedSubject) -> bool:
    """Whether the word at a place is said of the one asked about; who does it where nobody is named, is who speaks."""
    words, place = _begun_near(words, place)
    is_verb = _is_verb(words, place)
    if not is_verb and (owner := _owner_before(words, place)) >= 0:
        return _is_asked(words, owner, asked)
    at = _before_group(words, place - 1 if is_verb else _before_predicate(words, place))
    return _is_asked(words, at, asked)


def _begun_near(words: TextWords, place: int) -> tuple[TextWords, int]:
    """The words up to a place from a few before it, where its subject stands, however long the text; and the place."""
    first = max(0, place - LOOKED_BACK)
    if not first:
        return words, place
    near = slice(first, place + 1)
    nearest = (words.as_is[near], words.low[near], words.start[near], words.end[near])
    return TextWords(words.text, *nearest, frozenset()), place - first


def _is_verb(words: TextWords, place: int) -> bool:
    """Whether a word is a verb where it stands: "plays", and "move" but not in "my move"."""
    word = words.low[place]
    form = FORMS.get(word)
    is_base = form is not None and not form.kinds & {"past", "s"}
    if is_base and place > 0 and (words.low[place - 1] in _OWNERS or words.low[place - 1] in DETERMINERS):
        return False
    return word in _HAVING or form is not None or word.endswith(("ed", "ing"))


def asks_having(question: str) -> bool:
    """Whether a question asks whether somebody has something."""
    return _ASKS_HAVING.match(question) is not None


def is_had_by(text: str, rarity: Mapping[str, float], asked: AskedSubject) -> bool:
    """Whether a text says that who is asked about has something: "I've got a dog", "my dog"."""
    words = read_words(text)
    for place, word in enumerate(words.low):
        if word in _HAVING and is_said_of(words, place, asked):
            return True
        if any(stem in rarity for stem in stems(word)) and (owner := _owner_before(words, place)) >= 0:
            return _is_asked(*_begun_near(words, owner), asked)
    return False


def _owner_before(words: TextWords, place: int) -> int:
    """The place of "my" or "Ann's" before a noun; -1 if there is none."""
    for at in range(place - 1, max(-1, place - 4), -1):
        word = words.low[at]
        if word in _OWNERS:
            return at if word != "her" or place - at < 2 or words.low[place] not in FORMS else -1
        if not word[:1].isalpha() or word in BE or word in DETERMINERS or word in PREPOSITIONS or word in _SELF:
            return -1
        if word.endswith("s") and not word.endswith(("ss", "us")):
            return -1  # "shona at my works niece": whose mark is left out
    return -1


def _before_predicate(words: TextWords, place: int) -> int:
    """The place of the form of "be" before what somebody is said to be; else the one right before it."""
    for at in range(place - 1, max(-1, place - FARTHEST), -1):
        if words.low[at] in BE or words.low[at] in ("as", "'s", "'m", "'re"):
            return at
        if words.low[at] in _BREAKS or words.low[at] in _SELF:
            break
    return place - 1


def _before_group(words: TextWords, at: int) -> int:
    """The place before a verb and all that leads to it: "I" in "I finally decided to"."""
    while at >= 0 and _is_before_verb(words, at):
        at -= 1
    return at


def _is_before_verb(words: TextWords, at: int) -> bool:
    """Whether a word stands between a subject and its verb: an auxiliary, an adverb, a verb that leads to it."""
    word, following = words.low[at], words.low[at + 1]
    if word in _AUXILIARIES or word in ADVERBS or word in NOT or word in BE:
        return True
    if word.endswith("ly") and word not in FORMS:
        return True
    if word in _LEADING:
        return following.endswith("ing")
    return word in FORMS and (following in _LEADING or following == "to" or following.endswith("ing"))


def _is_asked(words: TextWords, at: int, asked: AskedSubject) -> bool:
    """Whether a subject that ends at a place is who is asked about."""
    low = words.low
    while at >= 0 and (low[at] in _TIMES or low[at] in _EXCLAIMED - _JOINS):
        at -= 1
    if at < 0 or low[at] in _BREAKS or low[at] in _OPENS - _RELATIVE:
        return asked.is_speaker
    word = low[at]
    if word in _JOINS:
        return _is_shared(words, at, asked)
    if word in _RELATIVE and at > 0:
        return _is_asked(words, at - 1, asked) if low[at - 1][:1].isalpha() else _is_shared(words, at - 1, asked)
    if word in ("my", "our") or word in _SELF:
        return asked.is_speaker
    if word in ("your", "you"):
        return not asked.is_speaker
    if word in ("he", "she", "they", "him", "her", "them", "his", "their"):
        return not asked.is_speaker
    if word in _ANYBODY:
        return True
    if word in _THIRD:
        return False
    return _is_in_phrase(words, at, asked)


def _is_shared(words: TextWords, at: int, asked: AskedSubject) -> bool:
    """Whose a verb is that has no subject of its own: that of the verb before it ("she quit and moved")."""
    for before in range(at - 1, -1, -1):
        if words.low[before] in _BREAKS:
            return asked.is_speaker
        form = FORMS.get(words.low[before])
        is_noun = before > 0 and (words.low[before - 1] in DETERMINERS or words.low[before - 1] in _OWNERS)
        if form is not None and not is_noun and form.kinds & {"past", "s", "base", "part", "ing"}:
            return is_said_of(words, before, asked)
        if words.low[before] in BE:
            return _is_asked(words, _before_group(words, before), asked)
    nouns = [word for word in words.low[:at] if word in _OWNERS] or [w for w in words.as_is[:at] if is_name(w)]
    return _is_in_phrase(words, at - 1, asked) if nouns and at > 0 else asked.is_speaker


def _is_in_phrase(words: TextWords, at: int, asked: AskedSubject) -> bool:
    """Whether a noun phrase that ends at a place has the one asked about among those who do it."""
    low, first = words.low, at
    while first > 0 and not _ends_phrase(words, first - 1):
        first -= 1
    phrase = range(first, at + 1)
    is_except = any(low[place] in _EXCEPT for place in phrase)
    if any(low[place] in _SELF_TOO for place in phrase):
        return asked.is_speaker and not is_except
    for place in phrase:
        is_owner = place < at and low[place + 1] in ("'s", "'")
        is_beside = place > 0 and low[place - 1] in _BESIDE
        if low[place] in asked.names and not is_owner and not is_beside and not is_except:
            return True
    return False


def _ends_phrase(words: TextWords, at: int) -> bool:
    word = words.low[at]
    if word in _BREAKS or word in (",", "–", "—") or (word in _OPENS and word not in _EXCEPT):
        return True
    form = FORMS.get(word)
    is_noun = at > 0 and (words.low[at - 1] in DETERMINERS or words.low[at - 1] in _OWNERS)
    return word in BE or (form is not None and not is_noun and not is_name(words.as_is[at]))
