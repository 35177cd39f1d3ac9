"""What a segment's words and who spoke them tell: of those that are still in the running.

What recall needs to know of a segment's words is worked out once, and kept without their text: of a namespace that is
kept as a whole under the segment's key, and it goes with every change to the segment (core/place_table.py); else under
the hash of the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..core.background import LOOKED_AT, Background, SegmentWords, Values, above_usual, length, likeness, said_by
from ..core.windows import Near
from ..index.vector_index import VectorIndex
from ..language.compounds import told_apart
from ..language.dates import Interval
from ..language.standing import is_standing_instruction
from ..language.text import infer_role
from ..language.text_memo import TextMemo
from ..language.whose_words import asks_what_was_said
from ..store.store import Store, encode_keys
from .passages import passage_shares, question_stems, shares_together
from .word_places import READ, NumberedWords, Numbers, WordBook, numbered_places, open_book

Rows = NDArray[np.int64]

MANY_WORDS = 10  # of a question, which do not come together by chance
QUOTED = 0.85  # share of a question's words in one passage: it has them from there
FEWEST_QUOTED = 4  # words, as by chance fewer stand so
MOST_WORDS, MOST_PLACES = 100_000, 2_000_000  # of a namespace that is kept as a whole: 16 MB, and then they begin anew
# Of a talk of so many segments all are learnt as soon as one is asked for that is not known: 50 µs each, and each
# recall after it takes a tenth less. Of more, and of an assistant's long answers, a recall learns what it looks at.
LEARNT_AT_ONCE = 1_000
MOST_TEXTS = 20_000  # 5 MB, without the words, which a book keeps

_TIME_WORDS = """
    yesterday today tonight tomorrow last next ago since recently week weeks weekend weekends month months year years
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december summer winter spring fall autumn
"""
TIME_WORDS = frozenset(_TIME_WORDS.split()) | {str(year) for year in range(1900, 2100)}
BOOK = "book"  # on the shelf of a namespace
WORD = re.compile(r"[a-z]+|\d+")  # a set of words is three times as fast as a pattern of all of them


@dataclass(frozen=True, slots=True)
class QuestionEvidence:
    """The query as evidence looks at it."""

    text: str
    vector: NDArray[np.float32]
    times: tuple[Interval, ...]
    asks_when: bool
    in_english: tuple[str, ...] = ()  # what words of another language mean
    compounds: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of its words, that were looked for as well
    languages: tuple[str, ...] = ()  # in which there are any
    goes_on: bool = False  # a message in a chat that tells something: it goes on from what was said last


def by_text(
    store: Store,
    index: VectorIndex,
    near: Near,
    rows: Rows,
    known: Background,
    usual: tuple[float, float],
    question: QuestionEvidence,
    floor: float,
) -> dict[str, Values]:
    """What kind of turn it is: by whom, long or short, a question, the answer to one like it, telling a time, telling
    what to do always; and how many of the question's words stand together in it."""
    before = near.at(rows, -1)
    likely = likeness(index.singles(near.keys[np.where(before < 0, rows, before)]), question.vector)
    alike = np.maximum(0.0, (likely - usual[0]) / usual[1]) * (before >= 0)
    answered = np.flatnonzero(alike > 0)
    wanted = question_stems(question.text, question.in_english)
    said = pool_words(store, near, [*near.keys[rows].tolist(), *near.keys[before[answered]].tolist()])
    own = said.traits[: len(rows)]
    asks, lengths, tells, told, *_ = zip(*own, strict=True)
    answers = np.zeros(len(rows))
    answers[answered] = [one.is_question for one in said.traits[len(rows) :]]
    tells_time = np.array(tells, np.float64)
    return {
        "question": np.array(asks, np.float64),
        "length": (np.array(lengths) - known.length_mean) / known.length_sd,
        "answers": near.leaning[rows] * alike * answers,
        "tells_time": tells_time,
        "tells_when": tells_time * float(question.asks_when),
        "standing": by_instruction(index, near, rows, np.array(told), question, floor),
        **by_passage(_shares_in(said, len(rows), question, wanted), wanted),
        **by_speaker(store, near, rows, said, question.text),
    }


