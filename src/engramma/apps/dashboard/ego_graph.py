"""Builds the part of the graph around something: segments, people and things, their edges, and a layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...language.graphemes import first_characters
from ...memory import Memory
from ...people import PERSON, Hub, Spoke, is_hub
from ...records import Segment
from .groups import groups_in, ties_of
from .layout import place_by_forces, spiral

MOST_SHOWN = 240  # characters of a node's text
LIGHT = 1_000  # nodes from which on their texts are left to be asked for
LABEL = 48

Places = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """What a picture is centred on, how far it goes and how many nodes it may have.

    `kept` are the nodes of a picture that grows, with their places: they stay in it, about where they are.
    """

    ids: Sequence[str] = ()
    person: str | None = None
    name: str | None = None
    topic: int | None = None
    hops: int = 1
    most: int = 60
    kept: Places | None = None


def ego_of(memory: Memory, wanted: PictureRequest) -> dict[str, Any]:
    """Nodes with their places; edges as two numbers of nodes, kind, weight and label; and whether there is more."""
    kept = wanted.kept or {}
    with memory.browse.snapshot():
        seeds, hubs, spokes = _begun(memory, wanted)
        room = max(1, wanted.most - len(hubs))
        around = memory.surroundings.outwards(seeds, wanted.hops, room) if seeds else []
        stay = memory.surroundings.keys(id for id in kept if not is_hub(id))
        wheels = {hub.id: hub for hub in (*memory.entities.hubs([id for id in kept if is_hub(id)]), *hubs)}
        keys = list(dict.fromkeys([*stay.values(), *[*seeds, *around][:room]]))
        part = memory.surroundings.part(keys)
    found, keys = part.segments, list(part.segments)
    drawn_ones: list[int | str] = [*wheels, *keys]
    number = {one: n for n, one in enumerate(drawn_ones)}
    drawn = {(number[a], number[b], kind): (weight, "") for (a, b, kind), weight in part.edges.items()}
    for spoke in spokes:
        if spoke.other in number:
            ends = (number[spoke.hub], number[spoke.other])
            drawn[(*(ends if spoke.outwards else ends[::-1]), spoke.kind)] = (spoke.weight, spoke.label)
    ties = ties_of((a, b, weight) for (a, b, _), (weight, _) in drawn.items())
    ids = [*wheels, *(found[key].id for key in keys)]
    at = place_by_forces(len(number), ties, _start_of(ids, kept, wanted.ids) if kept else None)
    group = groups_in(len(number), ties)
    light, chosen = len(number) > LIGHT, set() if hubs else set(seeds)
    nodes = [hub_node(hub) for hub in wheels.values()]
    nodes += [segment_node(found[key], part.topics.get(key), key in chosen, light) for key in keys]
    for n, node in enumerate(nodes):
        node.update(x=round(float(at[n, 0]), 3), y=round(float(at[n, 1]), 3), group=int(group[n]))
    lines = [[a, b, kind, round(weight, 4), label] for (a, b, kind), (weight, label) in drawn.items()]
    return {"nodes": nodes, "edges": lines, "more": len(around) + len(seeds) > room}


def _begun(memory: Memory, wanted: PictureRequest) -> tuple[list[int], tuple[Hub, ...], tuple[Spoke, ...]]:
    """The segments that the walk begins at; and where it is around a person or thing, that with its spokes."""
    hub = next((id for id in wanted.ids if is_hub(id)), None)
    if hub is None and wanted.person is not None:
        hub = f"{PERSON}{wanted.person}"
    if hub is not None and hub.startswith(PERSON):
        hub = memory.entities.hub_named(hub.removeprefix(PERSON))
    if hub is None and wanted.name is not None:
        hub = memory.entities.hub_named(wanted.name)
    if hub is not None:
        wheel = memory.entities.wheel(hub, wanted.most)
        return wheel.keys, wheel.hubs, wheel.spokes
    return memory.surroundings.seeds(wanted.ids, wanted.topic, wanted.most), (), ()


def _start_of(ids: Sequence[str], kept: Places, seeds: Sequence[str]) -> NDArray[np.float64]:
    """Where a picture that grows begins: what is there in its place, what is new around where it grows."""
    middle = np.array(next((kept[id] for id in seeds if id in kept), (0.0, 0.0)))
    around = iter(spiral(len(ids)) * 0.8 + middle)
    return np.array([kept[id] if id in kept else next(around) for id in ids], dtype=np.float64)


def hub_node(hub: Hub) -> dict[str, Any]:
    return {"id": hub.id, "label": hub.name, "text": hub.name, "kind": "hub", "type": hub.type, "seed": hub.seed}


def segment_node(segment: Segment, topic: int | None, seed: bool, light: bool) -> dict[str, Any]:
    text = segment.text if len(segment.text) <= MOST_SHOWN else first_characters(segment.text, MOST_SHOWN) + "…"
    first = segment.spoken[0] if segment.spoken else None  # who speaks is told beside it
    words = " ".join(
        (text if first is None else first_characters(segment.text[first.start : first.end], MOST_SHOWN)).split()
    )
    return {
        "id": segment.id,
        "label": words if len(words) <= LABEL else first_characters(words, LABEL - 1) + "…",
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
