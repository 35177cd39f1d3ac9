"""Finds first-person clauses in chat and takes them apart: tense, verb, object, and what follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from . import verbs
from .wordlists import word_set
from .wordnet import WordNet

ADVERBS = word_set(
    "just recently actually also really finally already still always usually never even currently often sometimes "
    "definitely probably only ever lately initially originally generally personally both all kind sort"
)
PREPOSITIONS = word_set(
    "in at on from to with for about by near into during through around over under of after before since until"
)
JOINTS = word_set("because so when while if that which who where but and as than though although or")
DETERMINERS = word_set("a an the my our his her their its this that these those some any every each another one no")
TIME_WORDS = word_set(
    "today yesterday tomorrow tonight morning afternoon evening night week weeks weekend month months year years day "
    "days hour hours minute minutes ago last next monday tuesday wednesday thursday friday saturday sunday january "
    "february march april may june july august september october november december summer winter spring fall recently "
    "lately soon"
)
PEOPLE = word_set(
    "friend friends sister brother mom mum mother dad father wife husband partner boyfriend girlfriend cousin aunt "
    "uncle grandma grandpa grandmother grandfather son daughter kids kid children family colleague colleagues "
    "coworker coworkers boss neighbor neighbour roommate niece nephew team parents teacher doctor therapist fiance"
)
_CLAUSE = re.compile(r"\b(I(?:['’](?:m|ve|ll|d))?)\s+([^.!?;:\n]+)")
_END = re.compile(
    r",\s+(?:and|but|so|which|who|though|although|because|as|especially|including|any|do|can|what|how)\b.*$"
)
_NEXT_I = re.compile(r"\s+(?:and|but|so|that|because|when|while|if)\s+I\b.*$")
_AND_VERB = re.compile(r"\s+and\s+(?:then\s+|was\s+|have\s+|had\s+|am\s+|just\s+)?([a-z]+)\b.*$")
VAGUE = word_set(
    "lot ton bit back it be go thing things way ways couple bunch them that one ones something anything everything "
    "kind sort"
)
MEASURES = word_set("pair lot couple bunch set piece")  # what they are "of" is the thing
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])|\n+")
_NO_OBJECT = word_set("it them back i i'll i'm i've i'd you he she they we up out off might was")
TENSES = {"m": "progressive", "ve": "perfect", "ll": "future", "d": "would"}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some words that belong together, with the preposition or joint before them."""

    mark: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join((self.mark, *self.words) if self.mark else self.words)

    @property
    def is_time(self) -> bool:
        low = [word.lower().strip(",") for word in self.words]
        return any(word in TIME_WORDS or re.fullmatch(r"(19|20)\d\d", word) for word in low)


@dataclass(frozen=True, slots=True)
class Clause:
    """`I` did something: `verb` is the base form, `chunks` are what follows."""

    tense: str
    verb: str
    chunks: tuple[Chunk, ...]

    @property
    def object(self) -> Chunk | None:
        first = self.chunks[0] if self.chunks else None
        if first is None or first.mark or first.is_time or {word.lower() for word in first.words} & _NO_OBJECT:
            return None
        return first


def sentences(text: str) -> list[str]:
    """The sentences of a chat message, lists and headings left out."""
    found = (part.strip() for part in _SENTENCE.split(text))
    return [part for part in found if 12 <= len(part) <= 320 and not re.match(r"[*#\-\d|>]", part)]


def clauses(sentence: str, wordnet: WordNet) -> Iterator[Clause]:
    """Every clause of the sentence that the rules can read."""
    for match in _CLAUSE.finditer(sentence):
        said = _NEXT_I.sub("", _END.sub("", match[2])).strip(" ,-–—")
        if (joined := _AND_VERB.search(said)) and (joined[1] in verbs.BASE_OF_PAST or joined[1].endswith("ed")):
            said = said[: joined.start()]
        words = [word for word in re.split(r"\s+", said) if word not in ("-", "–", "—")][:24]
        if made := _read(match[1].replace("’", "'"), words, wordnet):
            yield made


