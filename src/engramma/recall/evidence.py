"""Weighs the evidence for a segment: its own words, its neighbours, its session, who said it and when.

Every kind of evidence is one number a segment, made comparable between queries (against the store's
background, as a rank, or as a share of the best), and has one named weight in the recipe. The weights were
fitted on the LoCoMo development half by a conditional logit, cross-validated over conversations
(docs/log.md, "Fusion").

What can be told from places, times and vectors is told of the whole pool; the texts are read of those only
that are still in the running.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.background import LOOKED_AT, Background, SegmentWords, leaning, length, said_by, with_surroundings
from ..core.distinct import distinct, number_distinct
from ..core.place_table import KeptPlaces
from ..core.windows import Near
from ..files import foreign_json
from ..index.vector_index import VectorIndex
from ..language.compounds import told_apart
from ..language.dates import Interval, distance_days, intervals
from ..language.first_person import tells_of_oneself
from ..language.standing import is_standing_instruction
from ..language.text import infer_role
from ..language.text_memo import TextMemo
from ..language.times import from_micros, wall_clock
from ..language.whose_words import asks_what_was_said
from ..store.store import Store, encode_keys
from .expand import May
from .fuse import Ranked, standings
from .going_on import by_lateness, by_leading_conversation
from .passages import question_stems, shares_together
from .search import NO_COMPOUNDS, ChannelHit

Values = NDArray[np.float64]
Rows = NDArray[np.int64]

# A turn of talk is understood with those around it: how much of the words of each it is given.
WORDS_AROUND = {-1: 0.7, 1: 0.4}
SESSION_HITS = 3  # the best hits of a session stand for it
FIRST_HITS = 20  # of a channel that say in which conversation the answer is
DAYS_NEAR = 7.0  # what happened then is told within days
READ = 100  # segments whose texts are read
MANY_WORDS = 10  # of a question, which do not come together by chance
QUOTED = 0.85  # share of a question's words in one passage: it has them from there
FEWEST_QUOTED = 4  # words, as by chance fewer stand so
USUAL = 10  # as many segments may be as near, or have as many of the question's words, without standing out
IMPORTANT_TAGS = frozenset(("important", "pinned"))

_TIME_WORDS = """
    yesterday today tonight tomorrow last next ago since recently week weeks weekend weekends month months year years
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december summer winter spring fall autumn
"""
TIME_WORDS = frozenset(_TIME_WORDS.split()) | {str(year) for year in range(1900, 2100)}
WORD = re.compile(r"[a-z]+|\d+")  # a set of words is three times as fast as a pattern of all of them
ASKS_WHEN = re.compile(
    r"\s*(when\b|(on |in )?(what|which) (date|day|month|year|time|week|season)\b|how long ago\b|since when\b)",
    re.IGNORECASE,
)


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


def read_question(
    text: str,
    vector: NDArray[np.float16],
    at: datetime,
    in_english: tuple[str, ...] = (),
    compounds: Mapping[str, Sequence[str]] = NO_COMPOUNDS,
    languages: tuple[str, ...] = (),
) -> QuestionEvidence:
    times, asks_when = intervals(text, wall_clock(at)), ASKS_WHEN.match(text) is not None
    return QuestionEvidence(
        text,
        vector.astype(np.float32),
        times,
        asks_when,
        in_english,
        compounds,
        languages,
        tells_of_oneself(text),
    )


def weigh(
    store: Store,
    places: KeptPlaces,
    index: VectorIndex,
    known: Background,
    question: QuestionEvidence,
    channels: Mapping[str, Sequence[ChannelHit]],
    pool: int,
    wanted: int,
    weights: Mapping[str, float],
    may: May,
    floor: float,
) -> list[Ranked]:
    """The first of the pool by all evidence. The pool: each channel's first hits and the turns beside them."""
    semantic, lexical = channels.get("semantic", ()), channels.get("lexical", ())
    near = places.near_to(index, sorted({hit.key for hits in channels.values() for hit in hits}))
    close = [hit for hit in semantic[:pool] if hit.score >= floor]
    first = [hit.key for hit in (*close, *lexical[:pool], *channels.get("graph", ())[:pool])]
    rows = pooled(near, first, may)
    if not len(rows):
        return []
    alone, around = with_surroundings(near, index, rows)
    usual = ordinary(known.alone, question.vector)
    values = {
        **by_meaning(near, rows, (alone, around), known, usual, question, semantic, 2 * pool),
        **_by_words(near, rows, lexical, 3 * pool),
        "in_time": by_time(near, rows, question.times),
        "conversation": _by_conversation(near, rows, channels),
    }
    if question.goes_on:
        values |= by_lateness(near, rows)
    if weights.get("importance"):
        values["importance"] = by_importance(store, near.keys[rows].tolist())
    so_far = _added(values, weights, len(rows))
    kept = _in_order(near, rows, so_far)[: max(READ, 2 * wanted)]
    rows, values = rows[kept], {name: value[kept] for name, value in values.items()}
    values |= by_text(store, index, near, rows, known, usual, question, floor)
    if question.goes_on:
        values["its_conversation"] = by_leading_conversation(near, rows, _added(values, weights, len(rows)))
    total = _added(values, weights, len(rows))
    shares = np.exp(total - total.max())
    shares /= shares.sum()
    first = _in_order(near, rows, total)[:wanted].tolist()
    stood = standings(channels, near.keys[rows[first]].tolist())
    return [
        Ranked(
            key := int(near.keys[rows[place]]),
            round(float(shares[place]), 6),
            stood.get(key, {}),
            {n: part for n in weights if n in values and (part := round(weights[n] * float(values[n][place]), 4))},
        )
        for place in first
    ]


