"""What a store holds, to be compared with what another one holds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from engramma import Memory
from engramma.ingest.waiting_segments import finish_pending
from tests.conftest import talk

DAYS = 6
TOPICS = ("the harbour crane and its cable", "a violin lesson on the hill", "tomatoes in the greenhouse")


def a_session(day: int) -> tuple[str, str, list[Any]]:
    topic = TOPICS[day % len(TOPICS)]
    lines = (f"Ann: what about {topic} today", f"Ben: {topic} went well, number {day}", f"Ann: more of {topic} then")
    return f"talk{day % 2}", f"s{day}", talk(*lines, day=day)


def remember_days(memory: Memory, days: Sequence[int]) -> None:
    for day in days:
        memory.remember_session(*a_session(day))


def caught_up(memory: Memory) -> None:
    """Embed what waits; a server that has just come back is asked again within a second or two."""
    deadline = time.monotonic() + 30
    while memory.backlog().segments:
        assert time.monotonic() < deadline, memory.backlog()
        finish_pending(memory._core)


def whole(memory: Memory) -> dict[str, list[tuple[Any, ...]]]:
    """Segments, vectors, near lists, edges and words as they are stored, row by row."""
    store = memory._core.store
    keys = store.keys("keys_all").tolist()
    listed = f"[{','.join(map(str, keys))}]"
    return {
        "segments": sorted(tuple(row)[:9] for row in store.all("segments_by_keys", keys=listed)),
        "vectors": [tuple(row) for row in store.all("embeddings_by_keys", keys=listed)],
        "near": [tuple(row) for row in store.all("check_near_lists")],
        "edges": [tuple(row) for row in store.all("edges_all")],
        "counts": [tuple(row) for row in store.all("counts_edges")],
        "linked": [(row.conversation, row.id, row.linked, row.archived) for row in store.sessions_pending()],
    }


def recalled(memory: Memory, query: str, recipe: str = "default") -> list[tuple[str, float]]:
    return [(c.segment_id, c.score) for c in memory.recall(query, recipe=recipe).candidates]