def _read(subject: str, words: list[str], wordnet: WordNet) -> Clause | None:
    helper = TENSES.get(subject.partition("'")[2], "")
    low = [word.lower().strip(",") for word in words]
    place = 0
    while place < len(low):
        word = low[place]
        if word in ADVERBS:
            place += 1
        elif not helper and word in ("am", "was", "have", "had", "will"):
            helper = {"am": "progressive", "was": "was", "have": "perfect", "had": "perfect", "will": "future"}[word]
            place += 1
            if word in ("have", "had") and not _is_participle(low, place, wordnet):
                return _made("present" if word == "have" else "past", "have", words[place:], wordnet)
        elif helper == "perfect" and word == "been":
            helper, place = "perfect progressive", place + 1
        else:
            break
    if place >= len(low) or low[place] in ("not", "n't", "to") or not low[place].isalpha():
        return None
    return _with_verb(helper, low[place], words[place + 1 :], wordnet)


def _with_verb(helper: str, word: str, rest: list[str], wordnet: WordNet) -> Clause | None:
    if helper in ("progressive", "was", "perfect progressive"):
        base = wordnet.lemma(word, "verb") if word.endswith("ing") else None
        return _made(helper, base, rest, wordnet) if base and base != word else None
    if helper == "perfect":
        base = verbs.BASE_OF_PARTICIPLE.get(word) or verbs.BASE_OF_PAST.get(word) or wordnet.lemma(word, "verb")
        return _made("perfect", base, rest, wordnet) if base else None
    if helper == "future":
        return _made("future", word, rest, wordnet) if wordnet.has(word, "verb") else None
    if helper:
        return None
    if word in verbs.BASE_OF_PAST:
        return _made("past", verbs.BASE_OF_PAST[word], rest, wordnet)
    base = wordnet.lemma(word, "verb")
    if base is None or word in verbs.MODALS or word in ("am", "was", "is", "are", "do", "did", "don't"):
        return None
    return _made("past" if word.endswith("ed") and base != word else "present", base, rest, wordnet)


def _is_participle(low: list[str], place: int, wordnet: WordNet) -> bool:
    while place < len(low) and low[place] in ADVERBS:
        place += 1
    if place >= len(low):
        return False
    word = low[place]
    ended = word.endswith("ed") and wordnet.lemma(word, "verb") is not None
    return word == "been" or word in verbs.BASE_OF_PARTICIPLE or ended or word in ("put", "read", "set", "cut", "had")


def _made(tense: str, verb: str | None, rest: list[str], wordnet: WordNet) -> Clause | None:
    if not verb or not verb.isalpha():
        return None
    return Clause(tense, verb, tuple(_chunked(rest, wordnet)))


def _chunked(words: list[str], wordnet: WordNet) -> Iterator[Chunk]:
    """Splits at prepositions and joints; "of" stays inside its noun phrase, and `to` + verb is a purpose."""
    mark = ""
    held: list[str] = []
    for place, word in enumerate(words):
        low = word.lower().strip(",")
        breaks = (low in PREPOSITIONS and low != "of") or (low in JOINTS and low not in ("and", "or", "as"))
        starts_time = low in ("last", "yesterday", "today", "this", "next") and any(
            other.lower().strip(",.") in TIME_WORDS for other in words[place : place + 2]
        )
        if breaks or (starts_time and held):
            if held or mark:
                yield Chunk(mark, _clean(held))
            mark, held = ("", [word]) if starts_time and not breaks else (low, [])
            if low == "to" and place + 1 < len(words) and wordnet.has(words[place + 1].lower(), "verb"):
                noun = wordnet.noun_first(words[place + 1].lower())
                mark = "to" if noun else "to do"
        else:
            held.append(word)
    if held:
        yield Chunk(mark, _clean(held))


def _clean(words: list[str]) -> tuple[str, ...]:
    text = " ".join(words).strip(" ,\"'()")
    return tuple(text.split())


def head(chunk: Chunk, wordnet: WordNet) -> str | None:
    """The main noun of a noun phrase: the last noun before "of" or its end."""
    words = [word.lower().strip(",") for word in chunk.words]
    if "of" in words:
        place = words.index("of")
        is_measure = place > 0 and words[place - 1] in MEASURES
        words = words[place + 1 :] if is_measure else words[:place]
    for word in reversed(words[:6]):
        if word.isalpha() and word not in DETERMINERS | TIME_WORDS | VAGUE and wordnet.lemma(word, "noun"):
            return word
    return None
