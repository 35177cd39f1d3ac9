"""A second search, for a question that does not name whom it asks about but describes them.

"How old is the one who carves wood?" The first search finds "My uncle Bernd has taken up woodcarving", but the message
that says how old he is has little in common with the question. So the question is asked once more together with the
names in the message that fits the description, and what is found of them stands right behind that message.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ..core.background import SegmentWords, said_by
from ..language.described import description_in
from ..language.first_person import speaks_of_oneself
from ..language.lexical import begins_unspaced, terms
from ..language.text import infer_role
from ..records import Standing
from ..store.store import Store
from .fuse import Ranked
from .passages import TOGETHER, best_passage, find_telling, question_stems, term_stems, word_weights

FIRST = 10  # hits among which the message is that fits the description
KNOWN = 20  # hits that the two searches are asked for at least: a shorter list tells too little about names
MOST_SHARE = 0.6  # of all segments that may have a name: what nearly all have tells nobody from others
LEAST_SHARE = 0.3  # of what the names of the best second hit tell: a hit with less is of somebody else
READ = 4_000  # characters of a hit in which names are looked for
NAMES = 6  # most that are asked for
ENDING = 2  # letters that a case may add to a name: Bernds, Анной
CHANNEL = "second_round"

Find = Callable[[str], Sequence[Ranked]]
Said = Mapping[int, SegmentWords]


def with_second_round(
    store: Store, segments: int, question: str, ranked: Sequence[Ranked], most: int, find: Find
) -> list[Ranked]:
    """The first hits, and up to `most` of a second search right behind the one that fits the description.

    `segments` are those of the store. Each place keeps the score that it has after the first search.
    """
    if not ranked:
        return []
    said = said_by(store, [one.key for one in ranked])
    fits = fitting(ranked[:FIRST], said, word_weights(store, description_in(question), segments))
    own = said[fits.key]
    text = told_passage(own.text, question)
    names = names_told(store, segments, question, own._replace(text=text), said)
    if not names:
        return list(ranked)
    again = [one for one in find(f"{spell_names(text, names)} {question}") if one.key != fits.key]
    said = {**said_by(store, [one.key for one in again if one.key not in said]), **said}
    told = {one.key: sum(names[name] for name in names if is_about(said[one.key], name)) for one in again}
    least = LEAST_SHARE * max(told.values(), default=0.0)
    first = {one.key: one for one in ranked}
    behind = [
        replace(known, standings={**known.standings, CHANNEL: Standing(rank, one.score)})
        for rank, one in enumerate(again, 1)
        for known in [first.get(one.key, one)]
        if told[one.key] and told[one.key] >= least
    ]
    order = {one.key: one for one in (fits, *behind[:most])}
    order |= {key: one for key, one in first.items() if key not in order}
    scores = [*(one.score for one in ranked), *(ranked[-1].score for _ in behind)]
    return [replace(one, score=score) for one, score in zip(order.values(), scores, strict=False)]


def fitting(ranked: Sequence[Ranked], said: Said, weights: Mapping[str, float]) -> Ranked:
    """The hit that has most of a description's words, the rare ones before all; the first one if none has any."""
    worth = [sum(weights[stem] for stem in find_telling(said[one.key].text[:READ], weights)) for one in ranked]
    return ranked[worth.index(max(worth))]


def told_passage(text: str, question: str) -> str:
    """The part of a text that fits a question; a short text as it is."""
    if len(text) <= TOGETHER:
        return text
    start, end = best_passage(text[:READ], dict.fromkeys(question_stems(question), 1.0))[1]
    return text[start:end] if end > start else text[:TOGETHER]


def names_told(store: Store, segments: int, question: str, own: SegmentWords, said: Said) -> dict[str, float]:
    """Whom or what a message names that the question does not, and other messages name, too; how much each tells.

    Words with a capital letter, or, if there are none, all that tell anything; of a script without spaces the pairs of
    characters that other hits have as well. Of somebody who speaks of themself also who it is.
    """
    asked = set(question_stems(question))
    new = [term for term in terms(own.text) if not asked.issuperset(term_stems(term))]
    counts = store.document_counts(new)
    new = [term for term in new if 1 < counts[term] <= MOST_SHARE * segments]
    words = [term for term in new if not begins_unspaced(term)]
    capitals = {word.casefold() for word in re.findall(r"[^\W\d_]+", own.text) if word[0].isupper()}
    named = [word for word in words if word.casefold() in capitals] or words
    others = [one.text for one in said.values() if one.text != own.text]
    runs = {term: term.replace(" ", "") for term in new if begins_unspaced(term)}
    runs = {term: run for term, run in runs.items() if any(run in text for text in others)}
    found = {
        name: math.log((segments + 1) / (counts[term] + 0.5))
        for term, name in {**{word: word for word in named[:NAMES]}, **runs}.items()
    }
    for name in sorted(own.speakers) if speaks_of_oneself(own.text) else ():
        share = sum(name in one.speakers for one in said.values()) / len(said)
        if infer_role(name, None) is None and share < 1 and name.casefold() not in question.casefold():
            found[name] = -math.log(share)
    return found


def spell_names(text: str, names: Iterable[str]) -> str:
    """Names as they stand in a text, pairs of characters that overlap or meet as one; those it does not have behind."""
    covered, missing = set[int](), list[str]()
    for name in names:
        places = name_places(text, name)
        covered.update(at for start in places for at in range(start, start + len(name)))
        if not places:
            missing.append(name)
    runs = "".join(letter if at in covered else " " for at, letter in enumerate(text)).split()
    return " ".join(dict.fromkeys([*runs, *missing]))


def is_about(own: SegmentWords, name: str) -> bool:
    """Whether somebody of a name speaks in a segment or is spoken of."""
    return name in own.speakers or bool(name_places(own.text[:READ], name))


def name_places(text: str, name: str) -> list[int]:
    """Where a name begins in a text: in scripts with spaces a whole word, which may have the ending of a case."""
    folded, sought, found = text.lower(), name.lower(), list[int]()
    at = folded.find(sought)
    while at >= 0:
        end = at + len(sought)
        begins = at == 0 or not folded[at - 1].isalnum()
        ends = not folded[end : end + ENDING + 1].isalnum() or len(folded) - end <= ENDING
        if begins_unspaced(name) or (begins and ends):
            found.append(at)
        at = folded.find(sought, at + 1)
    return found