def _shares_in(said: PoolWords, count: int, question: QuestionEvidence, wanted: Sequence[str]) -> Values:
    """Of each of the first texts, the share of the question's words that stand together in it."""
    own = said.traits[:count]
    if question.compounds:
        texts = said.text_of(range(count))
        parted = [told_apart(texts[place], question.compounds, question.languages) for place in range(count)]
        return np.array(shares_together(parted, wanted))
    found = numbered_places(said.book, [one.words for one in own], frozenset(wanted), said.text_of)
    return np.array(passage_shares(found, [one.characters for one in own], wanted))


def by_instruction(
    index: VectorIndex, near: Near, rows: Rows, is_told: NDArray[np.bool_], question: QuestionEvidence, floor: float
) -> Values:
    """1 for the nearest of what an assistant was told to do always, if it is near enough to be shown at all: it holds
    for what is asked now, whatever else was said. Not for who asks what was said."""
    told = np.flatnonzero(near.is_exchange[rows] & is_told)
    found: Values = np.zeros(len(rows))
    if len(told) and not asks_what_was_said(question.text):
        likely = likeness(index.singles(near.keys[rows[told]]), question.vector)
        best = int(np.lexsort((near.turns[rows[told]], -likely))[0])
        found[told[best]] = float(likely[best] >= floor)
    return found


def by_passage(share: Values, wanted: Sequence[str]) -> dict[str, Values]:
    """By how much a text has more of the question's words together in a passage than the tenth best. The words of a
    sentence stand out so, however long the text is in which it was said; of few words several may come together by
    chance, so these count less. And whether it has nearly all of them so, less if many texts have."""
    count = len(wanted)
    is_quoted = share >= QUOTED if count >= FEWEST_QUOTED else np.zeros(len(share), bool)
    return {
        "stands_out": above_usual(share) * min(count, MANY_WORDS) / MANY_WORDS,
        "quoted": is_quoted / math.sqrt(max(1, is_quoted.sum())),
    }


def by_speaker(store: Store, near: Near, rows: Rows, pool: PoolWords, text: str) -> dict[str, Values]:
    """Of the people named in the query: 1 where none of them speaks, and 1 where none is present or spoken of.

    Behind "user" may be anybody: in a chat with an assistant nobody is absent.
    """
    said = pool.traits[: len(rows)]
    words, groups = set(re.findall(r"\w+", text.casefold())), {one.speakers for one in said}
    speakers = frozenset(name for group in groups for name in group if words & _names_of(name))
    nobody = np.zeros(len(rows))
    if not speakers:
        return {"other_speaker": nobody, "absent": nobody}
    sessions = near.sessions[rows].tolist()
    present = speakers_present(store, near, sorted(set(sessions)))
    named = {name for there in set(present.values()) for name in there if infer_role(name, None) is not None} | speakers
    names = words & frozenset().union(*(_names_of(name) for name in named))
    is_left = {session for session, there in present.items() if named.isdisjoint(there)}
    left = [place for place, session in enumerate(sessions) if session in is_left]
    is_other = {group: float(speakers.isdisjoint(group)) for group in groups}
    absent = nobody.copy()
    absent[[place for place, spoken in zip(left, _speak_of(pool, left, names), strict=True) if not spoken]] = 1.0
    return {"other_speaker": np.array([is_other[one.speakers] for one in said]), "absent": absent}


def _speak_of(pool: PoolWords, places: Sequence[int], names: AbstractSet[str]) -> list[bool]:
    """Whether each of some texts has one of the names; words are told apart only where one of them may be a name."""
    numbers = [number for name in names if (number := pool.book.number_of(name)) >= 0]
    unread = [place for place in places if not (pool.traits[place].is_plain and len(pool.traits[place].words))]
    texts = pool.text_of(unread) if unread else {}
    return [
        _speaks_of(texts[place][:LOOKED_AT], names)
        if place in texts
        else any((cast("Numbers", pool.traits[place].words)[0] == number).any() for number in numbers)
        for place in places
    ]


def _speaks_of(text: str, names: AbstractSet[str]) -> bool:
    low = text.casefold()
    likely = any(name in low for name in names)
    return likely and not names.isdisjoint(re.findall(r"\w+", low))


