"""Segments with those around them in their sessions, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..index.vector_index import VectorIndex
from ..store.database import Row
from ..store.store import Store, encode_keys
from .distinct import number_distinct

REACH = 2  # steps along a session
EXCHANGE = 0.2  # an exchange brings its own context: what stands around it counts by this much

# Seven rows: key, session, place in it, tie, when it was said, whether it is an exchange, the conversation's number.
Columns = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LearntWords:
    """What was worked out of segments' words, of sessions' speakers and of vectors, as of one state: each is read when
    it is first needed, and dropped when it changes. It holds for one namespace, and has no texts."""

    by_segment: dict[int, Any] = field(default_factory=dict)
    by_session: dict[int, frozenset[str]] = field(default_factory=dict)  # who speaks in it
    shelf: dict[str, Any] = field(default_factory=dict)  # what all segments share, as numbers for words

    def without(self, segments: Sequence[int], sessions: Sequence[int]) -> LearntWords:
        """The same less what changed; whoever looks at the state before goes on with what they have."""
        by_segment, by_session = self.by_segment.copy(), self.by_session.copy()
        for key in segments:
            by_segment.pop(key, None)
        for session in sessions:
            by_session.pop(session, None)
        return LearntWords(by_segment, by_session, self.shelf.copy())


@dataclass(frozen=True, eq=False)
class MixedVectors:
    """Vectors with a share of those around them, each made when it is first needed.

    Two for each row: with all of those, and without those that stand beyond the reach of what was found.
    """

    vectors: NDArray[np.float32]
    is_made: NDArray[np.bool_]


@dataclass(frozen=True)
class Near:
    """Segments in the order of session and place, so that neighbours stand next to each other.

    A whole namespace's has what was `learnt` of its segments, and what follows from their places is kept with it.
    """

    keys: NDArray[np.int64]
    sessions: NDArray[np.int64]
    places: NDArray[np.int64]
    ties: NDArray[np.int64]
    said_at: NDArray[np.int64]
    is_exchange: NDArray[np.bool_]
    conversations: NDArray[np.int64]
    learnt: LearntWords | None = None
    mixed: MixedVectors | None = None

    def rows_of(self, keys: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the keys stand; every one of them is there."""
        return self.by_key[np.searchsorted(self._keys_in_order, np.asarray(keys, np.int64))]

    def has_all(self, keys: NDArray[np.int64]) -> bool:
        """Whether every one of the keys is there."""
        own = self._keys_in_order
        if not len(own):
            return not len(keys)
        places = np.minimum(np.searchsorted(own, keys), len(own) - 1)
        return bool((own[places] == keys).all())

    @cached_property
    def by_key(self) -> NDArray[np.int64]:
        """The rows in the order of their keys."""
        return np.argsort(self.keys)

    @cached_property
    def _keys_in_order(self) -> NDArray[np.int64]:
        return self.keys[self.by_key]

    @cached_property
    def leaning(self) -> NDArray[np.float64]:
        """How much a segment leans on what stands around it: an utterance in full, an exchange little."""
        return np.where(self.is_exchange, EXCHANGE, 1.0)

    @cached_property
    def turns(self) -> NDArray[np.int64]:
        """Of each row its place among equals, which comes from the segments themselves."""
        found = np.empty(len(self.keys), np.int64)
        found[np.lexsort((self.keys, self.ties))] = np.arange(len(found))
        return found

    @cached_property
    def session_numbers(self) -> NDArray[np.int64]:
        """For each row the place of its session among the different ones."""
        return number_distinct(self.sessions)

    @cached_property
    def conversation_count(self) -> int:
        """One more than the highest number of a conversation."""
        return int(self.conversations.max()) + 1

    @cached_property
    def _steps(self) -> dict[int, NDArray[np.int64]]:
        every = np.arange(len(self.keys))
        return {step: self._at(every, step) for step in range(-REACH, REACH + 1) if step}

    def at(self, rows: NDArray[np.int64], step: int) -> NDArray[np.int64]:
        """The rows so many steps further in the same session; -1 where there is none."""
        return self._at(rows, step) if self.learnt is None else self._steps[step].take(rows)

    @cached_property
    def _within_reach(self) -> list[NDArray[np.int64]]:
        """For each step up to REACH the row so far away; -1 where it is not within REACH in the same session."""
        every, found = np.arange(len(self.keys)), list[NDArray[np.int64]]()
        for step in (step for step in range(-REACH, REACH + 1) if step):
            other = np.minimum(np.maximum(every + step, 0), len(every) - 1)
            is_beside = (self.sessions[other] == self.sessions) & (np.abs(self.places[other] - self.places) <= REACH)
            found.append(np.where(is_beside, other, -1))
        return found

    def reached(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of each row whether it is one of some, or up to REACH steps from it; one more for -1, which is none."""
        found = np.zeros(len(self.keys) + 1, bool)
        found[rows] = True
        for others in self._within_reach:
            found[others.take(rows)] = True
        found[-1] = False
        return found

    def part(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Some rows and those up to REACH steps before and after them, in order."""
        return np.flatnonzero(self.reached(rows))

    def cut(self, rows: NDArray[np.int64]) -> Near:
        """These rows alone."""
        return Near(
            self.keys[rows],
            self.sessions[rows],
            self.places[rows],
            self.ties[rows],
            self.said_at[rows],
            self.is_exchange[rows],
            self.conversations[rows],
        )

    def _at(self, rows: NDArray[np.int64], step: int) -> NDArray[np.int64]:
        other = np.minimum(np.maximum(rows + step, 0), len(self.keys) - 1)
        is_next = (self.sessions[other] == self.sessions[rows]) & (self.places[other] == self.places[rows] + step)
        return np.where(is_next, other, -1)

    def shifted(self, values: NDArray[Any], step: int) -> NDArray[Any]:
        """For every segment, what the one so many steps further has; nothing where there is none."""
        other = self.at(np.arange(len(self.keys)), step)
        there = (other >= 0).astype(values.dtype)
        found: NDArray[Any] = values[other] * (there[:, None] if values.ndim > 1 else there)
        return found


def near_to(store: Store, index: VectorIndex, keys: Sequence[int]) -> Near:
    """Some segments and those up to REACH steps before and after them."""
    return as_near(
        in_sessions(columns_of(store.all("segments_around", keys=encode_keys(keys), reach=REACH), {})), index
    )


def columns_of(rows: Sequence[Row], talks: dict[str, int]) -> Columns:
    """Rows of places as columns; a conversation that has no number among `talks` yet gets the next one."""
    *numbers, names = zip(*rows, strict=True) if rows else ((),) * 7
    return np.array([*numbers, [talks.setdefault(name, len(talks)) for name in names]], np.int64)


def in_sessions(columns: Columns) -> Columns:
    """Columns of places in the order of session and place."""
    return columns[:, np.lexsort((columns[2], columns[1]))]


def as_near(columns: Columns, index: VectorIndex) -> Near:
    """Columns of places without what was set aside, which stands beside nobody."""
    found, sessions, places, ties, said_at, is_exchange, conversations = columns[:, index.holds(columns[0])]
    return Near(found, sessions, places, ties, said_at, is_exchange > 0, conversations)
