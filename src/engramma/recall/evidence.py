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
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.background import Background, Values, above_usual, likeness, mixed_vectors, ordinary
from ..core.distinct import distinct
from ..core.place_table import KeptPlaces
from ..core.windows import Near
from ..files import foreign_json
from ..index.vector_index import VectorIndex
from ..language.dates import Interval, distance_days, times_asked
from ..language.first_person import tells_of_oneself
from ..language.times import from_micros, wall_clock
from ..store.store import Store, encode_keys
from .expand import May
from .fuse import Ranked, standings
from .query import ShownWithin
from .search import NO_COMPOUNDS, ChannelHit
from .text_evidence import QuestionEvidence, Rows, by_text

# A turn of talk is understood with those around it: how much of the words of each it is given.
WORDS_AROUND = {-1: 0.7, 1: 0.4}
SESSION_HITS = 3  # the best hits of a session stand for it
FIRST_HITS = 20  # of a channel that say in which conversation the answer is
DAYS_NEAR = 7.0  # what happened then is told within days
READ = 100  # segments whose texts are read
IMPORTANT_TAGS = frozenset(("important", "pinned"))


ASKS_WHEN = re.compile(
    r"\s*(when\b|(on |in )?(what|which) (date|day|month|year|time|week|season)\b|how long ago\b|since when\b)",
    re.IGNORECASE,
)


class Hits(NamedTuple):
    """What a channel found, best first."""

    keys: NDArray[np.int64]
    scores: Values


NO_HITS, NO_ROWS = Hits(np.zeros(0, np.int64), np.zeros(0)), np.zeros(0, np.int64)


def read_question(
    text: str,
    vector: NDArray[np.float16],
    at: datetime,
    in_english: tuple[str, ...] = (),
    compounds: Mapping[str, Sequence[str]] = NO_COMPOUNDS,
    languages: tuple[str, ...] = (),
) -> QuestionEvidence:
    times, asks_when = times_asked(text, wall_clock(at)), ASKS_WHEN.match(text) is not None
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
    listed = {name: _hits_of(hits) for name, hits in channels.items()}
    semantic, lexical, graph = (listed.get(name, NO_HITS) for name in ("semantic", "lexical", "graph"))
    near = places.whole_or_near(index, distinct(np.concatenate([NO_HITS.keys, *(one.keys for one in listed.values())])))
    found = {name: near.rows_of(hits.keys) for name, hits in listed.items()}
    close = semantic.keys[:pool][semantic.scores[:pool] >= floor]
    rows = pooled(near, np.concatenate([close, lexical.keys[:pool], graph.keys[:pool]]), may)
    if not len(rows):
        return []
    usual, every = ordinary(known.alone, question.vector), np.concatenate([NO_ROWS, *found.values()])
    values = {
        **by_meaning(
            near, index, rows, known, usual, question, semantic, found.get("semantic", NO_ROWS), 2 * pool, every
        ),
        **_by_words(near, rows, found.get("lexical", NO_ROWS), lexical.scores, 3 * pool, every),
        "in_time": by_time(near, rows, question.times),
        "conversation": _by_conversation(near, rows, found.values()),
    }
    if question.goes_on:
        from .going_on import by_lateness, by_leading_conversation  # few messages go on, and the others need it not

        part = near.part(every)
        values |= by_lateness(near.cut(part), np.searchsorted(part, rows))
    if weights.get("importance"):
        values["importance"] = by_importance(store, near.keys[rows].tolist())
    so_far = _added(_weighted(values, weights, len(rows))[1])
    kept = _in_order(near, rows, so_far)[: max(READ, 2 * wanted)]
    rows, values = rows[kept], {name: value[kept] for name, value in values.items()}
    values |= by_text(store, index, near, rows, known, usual, question, floor)
    if question.goes_on:
        so_far = _added(_weighted(values, weights, len(rows))[1])
        values["its_conversation"] = by_leading_conversation(near, rows, so_far)
    names, parts = _weighted(values, weights, len(rows))
    total = _added(parts)
    shares = np.exp(total - total.max())
    shares /= shares.sum()
    first = _in_order(near, rows, total)[:wanted]
    return _ranked(near.keys[rows[first]].tolist(), shares[first], channels, names, parts[:, first])


def _ranked(
    keys: Sequence[int],
    shares: Values,
    channels: Mapping[str, Sequence[ChannelHit]],
    names: Sequence[str],
    parts: Values,
) -> list[Ranked]:
    """The first of the pool with what put them there: `parts` has a row for each kind of evidence."""
    stood = standings(channels, keys)
    told = [
        {name: rounded for name, part in zip(names, own, strict=True) if part and (rounded := round(part, 4))}
        for own in parts.T.tolist()
    ]
    return [
        Ranked(key, round(share, 6), stood.get(key, {}), evidence)
        for key, share, evidence in zip(keys, shares.tolist(), told, strict=True)
    ]


def _hits_of(hits: Sequence[ChannelHit]) -> Hits:
    keys, scores, _ = zip(*hits, strict=True) if hits else ((), (), ())
    return Hits(np.array(keys, np.int64), np.array(scores, np.float64))


def _weighted(
    values: Mapping[str, Values], weights: Mapping[str, float], count: int
) -> tuple[list[str], NDArray[np.float64]]:
    """The kinds of evidence that weigh anything, and what each of them adds to each segment."""
    names = [name for name in weights if name in values]
    own = np.array([values[name] for name in names]).reshape(len(names), count)
    return names, own * np.array([weights[name] for name in names])[:, None]


def _added(parts: NDArray[np.float64]) -> Values:
    """All parts together, in their order: numpy adds those of a single segment in another one."""
    found: Values = sum(parts, np.zeros(parts.shape[1]))
    return found


