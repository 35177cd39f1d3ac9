"""A part of the graph around some segments: which are near, the edges between them, and what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..core.core import Core
from ..core.names import find_session, key_by_turn, segment_key
from ..errors import BadInput
from ..language.graphemes import first_characters
from ..recall.walk import neighbours_of
from ..records import Segment
from ..store.store import Store, encode_keys

WALKED = 400  # segments up to which the nearest are found by all ways; beyond, step by step outwards
FIRST = 30  # segments that a walk without a place begins at

Edges = dict[tuple[int, int, str], float]  # (from, to, kind): weight


@dataclass(frozen=True, slots=True)
class GraphPart:
    """Segments by their keys, in order, with the topics of those that have one, and the edges between them."""

    segments: Mapping[int, Segment]
    topics: Mapping[int, int]
    edges: Edges


class Surroundings:
    """What is around some segments in the graph. Segments go by their keys, which hold as long as they do."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def keys(self, ids: Iterable[str]) -> dict[str, int]:
        """The keys of segments by their ids, of those that are there."""
        return {id: key for id in ids if (key := segment_key(self._core, id)) is not None}

    def seeds(self, ids: Sequence[str] = (), topic: int | None = None, most: int = FIRST) -> list[int]:
        """Where a walk begins: at some segments, in a topic, or at what was said last."""
        if ids:
            known = self.keys(ids)
            if len(known) < len(set(ids)):
                raise BadInput("This segment no longer exists in this memory.")
            return list(dict.fromkeys(known[id] for id in ids))
        if topic is not None:
            return [int(key) for key in self._core.store.keys("keys_of_topic", topic=topic)][:most]
        return [int(key) for key in self._core.store.keys("keys_latest", limit=min(FIRST, most))]

    def outwards(self, seeds: Sequence[int], hops: int, most: int) -> list[int]:
        """The segments around the seeds, the nearest first, none of the seeds: one more than fit if there are more."""
        return outwards(self._core.store, list(seeds), hops, most)

    def part(self, keys: Sequence[int]) -> GraphPart:
        """Some segments, those that are still there, with their topics and the edges between them."""
        store = self._core.store
        found = store.hydrate(list(keys))
        there = [key for key in keys if key in found]
        topics = {row["key"]: row["topic"] for row in store.all("topics_by_keys", keys=encode_keys(there))}
        return GraphPart({key: found[key] for key in there}, topics, edges_among(store, there))

    def sessions(self, conversation: str, session: str) -> list[tuple[str, str, float]]:
        """The edges that leave a session: (conversation, session, weight) of each one's other end."""
        rows = self._core.store.all("edges_leaving", session=find_session(self._core, conversation, session).key)
        return [(row["conversation"], row["session"], row["weight"]) for row in rows]

    def words(self, ids: Iterable[str], most: int) -> dict[str, str]:
        """The first words of segments by their ids, of those that are there."""
        found = self._core.store.hydrate(list(self.keys(ids).values()))
        return {one.id: first_characters(one.text, most) for one in found.values()}


def outwards(store: Store, seeds: list[int], hops: int, most: int) -> list[int]:
    """The segments around the seeds: by all ways, or, where there may be many, step by step."""
    if most <= WALKED:
        return [step.key for step in neighbours_of(store, seeds, hops, most)]
    known = dict.fromkeys(seeds)
    edge = seeds
    for _ in range(hops):
        rows = store.all("keys_around", keys=encode_keys(edge), limit=most + len(known) + 1)
        edge = [row["key"] for row in rows if row["key"] not in known]
        known.update(dict.fromkeys(edge))
        if not edge or len(known) > most:
            break
    return list(known)[len(set(seeds)) : most + 1]


def edges_among(store: Store, keys: Sequence[int]) -> Edges:
    """The edges between some segments; a chain, which is stored both ways, once."""
    drawn: Edges = {}
    for source, kind, target, weight in store.all("edges_among", keys=encode_keys(keys)):
        ends = (min(source, target), max(source, target)) if kind == "chain" else (source, target)
        drawn[(*ends, kind)] = weight
    return drawn


def segment_with_edges(
    core: Core, id: str, by_turn: bool = False
) -> tuple[Segment, list[tuple[str, float, str]]] | None:
    """A segment by its id or a turn's, with its edges as (kind, weight, other segment's id); a chain only onwards."""
    key = segment_key(core, id)
    if key is None and by_turn:
        key = key_by_turn(core, id)
    if key is None:
        return None
    edges = [row for row in core.store.all("edges_of", key=key) if not (row["kind"] == "chain" and row["dst"] == key)]
    others = [row["dst"] if row["src"] == key else row["src"] for row in edges]
    segments = core.store.hydrate([key, *others])
    if key not in segments:  # forgotten
        return None
    ends = zip(edges, others, strict=True)
    return segments[key], [(row["kind"], row["weight"], segments[end].id) for row, end in ends if end in segments]


def whole_graph(core: Core) -> tuple[list[Segment], list[tuple[str, str, str, float]]]:
    """All segments in time order, and all edges as (from id, to id, kind, weight)."""
    with core.store.snapshot():
        keys = core.store.keys("keys_all").tolist()
        segments = core.store.hydrate(keys)
        edges = core.store.all("edges_all")
    named = [
        (segments[row["src"]].id, segments[row["dst"]].id, row["kind"], row["weight"])
        for row in edges
        if row["src"] in segments and row["dst"] in segments  # else one end was forgotten
    ]
    return [segments[key] for key in keys if key in segments], named
