"""Silence where nothing fits: what must be near, in meaning or by words, for anything to be shown.

Meaning decides, where the encoder can read the query. Words alone are reason enough where it cannot (another language
or script, keywords), where the query's words stand together as they were said or in one passage, where they name an
identifier, where a question names somebody or quotes a word, where a message names somebody of whom hardly anybody
spoke, or where there are so many of them that one text does not have them all by chance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..index.placeholders import PaddedIndex
from ..index.vector_index import VectorIndex
from ..language.first_person import speaks_of_oneself
from ..language.function_words import fold_accents
from ..language.lexical import HUMPED, STOP_WORDS, normalize_text, telling_terms, terms
from ..language.proper_names import proper_names, titled_names
from ..language.question_language import question_language
from ..language.text import fold_text
from ..store.store import Store
from .passages import question_stems, shares_together
from .search import ChannelHit

COVERED = 0.5  # share of a query's words, by rarity, from which on words alone can be reason enough to answer
MANY_COVERED = 0.75  # the same, of a query of many words that the encoder can read
MANY = 7  # telling words: as many do not come together by chance
LOOKED_AT = 3  # texts found by words in which a phrase or an identifier is looked for
TOGETHER_IN = 10  # texts found by words in which the query's words may stand together: a long one is not the first
TOGETHER_COVERED = 0.9  # share of the query's words in one passage
FEWEST_TOGETHER = 4  # telling words: fewer stand in one passage by chance (docs/log.md, "What stands out")
FEWEST_SAID = 3  # telling words in the order in which they were said: never by chance, however long the text
FEW = 5  # segments: a name that stands in more of them does not tell which is meant
SHORT = 2  # telling words: who looks for "wedding venue" wants to see the wedding, if nobody spoke of a venue
SHORT_COVERED = 0.4  # share of so few words: one of two, in a text of any length
SHORTEST_PHRASE = 3  # words, not counting function words at its ends
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")  # "Adler's" is Adler
_QUESTION = re.compile(
    r"\?\s*$|^\s*(?:who|whose|what|when|where|why|which|how|did|does|do|is|are|was|were|has|have)\b", re.I
)
_QUOTED = re.compile(r"(?<!\w)[\"'‘“„«]([^\W_][^\"'’”“»]{1,60}[^\W_])[\"'’”“»](?!\w)")
_IDENTIFIER = re.compile(r"(?<!\w)(?=[\w.#/-]*\d)(?=[\w.#/-]*[^\W\d_])[\w#][\w.#/-]{2,}(?!\w)|(?<!\w)\w+_\w+(?!\w)")


def nothing_near(
    store: Store, index: VectorIndex, channels: Mapping[str, Sequence[ChannelHit]], text: str, least: float
) -> str | None:
    """Why there is nothing to show: nothing means what is asked, and no words make up for it."""
    hits = channels.get("semantic", ())
    if "semantic" not in channels or least <= -1 or (hits and hits[0].score >= least):
        return None
    words = channels.get("lexical", ())
    if words and words_are_enough(store, len(index), text, words):
        return None
    if isinstance(index, PaddedIndex) and np.isin([hit.key for hit in words], index.waiting).any():
        return None  # what one of these means is not known yet
    if hits:
        return describe_distance(hits[0].score, least, "gate")
    return "nothing is remembered that matches these filters" if len(index) else "nothing is remembered yet"


def words_are_enough(store: Store, segments: int, text: str, words: Sequence[ChannelHit]) -> bool:
    """Whether what was found by words may be shown although nothing means what is asked."""
    if stand_together(store, text, words) or is_quoted_there(store, text, words) or is_named_there(store, text, words):
        return True
    found = store.hydrate(sorted(hit.key for hit in words[:LOOKED_AT])).values()
    said = [f" {' '.join(_WORD.findall(normalize_text(one.text).lower()))} " for one in found]
    phrase = _phrase(text)
    is_said = bool(phrase) and any(f" {phrase} " in one for one in said)
    if is_said and count_telling_words(phrase) >= FEWEST_SAID:
        return True
    is_short = count_telling_words(text) <= SHORT
    share = covered(store, segments, text, words[0].score, of_said=is_short)
    if share < (SHORT_COVERED if is_short else COVERED):
        return False
    if not is_plain_english(text) or (share >= MANY_COVERED and count_telling_words(text) >= MANY):
        return True
    if len(terms(text)) == 1 or (is_short and _QUESTION.search(text)):
        return True  # a keyword with its article, or asked for with another
    names = _IDENTIFIER.findall(text)
    if _QUESTION.search(text):
        names += proper_names(text)
    return is_said or any(fold_text(name) in fold_text(one.text) for name in names for one in found)


def asks(text: str) -> bool:
    """Whether a query is a question, rather than a message or words to look for."""
    return _QUESTION.search(text) is not None


def stand_together(store: Store, text: str, words: Sequence[ChannelHit]) -> bool:
    """Whether the query's words stand in one passage of a text: a sentence of a long answer, which as a whole means
    something else and has its words among many others."""
    wanted = question_stems(text)
    if len(wanted) < FEWEST_TOGETHER:
        return False
    found = store.hydrate(sorted(hit.key for hit in words[:TOGETHER_IN])).values()
    return max(shares_together([one.text for one in found], wanted), default=0.0) >= TOGETHER_COVERED


def is_quoted_there(store: Store, text: str, words: Sequence[ChannelHit]) -> bool:
    """Whether a question quotes a word that a text has, however much else is in it: "What does 'glebe' mean?"."""
    quoted = _QUOTED.findall(text) if _QUESTION.search(text) else []
    if not quoted:
        return False
    found = store.hydrate(sorted(hit.key for hit in words[:LOOKED_AT])).values()
    texts = [fold_text(said.text) for said in found]
    return any(re.search(rf"(?<!\w){re.escape(fold_text(one))}", text) for one in quoted for text in texts)


def is_named_there(store: Store, text: str, words: Sequence[ChannelHit]) -> bool:
    """Whether a message names somebody whom few texts name: "I want to see Mrs. Adler".

    A task has names of tools, which are nobody's: there a title must tell that it is a person's, here or in the text.
    So it must of a word that begins the message, which has a capital anyway.
    """
    if question_language(text):
        return False
    is_talk = speaks_of_oneself(text) or _QUESTION.search(text) is not None
    clear = {*(proper_names(text) if is_talk else titled_names(text))}
    may = [name for name in {*clear, *proper_names(text), *_WORD.findall(text)[:1]} if _is_written_as_name(name)]
    counts = store.document_counts([name.lower() for name in may], FEW + 1)
    rare = {name for name in may if 0 < counts[name.lower()] <= FEW}
    found = store.hydrate(sorted(hit.key for hit in words[:TOGETHER_IN])).values() if rare else ()
    named, titled = _folded(rare & clear), _folded(rare)
    return any(
        not named.isdisjoint(_folded(word for word in _LETTERS.findall(one.text) if _is_written_as_name(word)))
        or not titled.isdisjoint(_folded(titled_names(one.text)))
        for one in found
    )


def _is_written_as_name(word: str) -> bool:
    """Whether a word has the capitals of a name: Adler, LoSalt."""
    return word.istitle() or (word[:1].isupper() and HUMPED.search(word) is not None)


def _folded(names: Iterable[str]) -> set[str]:
    return {fold_accents(name) for name in names}


def count_telling_words(text: str) -> int:
    """How many of a query's words tell something; one that is also looked for in its parts ("GitHub") is one word."""
    return len({word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS})


