"""Of whom the talk is right before a sentence without a subject: "Ate a sock", said of a dog, is not its author's.

Chat leaves the subject out ("Broke her wrist", "Got Ravi's hair"), and whose deed it is stands in what was said before:
in the same message, or in those before it within some minutes. What says "I" or asks "you" is of who writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from engramma.people.claims.names import KIN, PETS, Cast
from engramma.people.entities.known_names import first_names, place_names, word_names
from engramma.people.grammar.auxiliaries import ADVERBS
from engramma.people.grammar.nouns import INJURABLE
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.subjects import ends_noun
from engramma.people.grammar.values import DETERMINERS, PREPOSITIONS
from engramma.people.grammar.verbs import FORMS
from engramma.people.grammar.words import TextWords, WordRun, split_words
from engramma.records import Turn

WITHIN = timedelta(minutes=10)  # between two messages of one exchange
MESSAGES = 3  # looked at before one; "what happened" is of nobody, so the one before it counts
SUBJECT_WITHIN = 5  # words of a sentence that may be before the name of whom it is about
_OWN = wordset("i we im ive my our mine myself")  # in the sentence itself: "got my old hohner"
_THEIRS = wordset("i we im ive")
_THEIR = wordset("his her their")
_ADDRESSED = wordset("you u ya yous youre youve yourself")
_OTHERS = wordset("he she hes shes")
_SOMEBODY = wordset(
    "man woman guy bloke lady couple girl boy lad lass lassie kid baby doctor plumber electrician postman driver"
    " engineer surgeon midwife builder buyer buyers seller tenant tenants gran nana grandad dr mr mrs ms his her"
)
_BEFORE = wordset(
    "my your our his her their the a an this that some one new old wee little big poor young and but so oh how what"
    " where when why is are was were did does has have can will 's 're whats hows wheres"
)


def told_of_another(
    words: TextWords, first: int, last: int, cast: Cast, speaker: str, before: Callable[[], bool]
) -> bool:
    """Whether what a sentence without a subject tells is somebody else's: by the message so far, else by `before`."""
    low = words.low[first:last]
    if not _OWN.isdisjoint(low) or _is_object(words, first, last):
        return False
    if any(low[k] in INJURABLE and not _THEIR.isdisjoint(low[max(0, k - 2) : k]) for k in range(len(low))):
        return True  # "broke her left wrist"
    told = None
    for sentence in split_words(words):
        if sentence.first >= first:
            break
        one = _of_whom(words, sentence, cast, speaker, False)
        told = told if one is None else one
    return before() if told is None else told


def spoken_of_another(turns: Sequence[Turn], read: Sequence[TextWords], i: int, cast: Cast) -> bool:
    """Whether the messages right before a turn are of somebody else than who writes it."""
    speaker, said_at = turns[i].speaker, turns[i].said_at
    for k in range(i - 1, max(i - 1 - MESSAGES, -1), -1):
        before = turns[k].said_at
        if said_at is not None and before is not None and said_at - before > WITHIN:
            return False
        said_at, told = before, None
        for sentence in split_words(read[k]):
            one = _of_whom(read[k], sentence, cast, speaker, turns[k].speaker != speaker)
            told = told if one is None else one
        if told is not None:
            return told
    return False


def _is_object(words: TextWords, first: int, last: int) -> bool:
    """Whether something is done to whom the talk is of, who is not its subject then: "took him to the vet"."""
    for k in range(first, last):
        if words.low[k] in ("him", "them"):
            return True
        if words.low[k] == "her" and (k + 1 >= last or words.low[k + 1] in PREPOSITIONS | DETERMINERS | {"for"}):
            return True
    return False


def _of_whom(words: TextWords, sentence: WordRun, cast: Cast, speaker: str, by_other: bool) -> bool | None:
    """True if a sentence is of a third person, False if of one of the two, None if it does not say."""
    first, last = sentence.first, sentence.last
    low = words.low[first:last]
    if not (_ADDRESSED if by_other else _THEIRS).isdisjoint(low):
        return False
    begins = range(first, min(last, first + SUBJECT_WITHIN))
    if not _OTHERS.isdisjoint(low) or any(_is_somebody(words, k, sentence, cast, speaker) for k in begins):
        return True
    return False if by_other and not _THEIRS.isdisjoint(low) else None


def _is_somebody(words: TextWords, k: int, sentence: WordRun, cast: Cast, speaker: str) -> bool:
    """Whether somebody else stands where a subject does: "my mum ...", "man from largs came", "and alasdair"."""
    first, last = sentence.first, sentence.last
    if any(word not in _BEFORE and word not in ADVERBS and word != "," for word in words.low[first:k]):
        return False
    word, calls = words.low[k], words.low[k + 1 : k + 2] == (",",)
    if word in _SOMEBODY:
        return not calls
    if word in KIN or word in PETS:
        return not calls and ends_noun(words, k + 1)
    known = cast.resolve(word)
    if known is not None:
        return known != speaker and (k + 1 < last or k > first) and not calls
    return len(word) > 2 and word in first_names() and word not in word_names() | place_names() and word not in FORMS