@lru_cache(maxsize=1024)
def _names_of(speaker: str) -> frozenset[str]:
    """The words by which a speaker is named; a lone letter is nobody's name."""
    return frozenset(word for word in re.findall(r"\w+", speaker.casefold()) if len(word) > 1)


# --- what is known of words ----------------------------------------------------------------------


class TextTraits(NamedTuple):
    """What follows from a text alone."""

    is_question: bool
    length: float
    tells_time: bool
    is_instruction: bool  # of what to do always
    characters: int
    is_plain: bool  # its words are those of the book, but for long ones, which are none of the book's


class SegmentTraits(NamedTuple):
    """The same of a segment, who spoke it, and its words by their numbers in a book."""

    is_question: bool
    length: float
    tells_time: bool
    is_instruction: bool
    characters: int
    is_plain: bool
    speakers: frozenset[str]
    book: WordBook
    words: NumberedWords


class PoolWords(NamedTuple):
    """Some segments as evidence looks at them; `text_of` reads the texts of some of them, by their places."""

    traits: Sequence[SegmentTraits]
    book: WordBook
    text_of: Callable[[Sequence[int]], dict[int, str]]


def is_question(text: str) -> bool:
    return text.rstrip().endswith("?")


def tells_time(text: str) -> bool:
    return not TIME_WORDS.isdisjoint(WORD.findall(text[:LOOKED_AT].lower()))


def _traits_of(text: str) -> TextTraits:
    is_plain = len(text) <= LOOKED_AT and text.isascii() and "_" not in text
    told = is_standing_instruction(text)
    return TextTraits(is_question(text), length(text), tells_time(text), told, len(text), is_plain)


text_traits = TextMemo(_traits_of, MOST_TEXTS)


def pool_words(store: Store, near: Near, keys: Sequence[int]) -> PoolWords:
    """What is known of some segments' words; what is not is read."""
    if (learnt := near.learnt) is None:
        said, shared = said_by(store, keys), open_book()
        found = {key: _of_segment(one, text_traits(one.text), shared, shared.read) for key, one in said.items()}
        return PoolWords([found[key] for key in keys], shared, lambda places: {n: said[keys[n]].text for n in places})
    known = learnt.by_segment
    book: WordBook | None = learnt.shelf.get(BOOK)
    if book is None or book.is_full:
        known.clear()
        learnt.shelf[BOOK] = book = WordBook(MOST_WORDS, MOST_PLACES)
    # of another thread's book there may be some: the numbers of each hold in it alone
    found = {key: one for key in keys if (one := known.get(key)) is not None and one.book is book}
    if missing := sorted(set(keys).difference(found)):
        if is_small := len(near.keys) <= LEARNT_AT_ONCE and not near.is_exchange.any():
            missing = [key for key in near.keys.tolist() if (one := known.get(key)) is None or one.book is not book]
        read = said_by(store, missing)
        new = {key: _of_segment(one, _traits_of(one.text), book, book.numbered) for key, one in read.items()}
        known.update(new)
        found |= new
        if is_small:
            book.read_stems()

    def text_of(places: Sequence[int]) -> dict[int, str]:
        said = said_by(store, sorted({keys[place] for place in places}))
        return {place: said[keys[place]].text for place in places}

    return PoolWords([found[key] for key in keys], book, text_of)


def _of_segment(
    said: SegmentWords, traits: TextTraits, book: WordBook, number: Callable[[str], NumberedWords]
) -> SegmentTraits:
    return SegmentTraits(*traits, said.speakers, book, number(said.text[:READ]))


def speakers_present(store: Store, near: Near, sessions: Sequence[int]) -> dict[int, frozenset[str]]:
    """Who speaks in some sessions."""
    known = dict[int, frozenset[str]]() if near.learnt is None else near.learnt.by_session
    if missing := set(sessions).difference(known):
        found: dict[int, list[str]] = {session: [] for session in missing}
        for session, speaker in store.all("speakers_of_sessions", sessions=encode_keys(sorted(missing))):
            found[session].append(speaker)
        known.update((session, frozenset(speakers)) for session, speakers in found.items())
    return {session: known[session] for session in sessions}
