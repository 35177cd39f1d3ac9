"""Diversity by topic: limits how many segments of one topic come first; the rest follow at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..store.store import Store, encode_keys
from .fuse import Ranked


def spread_topics(store: Store, ranked: Sequence[Ranked], most: int) -> list[Ranked]:
    """The ranked in their order, but what a topic has beyond its `most` stands last; without a topic all may stay."""
    rows = store.all("topics_by_keys", keys=encode_keys(found.key for found in ranked))
    topic_of = {row["key"]: row["topic"] for row in rows}
    count: Counter[int] = Counter()
    first: list[Ranked] = []
    behind: list[Ranked] = []
    for found in ranked:
        topic = topic_of.get(found.key)
        if topic is not None:
            count[topic] += 1
        (behind if topic is not None and count[topic] > most else first).append(found)
    return first + behind
