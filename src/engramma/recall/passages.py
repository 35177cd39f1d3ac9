"""Which passage of a long text fits a question, and how much of the text around it fits into a room.

A passage is a run of whole sentences. The best one has most of the question's words, counted by how rare they are in
this memory; a word that stands in the passage twice counts once, so a long passage is no better than a short one.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from ..errors import StoreCorrupt
from ..language.graphemes import cut_place
from ..language.lexical import begins_unspaced, stems, telling_terms
from ..language.sentences import Span, sentences
from ..language.text_memo import TextMemo
from ..records import Candidate, Segment, Spoken
from ..store.store import Store
from .word_places import INDIC, INDIC_WORD, READ, Places, places_in

TOGETHER = 400  # characters of what is said in one go: a passage of four to six sentences
WIDEST = 3  # sentences of a passage
NEXT_SENTENCE = 0.85  # what each sentence more must bring: a passage is as short as it can be
NEIGHBOUR = 0.3  # of the worth of the sentences around one: an answer often stands beside the words of the question
BLANKS = 8  # at an end of a text, which are shown rather than told of as left out
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def word_weights(store: Store, question: str, segments: int, more: tuple[str, ...] = ()) -> dict[str, float]:
    """How much each word of a question, or of `more`, tells, by its stem: the rarer it is in this memory, the more."""
    own = telling_terms(question)
    asked = (*own, *more)
    try:
        counts = store.document_counts(asked, english=frozenset(more).difference(own))
    except StoreCorrupt:
        counts = dict.fromkeys(asked, 0)  # damaged words: `doctor` tells of them, and meaning still finds
    found = dict[str, float]()
    for term, count in counts.items():
        weight = max(0.05, math.log((segments + 1) / (count + 0.5)))
        for stem in term_stems(term):
            found[stem] = max(weight, found.get(stem, 0.0))
    return found


def question_stems(question: str, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The stems of the words that tell what a question is about, and of `more` words."""
    return tuple(dict.fromkeys(stem for term in (*telling_terms(question), *more) for stem in term_stems(term)))


def term_stems(term: str) -> tuple[str, ...]:
    """What stands in a text for a term: its stems, or a run of characters without spaces as a whole."""
    return (term.replace(" ", ""),) if begins_unspaced(term) else stems(term)


NOTHING_TOLD: tuple[float, Span, AbstractSet[str]] = (0.0, (0, 0), frozenset())


class PartPassage(NamedTuple):
    """The best passage of a part: its worth, its place in the text, and the question's stems that it has, if any."""

    worth: float
    span: Span
    told: AbstractSet[str]


class Sought:
    """The stems that are looked for, a bit for each, and what they were found to stand in: one for each question."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self.begins, self.runs = _beginnings(tuple(weights))
        self._bits = {stem: 1 << number for number, stem in enumerate(weights)}
        self._known = dict[str, int]()  # those that a word has
        self._worth = {0: 0.0}
        self._stems = {0: frozenset[str]()}

    def told_by(self, sentence: str, words: Mapping[str, Sequence[str]]) -> int:
        """Those that a sentence has, of which the different words are known by their beginnings. Of words that begin
        otherwise no stem is made: that takes the time."""
        known, bits, found = self._known, self._bits, 0
        for begin in self.begins.intersection(words):
            for word in words[begin]:
                if (own := known.get(word)) is None:
                    own = 0
                    for stem in stems(word):
                        own |= bits.get(stem, 0)
                    known[word] = own
                found |= own
        for run in self.runs:
            if run in sentence:
                found |= bits[run]
        return found

    def worth_of(self, told: int) -> float:
        """How much they tell together."""
        found = self._worth.get(told)
        if found is None:
            # the same whatever their order
            found = self._worth[told] = math.fsum([self.weights[stem] for stem in self.stems_of(told)])
        return found

    def stems_of(self, told: int) -> AbstractSet[str]:
        """Which they are."""
        found = self._stems.get(told)
        if found is None:
            found = self._stems[told] = frozenset([stem for stem, bit in self._bits.items() if told & bit])
        return found


def best_of_parts(segment: Segment, sought: Sought) -> list[PartPassage]:
    """The best passage of each part of a segment, in the order said."""
    found = list[PartPassage]()
    for part in spoken_parts(segment):
        text = segment.text[part.start : min(part.end, part.start + READ)]
        worth, (start, end), told = passage_told(text, sought)
        found.append(PartPassage(worth, (part.start + start, part.start + end), told))
    return found


def in_order_of_worth(parts: Sequence[PartPassage]) -> tuple[Span, ...]:
    """The passages that have any word of the question, the best first; of equals, the first."""
    fitting = [part for part in parts if part.worth > 0]
    if len(fitting) > 1:
        fitting.sort(key=lambda one: (-one.worth, one.span))
    return tuple([part.span for part in fitting])


def spoken_parts(candidate: Candidate | Segment) -> tuple[Spoken, ...]:
    """Who said which part of a candidate's text."""
    return candidate.spoken or (Spoken(", ".join(candidate.speakers), candidate.said_at, 0, len(candidate.text)),)


