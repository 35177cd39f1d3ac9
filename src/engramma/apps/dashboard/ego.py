"""A part of the graph around something: segments, people and things, the edges between them, and where each stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadInput
from ...memory import Memory
from ...recall.walk import neighbours_of
from ...records import Segment
from ...store.store import Store, as_json
from .groups import groups_in, ties_of
from .hubs import PERSON, Hub, Spoke, hub_named, is_hub, kept_hubs, wheel_of
from .layout import place, spiral

MOST_SHOWN = 240  # characters of a node's text
LIGHT = 1_000  # nodes from which on their texts are left to be asked for
WALKED = 400  # nodes up to which the nearest are found by all ways; beyond, step by step outwards
FIRST = 30  # segments that the walk begins at
LABEL = 48

Places = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a picture is to be around, how far it goes and how many nodes it may have.

    `kept` are the nodes of a picture that grows, with their places: they stay in it, about where they are.
    """

    ids: Sequence[str] = ()
    person: str | None = None
    name: str | None = None
    topic: int | None = None
    hops: int = 1
    most: int = 60
    kept: Places | None = None


def ego_of(memory: Memory, wanted: Wanted) -> dict[str, Any]:
    """Nodes with their places; edges as two numbers of nodes, kind, weight and label; and whether there is more."""
    store = memory.store
    kept = wanted.kept or {}
    with store.snapshot():
        seeds, hubs, spokes = begun(memory, wanted)
        room = max(1, wanted.most - len(hubs))
        around = outwards(store, seeds, wanted.hops, room) if seeds else []
        stay = {id: key for id in kept if not is_hub(id) and (key := memory._segment_key(id)) is not None}
        wheels = {hub.id: hub for hub in (*kept_hubs(memory, [id for id in kept if is_hub(id)]), *hubs)}
        keys = list(dict.fromkeys([*stay.values(), *[*seeds, *around][:room]]))
        found = store.hydrate(keys)
        keys = [key for key in keys if key in found]
        topics = {row["key"]: row["topic"] for row in store.all("topics_by_keys", keys=as_json(keys))}
        edges = edges_among(store, keys)
    drawn_ones: list[int | str] = [*wheels, *keys]
    number = {one: n for n, one in enumerate(drawn_ones)}
    drawn = {(number[a], number[b], kind): (weight, "") for (a, b, kind), weight in edges.items()}
    for spoke in spokes:
        if spoke.other in number:
            ends = (number[spoke.hub], number[spoke.other])
            drawn[(*(ends if spoke.outwards else ends[::-1]), spoke.kind)] = (spoke.weight, spoke.label)
    ties = ties_of((a, b, weight) for (a, b, _), (weight, _) in drawn.items())
    ids = [*wheels, *(found[key].id for key in keys)]
    at = place(len(number), ties, start_of(ids, kept, wanted.ids) if kept else None)
    group = groups_in(len(number), ties)
    light, chosen = len(number) > LIGHT, set() if hubs else set(seeds)
    nodes = [hub_node(hub) for hub in wheels.values()]
    nodes += [segment_node(found[key], topics.get(key), key in chosen, light) for key in keys]
    for n, node in enumerate(nodes):
        node.update(x=round(float(at[n, 0]), 3), y=round(float(at[n, 1]), 3), group=int(group[n]))
    lines = [[a, b, kind, round(weight, 4), label] for (a, b, kind), (weight, label) in drawn.items()]
    return {"nodes": nodes, "edges": lines, "more": len(around) + len(seeds) > room}


def begun(memory: Memory, wanted: Wanted) -> tuple[list[int], tuple[Hub, ...], tuple[Spoke, ...]]:
    """The segments that the walk begins at; and where it is around a person or thing, that with its spokes."""
    hub = next((id for id in wanted.ids if is_hub(id)), None)
    if hub is None and wanted.person is not None:
        hub = f"{PERSON}{wanted.person}"
    if hub is not None and hub.startswith(PERSON):
        hub = hub_named(memory, hub.removeprefix(PERSON))
    if hub is None and wanted.name is not None:
        hub = hub_named(memory, wanted.name)
    if hub is not None:
        wheel = wheel_of(memory, hub, wanted.most)
        return wheel.keys, wheel.hubs, wheel.spokes
    return seeds_of(memory, wanted), (), ()


def seeds_of(memory: Memory, wanted: Wanted) -> list[int]:
    store = memory.store
    if wanted.ids:
        found = [memory._segment_key(id) for id in wanted.ids]
        if None in found:
            raise BadInput("There is no such segment in this memory any more.")
        return [key for key in dict.fromkeys(found) if key is not None]
    if wanted.topic is not None:
        return [int(key) for key in store.keys("keys_of_topic", topic=wanted.topic)][: wanted.most]
    return [int(key) for key in store.keys("keys_latest", limit=min(FIRST, wanted.most))]


def outwards(store: Store, seeds: list[int], hops: int, most: int) -> list[int]:
    """The segments around the seeds, the nearest first, none of the seeds: one more than fit if there are more."""
    if most <= WALKED:
        return [step.key for step in neighbours_of(store, seeds, hops, most)]
    known = dict.fromkeys(seeds)
    edge = seeds
    for _ in range(hops):
        rows = store.all("keys_around", keys=as_json(edge), limit=most + len(known) + 1)
        edge = [row["key"] for row in rows if row["key"] not in known]
        known.update(dict.fromkeys(edge))
        if not edge or len(known) > most:
            break
    return list(known)[len(set(seeds)) : most + 1]


def edges_among(store: Store, keys: list[int]) -> dict[tuple[int, int, str], float]:
    """The edges between some segments; a chain, which is stored both ways, once."""
    drawn: dict[tuple[int, int, str], float] = {}
    for source, kind, target, weight in store.all("edges_among", keys=as_json(keys)):
        ends = (min(source, target), max(source, target)) if kind == "chain" else (source, target)
        drawn[(*ends, kind)] = weight
    return drawn


def start_of(ids: Sequence[str], kept: Places, seeds: Sequence[str]) -> NDArray[np.float64]:
    """Where a picture that grows begins: what is there in its place, what is new around where it grows."""
    middle = np.array(next((kept[id] for id in seeds if id in kept), (0.0, 0.0)))
    around = iter(spiral(len(ids)) * 0.8 + middle)
    return np.array([kept[id] if id in kept else next(around) for id in ids], dtype=np.float64)


def hub_node(hub: Hub) -> dict[str, Any]:
    return {"id": hub.id, "label": hub.name, "text": hub.name, "kind": "hub", "type": hub.type, "seed": hub.seed}


def segment_node(segment: Segment, topic: int | None, seed: bool, light: bool) -> dict[str, Any]:
    text = segment.text if len(segment.text) <= MOST_SHOWN else segment.text[:MOST_SHOWN] + "…"
    words = " ".join(text.split())
    return {
        "id": segment.id,
        "label": words if len(words) <= LABEL else words[: LABEL - 1] + "…",
        "text": None if light else text,
        "kind": segment.kind,
        "speakers": segment.speakers,
        "said_at": segment.said_at,
        "conversation": segment.conversation_id,
        "session": segment.session_id,
        "turn": segment.turn_ids[0] if segment.turn_ids else None,
        "topic": topic,
        "seed": seed,
    }