def _added(values: Mapping[str, Values], weights: Mapping[str, float], count: int) -> Values:
    return sum((weight * values[name] for name, weight in weights.items() if name in values), np.zeros(count))


def _in_order(near: Near, rows: Rows, total: Values) -> Rows:
    """Places in `rows`, the best first; equals in an order of their own."""
    return np.lexsort((near.keys[rows], near.ties[rows], -np.round(total, 6)))


def pooled(near: Near, keys: Sequence[int], may: May) -> Rows:
    """The rows of the hits and of the segments right before and after them, those that may be shown."""
    hits = near.rows_of(keys)
    found = distinct(np.concatenate([hits, *(near.at(hits, step) for step in (-1, 1))]))
    found = found[found >= 0]
    shown = may(near.keys[found].tolist())
    return found[[key in shown for key in near.keys[found].tolist()]]


# --- the kinds of evidence ---------------------------------------------------------------------


def by_meaning(
    near: Near,
    rows: Rows,
    vectors: tuple[NDArray[np.float32], NDArray[np.float32]],
    known: Background,
    usual: tuple[float, float],
    question: QuestionEvidence,
    hits: Sequence[ChannelHit],
    last: int,
) -> dict[str, Values]:
    """Meaning: of the segment among its neighbours, as a rank, and of its whole session; of an exchange, by how much
    it stands out by itself. An utterance is understood with those around it: its own meaning says less."""
    (alone, around), (mean, spread) = vectors, usual
    ranks, best = np.full(len(near.keys), last, np.float64), dict[int, list[float]]()
    found = near.rows_of([hit.key for hit in hits])
    ranks[found] = [min(hit.rank - 1, last) for hit in hits]
    for hit, session in zip(hits, near.sessions[found].tolist(), strict=True):
        best.setdefault(session, []).append(max(0.0, (hit.score - mean) / spread))
    by_session = {key: sum(sorted(scores)[-SESSION_HITS:]) / SESSION_HITS for key, scores in best.items()}
    middle, width = ordinary(known.around, question.vector)
    return {
        "meaning": (likeness(around, question.vector) - middle) / width,
        "meaning_stands_out": above_usual(likeness(alone, question.vector) / spread) * near.is_exchange[rows],
        "meaning_rank": np.log1p(ranks[rows]),
        "session_meaning": leaning(near)[rows]
        * np.array([by_session.get(key, 0.0) for key in near.sessions[rows].tolist()]),
    }