def best_passage(text: str, weights: Mapping[str, float]) -> tuple[float, Span]:
    """What the best passage of a text is worth, and where it is; nothing at its beginning if no word fits."""
    worth, place, _ = passage_told(text, Sought(weights))
    return worth, place


def passage_told(text: str, sought: Sought) -> tuple[float, Span, AbstractSet[str]]:
    """The same, and which of the stems it has."""
    if not sought.weights:
        return NOTHING_TOLD
    said = _words_of_sentences(text)
    begins, runs = sought.begins, sought.runs
    told = [
        0 if not runs and begins.isdisjoint(words) else sought.told_by(text[span[0] : span[1]] if runs else "", words)
        for span, words in said
    ]
    telling = [number for number, one in enumerate(told) if one]
    if not telling:
        return NOTHING_TOLD
    if len(telling) == 1:  # it is worth more alone than with others that add nothing
        [only] = telling
        return sought.worth_of(told[only]), said[only][0], sought.stems_of(told[only])
    worth_of, count = sought.worth_of, len(told)
    best, place = 0.0, (0, 0)
    for first in range(count):
        held, alone = 0, 0.0
        for last in range(first, min(first + WIDEST, count)):
            if not told[last] & ~held:  # it would be longer, and worth less
                continue
            held |= told[last]
            worth = worth_of(held) * NEXT_SENTENCE ** (last - first)
            if worth <= alone:
                continue
            alone = worth
            around = ((told[first - 1] if first else 0) | (told[last + 1] if last + 1 < count else 0)) & ~held
            total = worth + NEIGHBOUR * worth_of(around)
            if total > best + 1e-9:
                best, place = total, (first, last)
    start, end = said[place[0]][0][0], said[place[1]][0][1]
    if place[0] == place[1]:
        return best, (start, end), sought.stems_of(told[place[0]])
    passage = text[start:end]
    return best, (start, end), sought.stems_of(sought.told_by(passage, _distinct_words(passage)))


def shares_together(texts: Sequence[str], wanted: Sequence[str]) -> list[float]:
    """Of each text, the share of the wanted stems that stand together in one passage, counted by how much they tell."""
    return passage_shares(places_in([text[:READ] for text in texts], frozenset(wanted)), list(map(len, texts)), wanted)