def _in_order(near: Near, rows: Rows, total: Values) -> Rows:
    """Places in `rows`, the best first; equals in an order of their own."""
    return np.lexsort((near.turns[rows], -np.round(total, 6)))


def pooled(near: Near, keys: NDArray[np.int64], may: May) -> Rows:
    """The rows of the hits and of the segments right before and after them, those that may be shown."""
    hits = near.rows_of(keys)
    found = distinct(np.concatenate([hits, *(near.at(hits, step) for step in (-1, 1))]))
    found = found[found >= 0]
    asked = near.keys[found]
    if isinstance(may, ShownWithin):
        return found[may.mask(asked)]
    shown = may(asked.tolist())
    return found[[key in shown for key in asked.tolist()]]


# --- the kinds of evidence ---------------------------------------------------------------------


def by_meaning(
    near: Near,
    index: VectorIndex,
    rows: Rows,
    known: Background,
    usual: tuple[float, float],
    question: QuestionEvidence,
    hits: Hits,
    found: Rows,
    last: int,
    every: Rows,
) -> dict[str, Values]:
    """Meaning: of the segment among its neighbours, as a rank, and of its whole session; of an exchange, by how much
    it stands out by itself. An utterance is understood with those around it: its own meaning says less."""
    mean, spread = usual
    ranks = np.full(len(near.keys), last, np.float64)
    ranks[found] = np.minimum(np.arange(len(found)), last)
    middle, width = ordinary(known.around, question.vector)
    stands_out, is_exchange = np.zeros(len(rows)), near.is_exchange[rows]
    if is_exchange.any():
        alone = index.singles(near.keys[rows])
        stands_out = above_usual(likeness(alone, question.vector) / spread) * is_exchange
    of_session = _session_best(near.session_numbers[found], np.maximum(0.0, (hits.scores - mean) / spread))
    numbers = near.session_numbers[rows]
    best = np.append(of_session, np.zeros(max(0, int(numbers.max()) + 1 - len(of_session))))
    return {
        "meaning": (likeness(mixed_vectors(near, index, rows, every), question.vector) - middle) / width,
        "meaning_stands_out": stands_out,
        "meaning_rank": np.log1p(ranks[rows]),
        "session_meaning": near.leaning[rows] * best[numbers],
    }


def _session_best(sessions: Rows, scores: Values) -> Values:
    """For each session what its best hits have, one after the other from the least; the hits come best first."""
    order = np.argsort(sessions, kind="stable")
    own = sessions[order]
    place = np.arange(len(own)) - np.searchsorted(own, own)
    best = np.zeros((int(own[-1]) + 1 if len(own) else 0, SESSION_HITS))
    counted = place < SESSION_HITS
    best[own[counted], place[counted]] = scores[order[counted]]
    total = np.zeros(len(best))
    for number in reversed(range(SESSION_HITS)):
        total += best[:, number]
    return total / SESSION_HITS


def _by_words(near: Near, rows: Rows, found: Rows, scores: Values, last: int, every: Rows) -> dict[str, Values]:
    """Words: the rank of a segment with its neighbours, and its session's share of the best session. `every` is what
    all channels found."""
    in_order = np.argsort(found)
    numbers = near.session_numbers
    sums = np.sqrt(np.bincount(numbers[found[in_order]], weights=scores[in_order] ** 2, minlength=1))
    own = numbers[rows]
    share = np.append(sums, np.zeros(max(0, int(own.max()) + 1 - len(sums))))[own]
    return {
        "words_rank": np.log1p(_word_ranks(near, found, scores, last, every)[rows]),
        "session_words": near.leaning[rows] * share / (sums.max() or 1.0),
    }


def _word_ranks(near: Near, found: Rows, scores: Values, last: int, every: Rows) -> Values:
    """Of each segment its rank by words, from 0, with a share of what its neighbours have."""
    score, is_touched = np.zeros(len(near.keys) + 1), np.zeros(len(near.keys) + 1, bool)
    score[found] = scores  # the last one is for those whom nobody is beside: -1
    for some in (found, *(near.at(found, step) for step in WORDS_AROUND)):
        is_touched[some] = True
    touched = np.flatnonzero(is_touched[:-1])
    around, lean = score[touched], near.leaning[touched]
    for step, share in WORDS_AROUND.items():
        around += share * lean * score[near.at(touched, step)]
    is_any, rounded = around > 0, np.round(around, 6)
    ranks = np.full(len(near.keys), last, np.float64)
    if not (rounded[is_any] > 0).all():  # so little that it stands among those that have nothing
        part = near.part(every)
        is_touched[:-1][part] = True
        touched = np.flatnonzero(is_touched[:-1])
        around = score[touched]
        lean = near.leaning[touched]
        for step, share in WORDS_AROUND.items():
            around += share * lean * score[near.at(touched, step)]
        is_any, rounded = around > 0, np.round(around, 6)
    order = np.lexsort((near.turns[touched], -rounded))
    places = np.empty(len(touched))
    places[order] = np.minimum(np.arange(len(order)), last)
    ranks[touched] = np.where(is_any, places, last)
    return ranks


def _by_conversation(near: Near, rows: Rows, found: Collection[Rows]) -> Values:
    """A conversation's share of the first hits: 1 where all of them are."""
    share, own = np.zeros(len(rows)), near.conversations[rows]
    for hits in found:
        first = hits[:FIRST_HITS]
        counts = np.bincount(near.conversations[first], minlength=near.conversation_count)
        share += counts[own] / max(1, len(first)) / len(found)
    return share


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