def is_plain_english(text: str) -> bool:
    """Whether a query reads as an English sentence: it has an English function word."""
    return any(word in STOP_WORDS and len(word) > 1 for word in _WORD.findall(text.lower()))


def _phrase(text: str) -> str:
    """The query's words as one phrase, without function words at its ends; "" if they are too few."""
    words = _WORD.findall(normalize_text(text).lower())
    while words and words[0] in STOP_WORDS:
        words = words[1:]
    while words and words[-1] in STOP_WORDS:
        words = words[:-1]
    return " ".join(words) if len(words) >= SHORTEST_PHRASE else ""


def covered(store: Store, segments: int, text: str, score: float, *, of_said: bool = False) -> float:
    """How much of the query's words, weighed by their rarity, the best segment by words has: 1 is all of them once.

    With `of_said`, a word that nobody ever said counts no more than the rarest that somebody did.
    """
    counts = list(store.document_counts(telling_terms(text)).values())
    if of_said:
        rarest = min((count for count in counts if count), default=0)
        counts = [count or rarest for count in counts]
    whole = sum(max(1e-6, math.log((segments - count + 0.5) / (count + 0.5))) for count in counts)
    return score / whole if whole else 0.0


def describe_distance(nearest: float, least: float, name: str) -> str:
    return (
        f"nothing similar enough was said; recipe vector shows the nearest anyway (nearest {nearest:.3f}, "
        f"{name} {least:.3f})"
    )
