"""A part of the graph around something: its segments, the edges between them, and where each stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ...errors import BadInput
from ...memory import Memory
from ...recall.walk import neighbours_of
from ...records import Segment
from ...store.store import as_json
from .layout import place, spiral

MOST_SHOWN = 240  # characters of a node's text
FIRST_OF_PERSON = 30  # segments of a person or topic that the walk begins at


@dataclass(frozen=True, slots=True)
class Node:
    """A segment in the picture; `seed` means the picture was asked for around it."""

    id: str
    x: float
    y: float
    label: str
    text: str
    kind: str
    speakers: tuple[str, ...]
    said_at: datetime
    conversation: str
    session: str
    turn: str | None
    topic: int | None
    seed: bool


@dataclass(frozen=True, slots=True)
class Line:
    """An edge in the picture."""

    source: str
    target: str
    kind: str
    weight: float


@dataclass(frozen=True, slots=True)
class Ego:
    """A part of the graph; `more` says that there is more around than was asked for."""

    nodes: tuple[Node, ...]
    edges: tuple[Line, ...]
    more: bool


def ego_of(
    memory: Memory,
    *,
    ids: list[str],
    person: str | None,
    topic: int | None,
    hops: int,
    most: int,
    kept: Mapping[str, tuple[float, float]],
) -> Ego:
    """What is around some segments, a person or a topic, the nearest first, at most so many nodes.

    `kept` are the nodes of a picture that grows, with their places: they stay in it, about where they are.
    """
    store = memory.store
    with store.snapshot():
        seeds = seeds_of(memory, ids, person, topic, most)
        steps = neighbours_of(store, seeds, hops, most) if seeds else []
        stay = {key: at for id, at in kept.items() if (key := memory._segment_key(id)) is not None}
        fresh = list(dict.fromkeys([*seeds, *(step.key for step in steps)]))[:most]
        keys = list(dict.fromkeys([*stay, *fresh]))
        found = store.hydrate(keys)
        keys = [key for key in keys if key in found]
        topics = {row["key"]: row["topic"] for row in store.all("topics_by_keys", keys=as_json(keys))}
        rows = store.all("edges_among", keys=as_json(keys))
    number = {key: n for n, key in enumerate(keys)}
    drawn: dict[tuple[int, int, str], float] = {}
    for row in rows:  # a chain is stored both ways
        ends = (number[row["src"]], number[row["dst"]])
        both = (min(ends), max(ends)) if row["kind"] == "chain" else ends
        drawn[*both, row["kind"]] = row["weight"]
    ties = [(a, b, weight) for (a, b, _), weight in drawn.items()]
    at = place(len(keys), ties, begun(keys, stay, seeds) if stay else None)
    chosen = set(seeds)
    nodes = [
        node(found[key], float(at[n, 0]), float(at[n, 1]), topics.get(key), key in chosen) for n, key in enumerate(keys)
    ]
    lines = [Line(nodes[a].id, nodes[b].id, kind, round(weight, 4)) for (a, b, kind), weight in drawn.items()]
    return Ego(tuple(nodes), tuple(lines), len(steps) >= most)


def begun(keys: list[int], stay: Mapping[int, tuple[float, float]], seeds: list[int]) -> NDArray[np.float64]:
    """Where a picture that grows begins: what is there in its place, what is new around where it grows."""
    middle = np.array(next((stay[key] for key in seeds if key in stay), (0.0, 0.0)))
    around = iter(spiral(len(keys)) * 0.8 + middle)
    return np.array([stay[key] if key in stay else next(around) for key in keys], dtype=np.float64)


def seeds_of(memory: Memory, ids: list[str], person: str | None, topic: int | None, most: int) -> list[int]:
    store = memory.store
    if ids:
        found = [memory._segment_key(id) for id in ids]
        if None in found:
            raise BadInput("There is no such segment in this memory any more.")
        return [key for key in dict.fromkeys(found) if key is not None]
    first = min(FIRST_OF_PERSON, most)
    if person is not None:
        return [int(key) for key in store.keys("keys_of_speaker", speaker=person, limit=first)]
    if topic is not None:
        return [int(key) for key in store.keys("keys_of_topic", topic=topic)][:most]
    return [int(key) for key in store.keys("keys_latest", limit=first)]


def node(segment: Segment, x: float, y: float, topic: int | None, seed: bool) -> Node:
    text = segment.text if len(segment.text) <= MOST_SHOWN else segment.text[:MOST_SHOWN] + "…"
    words = " ".join(text.split())
    return Node(
        id=segment.id,
        x=round(x, 3),
        y=round(y, 3),
        label=words if len(words) <= 48 else words[:47] + "…",
        text=text,
        kind=segment.kind,
        speakers=segment.speakers,
        said_at=segment.said_at,
        conversation=segment.conversation_id,
        session=segment.session_id,
        turn=segment.turn_ids[0] if segment.turn_ids else None,
        topic=topic,
        seed=seed,
    )