def passage_shares(found: Sequence[Places], lengths: Sequence[int], wanted: Sequence[str]) -> list[float]:
    """The same of texts of some lengths in which the places of the stems were found.

    How much a stem tells is counted in passages of these texts, not in whole texts: of long answers each has every
    ordinary word somewhere.
    """
    passages = sum([min(length, READ) // TOGETHER + 1 for length in lengths])
    holding = _count_passages(found)
    weights = {stem: max(0.05, math.log((passages + 1) / (holding.get(stem, 0) + 0.5))) for stem in wanted}
    whole = sum(weights.values()) or 1.0
    return [told_together(places, weights) / whole if places else 0.0 for places in found]


def _count_passages(found: Sequence[Places]) -> dict[str, int]:
    """In how many passages each stem stands."""
    counts = dict[str, int]()
    for places in found:
        for _, stem in {(at // TOGETHER, stem) for at, stem in places} if len(places) > 1 else places:
            counts[stem] = counts.get(stem, 0) + 1
    return counts


def told_together(places: Places, weights: Mapping[str, float]) -> float:
    """How much the words tell that stand together, within TOGETHER characters of each other.

    Words that are strewn over a long text tell little about any part of it.
    """
    if places[-1][0] - places[0][0] <= TOGETHER:  # all of them
        told = 0.0
        for stem in dict.fromkeys([stem for _, stem in places]):
            told += weights[stem]
        return told
    best, told, held, first = 0.0, 0.0, Counter[str](), 0
    for place, stem in places:
        held[stem] += 1
        told += weights[stem] if held[stem] == 1 else 0.0
        while place - places[first][0] > TOGETHER:
            gone = places[first][1]
            held[gone] -= 1
            told -= weights[gone] if not held[gone] else 0.0
            first += 1
        best = max(best, told)
    return best


def find_telling(sentence: str, weights: Mapping[str, float]) -> AbstractSet[str]:
    """The words of the question that a sentence has."""
    sought = Sought(weights)
    return sought.stems_of(sought.told_by(sentence, _distinct_words(sentence))) if weights else frozenset()


def _distinct_words(sentence: str) -> dict[str, list[str]]:
    """The different words of a sentence by what they begin with: "" for those that are not ASCII."""
    pattern = INDIC_WORD if INDIC.search(sentence) else _WORD
    found = dict[str, list[str]]()
    for word in {sys.intern(word) for word in pattern.findall(sentence.lower())}:
        found.setdefault(sys.intern(word[:2]) if word.isascii() else "", []).append(word)
    return found


def _read_sentences(text: str) -> tuple[tuple[Span, dict[str, list[str]]], ...]:
    """Where the sentences of a text are, and their words."""
    return tuple([(span, _distinct_words(text[slice(*span)])) for span in sentences(text)])


_words_of_sentences = TextMemo(_read_sentences, 20_000, 3_000_000)  # 50 MB at most, and seldom more than 10


@lru_cache(maxsize=64)
def _beginnings(wanted: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """How the words of some stems begin, and those stems that are runs of characters without spaces."""
    runs = tuple(stem for stem in wanted if begins_unspaced(stem))
    return frozenset(("", *(stem[:2] for stem in wanted))), runs


def passage_within(text: str, core: Span, most: int) -> Span:
    """The core with the whole sentences around it that fit into so many characters; of a core too long, its beginning.

    What follows is taken first: an answer goes on, and what stands before it was said already.
    """
    if len(text) <= most:
        return 0, len(text)
    spans = sentences(text)
    inside = [n for n, (start, end) in enumerate(spans) if start < core[1] and end > core[0]] or [0]
    first = last = inside[0]
    if not spans:
        return 0, cut_place(text, most)
    for n in inside[1:]:
        if spans[n][1] - spans[first][0] <= most:
            last = n
    if spans[last][1] - spans[first][0] > most:
        return _at_words(text, spans[first][0], most)
    grew = True
    while grew:
        grew = False
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= most:
            last, grew = last + 1, True
        if first and spans[last][1] - spans[first - 1][0] <= most:
            first, grew = first - 1, True
    return spans[first][0], spans[last][1]


def with_blank_ends(text: str, span: Span) -> Span:
    """A passage together with a few blanks that are all that is left before or after it: no words were left out."""
    start, end = span
    if 0 < start <= BLANKS and not text[:start].strip():
        start = 0
    if 0 < len(text) - end <= BLANKS and not text[end:].strip():
        end = len(text)
    return start, end


def ends_sentence(text: str, end: int) -> bool:
    """Whether a sentence of a text ends at a place."""
    return any(span[1] == end for span in sentences(text))


def _at_words(text: str, start: int, most: int) -> Span:
    """So many characters from a place on, without a word cut in two where there are words."""
    end = min(len(text), start + max(1, most))
    if end < len(text):
        blank = max(text.rfind(" ", start, end + 1), text.rfind("\n", start, end + 1))
        end = blank if blank > start + most // 2 else max(start + 1, cut_place(text, end))
    return start, end
