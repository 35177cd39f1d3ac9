"""What was said in a time that a question names and nothing else: "What did we talk about in May?"

Such a question has no subject that anything could be near to. Shown is what is most typical of each session of that
time: of the longest session first, then of the next, and again from the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from ..core.distinct import distinct
from ..core.speakers import speaker_spellings
from ..index.vector_index import VectorIndex
from ..language.dates import intervals, times_asked
from ..language.time_questions import LONGEST_QUESTION, asks_only_for_time, asks_what_one_said
from ..language.times import from_wall_clock, to_micros, wall_clock
from ..store.store import Store, encode_keys
from .expand import May
from .fuse import Ranked
from .query import Query

MOST_LOOKED_AT = 20_000  # segments of that time; of a longer one the latest


def is_of_a_time(text: str) -> bool:
    """Whether a question asks what was said in a time, and for nothing else."""
    return len(text) <= LONGEST_QUESTION and asks_only_for_time(text, times_asked(text, datetime.now(UTC)))


def one_of_a_time(text: str) -> str:
    """The name of the one of whom a question asks only what they said in a time; empty if it does not."""
    is_short = len(text) <= LONGEST_QUESTION
    return asks_what_one_said(text, times_asked(text, datetime.now(UTC))) if is_short else ""


def read_time_question(store: Store, query: Query) -> tuple[Query, bool]:
    """A query, of the one whose words it asks for; and whether it asks what was said in a time and for nothing else."""
    if is_of_a_time(query.text):
        return query, True
    name = one_of_a_time(query.text) if query.speaker is None else ""
    spoken = speaker_spellings(store, name) if name else []
    return (replace(query, speaker=spoken[0]), True) if spoken else (query, False)


def typical_entries(
    store: Store, index: VectorIndex, text: str, asked_at: datetime, may: May, wanted: int
) -> list[Ranked]:
    """What is most typical of each session of the times that a question names, as many as are wanted."""
    spans = [
        (to_micros(from_wall_clock(one.start)), to_micros(from_wall_clock(one.end)))
        for one in intervals(text, wall_clock(asked_at))
    ]
    found = [store.keys("keys_between", since=since, until=until) for since, until in spans]
    shown = may(distinct(np.concatenate([np.zeros(0, np.int64), *found])).tolist())
    rows = store.all("segments_by_keys", keys=encode_keys(sorted(shown)))
    said = sorted(rows, key=lambda row: (row["said_at"], row["tie"], row["key"]))
    sessions = dict[int, list[tuple[int, int]]]()
    for row in said[-MOST_LOOKED_AT:]:
        sessions.setdefault(row["session"], []).append((row["key"], row["tie"]))
    longest = sorted(sessions.values(), key=lambda parts: -len(parts))
    ordered = [_most_typical_first(index, parts) for parts in longest]
    taken = [key for row in zip_longest(*ordered) for key in row if key is not None][:wanted]
    whole = sum(1 / place for place in range(1, len(taken) + 1))
    return [Ranked(key, round(1 / place / whole, 6), {}, {"in_time": 1.0}) for place, key in enumerate(taken, 1)]


def _most_typical_first(index: VectorIndex, parts: Sequence[tuple[int, int]]) -> list[int]:
    """A session's segments, nearest to its mean first; equals in the order in which they were said."""
    keys = np.array([key for key, _ in parts], np.int64)
    vectors: NDArray[np.float64] = index.vectors(keys).astype(np.float64)
    nearness = np.round(vectors @ vectors.mean(axis=0), 6)
    return [int(key) for key in keys[np.argsort(-nearness, kind="stable")]]
