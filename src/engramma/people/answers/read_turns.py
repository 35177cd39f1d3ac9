"""Reads recalled turns beside the question: which passage answers it, and with which words.

A turn is read in windows of whole sentences. So that it stays quick, only the windows that share most with the question
are read, at least one of each of the first turns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...language.graphemes import first_characters
from ...language.sentence_language import is_told_in_another
from ...language.times import wall_clock
from ...language.unspaced import AskedPart, asked_parts, has_runs, is_brief, tells_name, text_pieces
from ...models.reader import Passage, PassageReading, split_windows
from ...recall.read_again import logit_of
from ..questions.question_form import form_of, has_shape
from .across import ASKING, MeantSentence, QuestionAcross
from .sentences import LOOKED_AT, QUESTION_MARKS, TurnSentence, find_content_stems, share_of_parts, split_turn
from .turns import RecalledTurn

MOST_READ = 10  # windows a question; 14 answered no better (docs/log/answers.md)
EACH = 8  # of the first turns at least one window is read
FEWEST_WORDS = 6  # of a quote: "Moves too." tells nothing alone
PICKED = 0.15  # what the reader's choice is worth beside the share of a question's words in another language
COMPARED = 3  # turns in another language than the question whose sentences are compared with it, recall's first ones
MEANT_WEIGHT = 6.0  # of how likely they answer, beside recall's logit: their order by the reader is by chance
LONGEST_TURN = 12_000  # characters of a turn that are looked at
# What a turn's score is made of beside the reader's relevance, fitted on three sets (docs/log/answers.md).
NULL_WEIGHT = -0.2  # of the reader's logit that no words of it answer, its null
RECALL_WEIGHT = 0.7  # of recall's own logit
SHARE_WEIGHT = 2.0  # of the share of the question's words
ANSWERING_WEIGHT = 1.0  # of their share in a question just before, which the turn answers
ASKING_WEIGHT = -1.5  # of a turn that asks
ASSISTANT_WEIGHT = 1.5  # of the assistant's own words, where it is asked for them
FURTHEST = 12.0  # of the null's logit either way

Read = Callable[[str, Sequence[Passage]], list[PassageReading]]


def bounded_null(null: float) -> float:
    """The null's logit, which beyond some point says nothing more."""
    return min(FURTHEST, max(-FURTHEST, null))


def reading_worth(relevance: float, null: float) -> float:
    """How well a passage answers, of both things that the reader tells."""
    return relevance + NULL_WEIGHT * bounded_null(null)


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """A turn as it was read: its best window's logits, and the words that the reader would answer with."""

    turn: RecalledTurn
    relevance: float
    null: float  # that no words of it answer, above the best span
    span: tuple[int, int]  # in the turn's text
    window: tuple[int, int]
    share: float  # of the question's words, by rarity, that the turn has
    answering: float = 0.0  # the same of the question that was asked just before it
    is_asked_for: bool = False  # the assistant's words, where the question is for these
    told: tuple[int, int] | None = None  # the sentences that words or meaning tell, where the reader alone does not
    is_placed_by_reader: bool = True  # else by recall and by words, as in scripts without spaces
    meant: MeantSentence | None = None  # and how near it is, where the question is in another language

    @property
    def score(self) -> float:
        return (
            (reading_worth(self.relevance, self.null) if self.is_placed_by_reader else 0.0)
            + RECALL_WEIGHT * logit_of(self.turn.score)
            + SHARE_WEIGHT * self.share
            + ANSWERING_WEIGHT * self.answering
            + ASKING_WEIGHT * self.asks
            + ASSISTANT_WEIGHT * self.is_asked_for
        )

    @property
    def asks(self) -> bool:
        """Whether the reader's words stand in nothing but questions, and the turn ends with one."""
        if not self.turn.text.rstrip().endswith(QUESTION_MARKS):
            return False
        (start, end), first = self.span, self.window[0]
        parts, place = self._place
        touched = [part for part in parts if part.start < end - first and part.end > start - first]
        return all(part.asks for part in touched or [parts[place]])

    @property
    def _place(self) -> tuple[Sequence[TurnSentence], int]:
        """The sentences of the window, and in which of them the reader's words stand."""
        start, end = self.window
        parts = split_turn(self.turn.text[start:end])
        middle = sum(self.span) // 2 - start
        return parts, next((n for n, part in enumerate(parts) if part.start <= middle < part.end), 0)

    @property
    def sentence(self) -> TurnSentence:
        """The sentence in which the reader's words stand; a very short one with the one after or before it."""
        if self.told is not None:
            begin, end = self.told
            return TurnSentence(self.turn.text[begin:end], begin, find_content_stems(self.turn.text[begin:end]))
        start, parts, place = self.window[0], *self._place
        first, last = _with_neighbour(parts, place)
        begin = start + parts[first].start
        text = self.turn.text[begin : start + parts[last].end]
        return TurnSentence(text, begin, frozenset().union(*(part.stems for part in parts[first : last + 1])))