def _by_words(near: Near, rows: Rows, hits: Sequence[ChannelHit], last: int) -> dict[str, Values]:
    """Words: the rank of a segment with its neighbours, and its session's share of the best session."""
    score, lean = np.zeros(len(near.keys)), leaning(near)
    score[near.rows_of([hit.key for hit in hits])] = [hit.score for hit in hits]
    around = score.copy()
    for step, share in WORDS_AROUND.items():
        around += share * lean * near.shifted(score, step)
    order = np.lexsort((near.keys, near.ties, -np.round(around, 6)))
    ranks = np.full(len(score), last, np.float64)
    ranks[order] = np.minimum(np.arange(len(order)), last)
    ranks[around <= 0] = last
    of = number_distinct(near.sessions)
    sums = np.sqrt(np.bincount(of, weights=score**2))
    return {
        "words_rank": np.log1p(ranks[rows]),
        "session_words": (lean * sums[of])[rows] / (sums.max() or 1.0),
    }


def _by_conversation(near: Near, rows: Rows, channels: Mapping[str, Sequence[ChannelHit]]) -> Values:
    """A conversation's share of the first hits: 1 where all of them are."""
    share = np.zeros(len(near.keys))
    for hits in channels.values():
        first = near.rows_of([hit.key for hit in hits[:FIRST_HITS]])
        counts = np.bincount(near.conversations[first], minlength=int(near.conversations.max()) + 1)
        share += counts[near.conversations] / max(1, len(first)) / len(channels)
    return share[rows]


def by_time(near: Near, rows: Rows, times: Sequence[Interval]) -> Values:
    """1 for what was said in the time that the query names, less the further away."""
    if not times:
        return np.zeros(len(rows))
    said = near.said_at[rows].tolist()
    shown = {moment: wall_clock(from_micros(moment)) for moment in set(said)}  # a session may have one for all turns
    days = {moment: min(distance_days(time, own) for time in times) for moment, own in shown.items()}
    return np.array([math.exp(-days[moment] / DAYS_NEAR) for moment in said])


def by_importance(store: Store, keys: Sequence[int]) -> Values:
    """Of notes: -1 to 1 by their strength, 0 for one that nobody weighed; 1 for what is tagged important."""
    found = dict[int, float]()
    for row in store.all("notes_by_keys", keys=encode_keys(keys)):
        tagged = not IMPORTANT_TAGS.isdisjoint(tag.casefold() for tag in foreign_json.loads(row["tags"]))
        found[row["key"]] = 1.0 if tagged else 2.0 * (row["strength"] - 0.5)
    return np.array([found.get(key, 0.0) for key in keys])


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
    keys, previous = near.keys[rows].tolist(), near.keys[before].tolist()
    said = said_by(store, [*keys, *(key for key, like in zip(previous, alike.tolist(), strict=True) if like > 0)])
    texts = [said[key].text for key in keys]
    parted = (
        [told_apart(text, question.compounds, question.languages) for text in texts] if question.compounds else texts
    )
    traits = np.array([text_traits(text) for text in texts], np.float64).reshape(-1, 3)
    asks, lengths, tells = traits.T
    answers = [like > 0 and _is_question(said[key].text) for key, like in zip(previous, alike.tolist(), strict=True)]
    return {
        "question": asks,
        "length": (lengths - known.length_mean) / known.length_sd,
        "answers": leaning(near)[rows] * alike * np.array(answers, np.float64),
        "tells_time": tells,
        "tells_when": tells * float(question.asks_when),
        "standing": by_instruction(index, near, rows, texts, question, floor),
        **by_passage(parted, question.text, question.in_english),
        **by_speaker(store, near.sessions[rows].tolist(), [said[key] for key in keys], question.text),
    }


def by_instruction(
    index: VectorIndex, near: Near, rows: Rows, texts: Sequence[str], question: QuestionEvidence, floor: float
) -> Values:
    """1 for the nearest of what an assistant was told to do always, if it is near enough to be shown at all: it holds
    for what is asked now, whatever else was said. Not for who asks what was said."""
    exchanges = np.flatnonzero(near.is_exchange[rows]).tolist()
    told = np.array([place for place in exchanges if is_standing_instruction(texts[place])], np.int64)
    found: Values = np.zeros(len(rows))
    if len(told) and not asks_what_was_said(question.text):
        likely = likeness(index.singles(near.keys[rows[told]]), question.vector)
        best = int(np.lexsort((near.keys[rows[told]], near.ties[rows[told]], -likely))[0])
        found[told[best]] = float(likely[best] >= floor)
    return found


