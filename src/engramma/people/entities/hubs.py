"""People and things as nodes in a picture of the graph, with what was said by and about them, and facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.speakers import speaker_spellings
from ...errors import BadInput
from ...store.store import Store, encode_keys
from .entities import entities_by_keys, keys_named

ENTITY, PERSON = "entity:", "person:"  # what a hub's id begins with
MOST_TIES = 24  # facts drawn at one hub
FIRST = 30  # segments of a hub that the walk begins at
SAID, NAMED, FACT = "said", "named", "fact"  # kinds of edges at a hub
WEIGHTS = {SAID: 0.5, NAMED: 0.4}


@dataclass(frozen=True, slots=True)
class Hub:
    """A person or thing in the picture."""

    id: str
    name: str
    type: str
    seed: bool


@dataclass(frozen=True, slots=True)
class Spoke:
    """An edge at a hub: to a segment, by its key, or to another hub, by its id; outwards, or the other way."""

    hub: str
    other: int | str
    kind: str
    weight: float
    label: str = ""
    outwards: bool = True


@dataclass(frozen=True, slots=True)
class Wheel:
    """Hubs with their spokes, and the segments among those."""

    hubs: tuple[Hub, ...]
    spokes: tuple[Spoke, ...]

    @property
    def keys(self) -> list[int]:
        return list(dict.fromkeys(spoke.other for spoke in self.spokes if isinstance(spoke.other, int)))


def is_hub(id: str) -> bool:
    return id.startswith((ENTITY, PERSON))


def hub_named(store: Store, name: str) -> str:
    """The id of the person or thing that a name means: an entity, or somebody who speaks and of whom nobody says."""
    if keys := keys_named(store, name):
        return f"{ENTITY}{keys[0]}"
    if len(store.keys("keys_of_speaker", speaker=name, limit=1)):
        return f"{PERSON}{name}"
    raise BadInput("Nobody and nothing of this name is known in this memory.")


def wheel_of(store: Store, id: str, most: int) -> Wheel:
    """A hub with what was said by it and of it, and the facts that join it with others: at most so many nodes."""
    name = id.partition(":")[2]
    entities: list[int] = []
    type = "person"
    if id.startswith(ENTITY):
        row = store.one("entity_get", key=int(name)) if name.isdigit() and len(name) < 19 else None
        entities = [] if row is None else store.keys("entity_and_merged", key=int(name)).tolist()
        if row is None or not entities:
            raise BadInput("This person or thing is not known in this memory.")
        name, type = row["name"], row["type"]
    room = max(1, min(FIRST, most // 2))
    names = (speaker_spellings(store, name) or [name]) if type == "person" else []
    said = [key for one in names for key in store.keys("keys_of_speaker", speaker=one, limit=room).tolist()]
    said = list(dict.fromkeys(said))[:room]
    named = store.keys("keys_naming", entities=encode_keys(entities), limit=room).tolist() if entities else []
    ties = store.all("entity_ties", entities=encode_keys(entities), limit=min(MOST_TIES, most // 3)) if entities else []
    if not (said or named or ties):
        raise BadInput("Nothing visible mentions this person or thing any more.")
    hubs = {id: Hub(id, name, type, True)}
    spokes = [Spoke(id, key, SAID, WEIGHTS[SAID]) for key in said]
    spokes += [Spoke(id, key, NAMED, WEIGHTS[NAMED], outwards=False) for key in named if key not in set(said)]
    for tie in ties:
        other = f"{ENTITY}{tie['key']}"
        hubs.setdefault(other, Hub(other, tie["name"], tie["type"], False))
        weight = min(1.0, 0.5 + 0.1 * tie["claims"])
        spokes.append(Spoke(id, other, FACT, weight, tie["relation"].replace("_", " "), bool(tie["away"])))
    return Wheel(tuple(hubs.values()), tuple(spokes))


def known_hubs(store: Store, ids: Sequence[str]) -> list[Hub]:
    """Hubs that are in a picture already, without their spokes: the page has those."""
    entities = [int(id.removeprefix(ENTITY)) for id in ids if id.startswith(ENTITY) and id[len(ENTITY) :].isdigit()]
    known = [Hub(f"{ENTITY}{one.key}", one.name, one.type, False) for one in entities_by_keys(store, entities)]
    return [*known, *(Hub(id, id.removeprefix(PERSON), "person", False) for id in ids if id.startswith(PERSON))]