def read_turns(
    read: Read,
    question: str,
    turns: Sequence[RecalledTurn],
    rarity: Mapping[str, float],
    language: str = "",
    across: QuestionAcross | None = None,
) -> list[ReadTurn]:
    """The turns as the reader sees them, the best first; a turn of which nothing was read is left out. `language` is
    the one that is asked in; "" is English. `across` compares it with turns in other languages."""
    chosen = choose_windows(turns, rarity)
    passages = [passage_of(turn, window) for turn, window in chosen]
    shares = {id(turn): (share_of(turn.text, rarity), share_of(_asked_before(turn), rarity)) for turn in turns}
    of_assistant = form_of(question).of_assistant
    best: dict[int, ReadTurn] = {}
    for (turn, (start, end)), found in zip(chosen, read(question, passages), strict=True):
        known = best.get(id(turn))
        null = found.null if known is None else min(found.null, known.null)
        if known is None or found.relevance > known.relevance:
            span = (start + found.start, start + found.end)
            best[id(turn)] = ReadTurn(
                turn, found.relevance, null, span, (start, end), *shares[id(turn)], of_assistant and turn.by_assistant
            )
        else:
            best[id(turn)] = replace(known, null=null)
    if has_runs(question):
        best = {
            key: replace(one, told=told_place(question, one.turn.text), is_placed_by_reader=False)
            for key, one in best.items()
        }
    elif language:
        best = {key: replace(one, told=worded_place(one, rarity)) for key, one in best.items()}
    ranked = sorted(best.values(), key=lambda one: -one.score)
    return ranked if across is None else order_by_meaning(ranked, rarity, across)


def passage_of(turn: RecalledTurn, window: tuple[int, int]) -> Passage:
    """A window of a turn as the reader gets it; the first one with the end of the turn before."""
    start, end = window
    return Passage(turn.text[start:end], turn.speaker, turn.before if start == 0 else "", wall_clock(turn.said_at))


def order_by_meaning(ranked: Sequence[ReadTurn], rarity: Mapping[str, float], across: QuestionAcross) -> list[ReadTurn]:
    """Turns in another language than the question's in the order of their meaning, in their places among the others."""
    places = [n for n, one in enumerate(ranked) if is_told_in_another(one.turn.text, across.language)]
    foreign = sorted((ranked[place] for place in places), key=lambda one: -one.turn.score)
    compared = [_with_meant(one, rarity, across) for one in foreign[:COMPARED]]
    compared.sort(key=_meant_score, reverse=True)
    ordered = iter([*compared, *foreign[COMPARED:]])
    return [next(ordered) if place in places else one for place, one in enumerate(ranked)]


def _meant_score(read: ReadTurn) -> float:
    return logit_of(read.turn.score) + MEANT_WEIGHT * (read.meant.logit if read.meant else 0.0)


def _with_meant(read: ReadTurn, rarity: Mapping[str, float], across: QuestionAcross) -> ReadTurn:
    """A turn with the sentence that is meant; as it was where nothing tells it."""
    parts = split_turn(read.turn.text)
    meant = across.find_sentence(parts, [share_of(part.text, rarity) for part in parts])
    if meant is None:
        return read
    first, last = _with_neighbour(parts, meant.place)
    return replace(read, told=(parts[first].start, parts[last].end), meant=meant)