def _traits_of(text: str) -> tuple[float, float, float]:
    return float(_is_question(text)), length(text), float(tells_time(text))


text_traits = TextMemo(_traits_of, 20_000)  # whether it asks, how long it is, whether it tells a time; 3 MB


def by_passage(texts: Sequence[str], question: str, in_english: tuple[str, ...] = ()) -> dict[str, Values]:
    """By how much a text has more of the question's words together in a passage than the tenth best. The words of a
    sentence stand out so, however long the text is in which it was said; of few words several may come together by
    chance, so these count less. And whether it has nearly all of them so, less if many texts have."""
    wanted = question_stems(question, in_english)
    share = np.array(shares_together(texts, wanted))
    is_quoted = share >= QUOTED if len(wanted) >= FEWEST_QUOTED else np.zeros(len(texts), bool)
    return {
        "stands_out": above_usual(share) * min(len(wanted), MANY_WORDS) / MANY_WORDS,
        "quoted": is_quoted / math.sqrt(max(1, is_quoted.sum())),
    }


def by_speaker(store: Store, sessions: Sequence[int], said: Sequence[SegmentWords], text: str) -> dict[str, Values]:
    """Of the people named in the query: 1 where none of them speaks, and 1 where none is present or spoken of.

    Behind "user" may be anybody: in a chat with an assistant nobody is absent.
    """
    words = set(re.findall(r"\w+", text.casefold()))
    named = {speaker for speaker in frozenset().union(*(own.speakers for own in said)) if words & _names_of(speaker)}
    if not named:
        return {"other_speaker": np.zeros(len(said)), "absent": np.zeros(len(said))}
    present: dict[int, set[str]] = {session: set() for session in sessions}
    for session, speaker in store.all("speakers_of_sessions", sessions=encode_keys(sorted(present))):
        present[session].add(speaker)
    speakers = frozenset(named)
    named |= {speaker for there in present.values() for speaker in there if infer_role(speaker, None) is not None}
    names = words & frozenset().union(*(_names_of(speaker) for speaker in named))
    somebody_named = {session: not named.isdisjoint(there) for session, there in present.items()}
    absent = [
        not somebody_named[session] and not _speaks_of(own.text[:LOOKED_AT], names)
        for session, own in zip(sessions, said, strict=True)
    ]
    return {
        "other_speaker": np.array([float(speakers.isdisjoint(own.speakers)) for own in said]),
        "absent": np.array(absent, np.float64),
    }


def _speaks_of(text: str, names: AbstractSet[str]) -> bool:
    low = text.casefold()
    likely = any(name in low for name in names)  # words are told apart only where one of them may be a name
    return likely and not names.isdisjoint(re.findall(r"\w+", low))


# --- small measures ----------------------------------------------------------------------------


def ordinary(sample: NDArray[np.float64], vector: NDArray[np.float32]) -> tuple[float, float]:
    """The mean and the spread of a query's similarity to sampled segments."""
    if not len(sample):
        return 0.0, 1.0
    similarities = likeness(sample, vector)
    return float(similarities.mean()), max(float(similarities.std()), 1e-3)


def above_usual(values: Values) -> Values:
    """By how much each value is above the tenth best."""
    found: Values = np.maximum(0.0, values - np.sort(values)[-min(USUAL, len(values))])
    return found


def likeness(vectors: NDArray[np.floating[Any]], vector: NDArray[np.float32]) -> Values:
    """Cosines in full precision: the same on every machine, and wherever among the others a segment stands."""
    return vectors.astype(np.float64, copy=False) @ vector.astype(np.float64)


def tells_time(text: str) -> bool:
    return not TIME_WORDS.isdisjoint(WORD.findall(text[:LOOKED_AT].lower()))


def _is_question(text: str) -> bool:
    return text.rstrip().endswith("?")


@lru_cache(maxsize=1024)
def _names_of(speaker: str) -> frozenset[str]:
    """The words by which a speaker is named; a lone letter is nobody's name."""
    return frozenset(word for word in re.findall(r"\w+", speaker.casefold()) if len(word) > 1)