def worded_place(read: ReadTurn, rarity: Mapping[str, float]) -> tuple[int, int] | None:
    """The sentence of a turn that has most of the words of a question in another language than English, which the
    reader was trained on; what the reader picked counts, too. None if the turn has no word."""
    parts = split_turn(read.turn.text)
    shares = [share_of(part.text, rarity) * (ASKING if part.asks else 1.0) for part in parts]
    if not any(shares):
        return None
    start, end = read.span
    shares = [
        share + (PICKED if part.start < end and part.end > start else 0.0)
        for share, part in zip(shares, parts, strict=True)
    ]
    first, last = _with_neighbour(parts, shares.index(max(shares)))
    return parts[first].start, parts[last].end


def _with_neighbour(parts: Sequence[TurnSentence], place: int) -> tuple[int, int]:
    """A sentence's place, first and last; of a very short one with the one after or before it."""
    if len(parts[place].text.split()) >= FEWEST_WORDS:
        return place, place
    return (place, place + 1) if place + 1 < len(parts) else (max(0, place - 1), place)


def told_place(question: str, text: str) -> tuple[int, int] | None:
    """The sentence of a turn that has most of a question's parts in a script without spaces; with a neighbour that has
    what it lacks. None if the turn has no part of the question."""
    sentences, asked = split_turn(text), asked_parts(question)
    worth = [share_of_parts(asked, part.text) * (ASKING if part.asks else 1.0) for part in sentences]
    if not any(worth):
        return None
    place = worth.index(max(worth))
    chosen, wants = sentences[place], form_of(question).wants
    beside = [near for near in (place + 1, place - 1) if 0 <= near < len(sentences)]
    joined = next((near for near in beside if _adds(asked, chosen, sentences[near], question, wants)), None)
    if joined is None and beside and is_brief(chosen.text) and _says_again(question, chosen.text):
        joined = beside[0]
    first, last = sorted((place, place if joined is None else joined))
    return sentences[first].start, sentences[last].end


def _says_again(question: str, text: str) -> bool:
    """Whether a sentence says nothing that the question does not."""
    asked = text_pieces(question)
    return all(part.share_in(asked) == 1 for part in asked_parts(text))


def _adds(asked: Sequence[AskedPart], chosen: TurnSentence, near: TurnSentence, question: str, wants: str) -> bool:
    """Whether a sentence beside the chosen one has what is asked for and missing there: a part of the question, a
    number, a name."""
    if not has_shape(wants, chosen.text) and has_shape(wants, near.text):
        return True
    if tells_name(question) and tells_name(near.text) and not tells_name(chosen.text):
        return True
    both = share_of_parts(asked, f"{chosen.text}\n{near.text}")
    return both > share_of_parts(asked, chosen.text)


def _asked_before(turn: RecalledTurn) -> str:
    """The question with which the turn before ends; "" if it ends with none."""
    before = split_turn(turn.before)
    return before[-1].text if before and before[-1].asks else ""


def share_of(text: str, rarity: Mapping[str, float]) -> float:
    """How much of the question's words a text has, by rarity; 1 is all of them."""
    said = find_content_stems(text[:LOOKED_AT])
    total = math.fsum(rarity.values())
    return math.fsum(weight for stem, weight in rarity.items() if stem in said) / total if total else 0.0


def choose_windows(
    turns: Sequence[RecalledTurn], rarity: Mapping[str, float]
) -> list[tuple[RecalledTurn, tuple[int, int]]]:
    """The windows to read: the best of each of the first turns, then those with most of the question's words."""
    cut = [(turn, split_windows(first_characters(turn.text, LONGEST_TURN))) for turn in turns]
    worth = {
        (place, window): math.fsum(rarity.get(stem, 0.0) for stem in find_content_stems(turn.text[slice(*window)]))
        for place, (turn, found) in enumerate(cut)
        for window in found
    }
    first = [max(((p, w) for w in found), key=worth.__getitem__) for p, (_, found) in enumerate(cut[:EACH]) if found]
    rest = sorted((key for key in worth if key not in set(first)), key=lambda key: (-worth[key], key))
    kept = sorted([*first, *rest][:MOST_READ])
    return [(cut[place][0], window) for place, window in kept]
