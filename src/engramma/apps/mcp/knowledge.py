"""A knowledge graph of entities, observations and relations, kept as talk that recall finds like any other.

The mapping is the import's of the reference server's memory.json: an entity is a conversation, "Ann (person): keeps
bees" is a turn in its session of facts, "Ann knows Ben" one in its session of relations. So a file that was imported
and what was written here are one graph. Deleting is forgetting and can be undone.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ...errors import BadInput
from ...memory import Memory
from ...records import Turn
from ...sources.ids import content_id, talk_id
from ...sources.mcp_memory import MAX_SHOWN, NAME, SPEAKER

LOCK = threading.RLock()  # a change looks at the graph before it writes


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """A thing with a name, its type and what was observed of it, in that order."""

    name: str
    type: str
    observations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownRelation:
    """What one entity is to another, in active voice."""

    source: str
    target: str
    type: str


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """All of it, in the order in which it was made."""

    entities: tuple[KnownEntity, ...]
    relations: tuple[KnownRelation, ...]


def read_knowledge(memory: Memory) -> KnowledgeGraph:
    """The graph as the store has it now."""
    talks = [(title or "", session, turns) for title, session, turns in memory.browse.talks_from(NAME)]
    entities = dict[str, KnownEntity]()
    for title, session, turns in talks:
        if session.endswith("-facts"):
            for turn in turns:
                add_fact(entities, title, turn)
    said = sorted(
        ((turn, title) for title, session, turns in talks if session.endswith("-relations") for turn in turns),
        key=lambda pair: (pair[0].said_at or datetime.min.replace(tzinfo=UTC), pair[0].meta.get("order", "")),
    )
    relations = (relation_of(turn, title, entities) for turn, title in said)
    return KnowledgeGraph(tuple(entities.values()), tuple(dict.fromkeys(one for one in relations if one is not None)))


def add_fact(entities: dict[str, KnownEntity], title: str, turn: Turn) -> None:
    """One more turn of an entity: what it says, or only that it is there."""
    name = turn.meta.get("name", title)
    kind, observation = _parted(name, turn)
    known = entities.get(name) or KnownEntity(name, kind, ())
    if observation is not None and observation not in known.observations:
        known = replace(known, observations=(*known.observations, observation))
    entities[name] = known


def _parted(name: str, turn: Turn) -> tuple[str, str | None]:
    """The type and the observation that a turn tells."""
    kind = turn.meta.get("type")
    if kind is None:  # an imported one says it in its words alone
        rest = turn.text.removeprefix(name)
        kind = rest[2:].partition("): ")[0].removesuffix(")") if rest.startswith(" (") else ""
    label = _labelled(name, kind)
    return kind, None if turn.text == label else turn.text.removeprefix(f"{label}: ")


def relation_of(turn: Turn, title: str, names: Iterable[str]) -> KnownRelation | None:
    """The relation that a turn tells; an imported one in its words alone."""
    if {"from", "to", "relation"} <= turn.meta.keys():
        return KnownRelation(turn.meta["from"], turn.meta["to"], turn.meta["relation"])
    rest = turn.text.removeprefix(f"{title} ")
    ends = [name for name in names if rest.endswith(f" {name}")]
    target = max(ends, key=len) if ends else rest.rpartition(" ")[2]
    return KnownRelation(title, target, rest.removesuffix(f" {target}")) if rest != turn.text else None


def _labelled(name: str, kind: str) -> str:
    return f"{name} ({kind})" if kind.strip() else name


# --- writing -----------------------------------------------------------------------------------


def create_entities(memory: Memory, wanted: Sequence[KnownEntity]) -> list[KnownEntity]:
    """Make those that do not exist; returns them."""
    with LOCK:
        known = {one.name for one in read_knowledge(memory).entities}
        new = dict[str, KnownEntity]()
        for one in wanted:
            if one.name not in known:
                new.setdefault(one.name, one)
        for number, one in enumerate(new.values()):
            write_facts(memory, one.name, one.type, one.observations or (None,), number)
        return list(new.values())


def add_observations(memory: Memory, additions: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, list[str]]]:
    """Add what is new of each; all entities have to be there."""
    with LOCK:
        known = {one.name: one for one in read_knowledge(memory).entities}
        for name, _ in additions:
            if name not in known:
                raise BadInput(f"Entity with name {name} not found. Create it with create_entities first.")
        done = []
        for name, contents in additions:
            entity = known[name]
            new = list(dict.fromkeys(one for one in contents if one not in entity.observations))
            write_facts(memory, name, entity.type, new)
            known[name] = replace(entity, observations=(*entity.observations, *new))
            done.append((name, new))
        return done


def create_relations(memory: Memory, wanted: Sequence[KnownRelation]) -> list[KnownRelation]:
    """Make those that do not exist; both ends have to be."""
    with LOCK:
        graph = read_knowledge(memory)
        names = {one.name for one in graph.entities}
        for one in wanted:
            for end in (one.source, one.target):
                if end not in names:
                    raise BadInput(f"Entity with name {end} not found. Create it with create_entities first.")
        new = [one for one in dict.fromkeys(wanted) if one not in graph.relations]
        now = datetime.now(UTC)
        for number, one in enumerate(new):
            text = f"{one.source} {one.type} {one.target}"
            meta = {"kind": "relation", "from": one.source, "to": one.target, "relation": one.type}
            turn = Turn(SPEAKER, text, now + timedelta(microseconds=number), meta=meta)
            _write(memory, one.source, "relations", [turn])
        return new


def forget_entities(memory: Memory, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Forget entities with their relations, either way; returns (deleted, not found)."""
    with LOCK:
        graph = read_knowledge(memory)
        present = {one.name for one in graph.entities}
        gone = set(names) & present
        delete_relations(memory, [one for one in graph.relations if {one.source, one.target} & gone])
        for name in dict.fromkeys(name for name in names if name in gone):
            forget_turns(memory, name, "facts", lambda turn: True)
        return [name for name in names if name in present], [name for name in names if name not in present]


def delete_observations(memory: Memory, deletions: Sequence[tuple[str, Sequence[str]]]) -> tuple[int, list[str]]:
    """Forget observations; an entity that loses its last one stays. Returns (how many, missing entities)."""
    with LOCK:
        known = {one.name: one for one in read_knowledge(memory).entities}
        count, missing = 0, list[str]()
        for name, contents in deletions:
            if name not in known:
                missing.append(name)
                continue
            entity, unwanted = known[name], set(contents)
            left = tuple(one for one in entity.observations if one not in unwanted)
            if len(left) == len(entity.observations):
                continue
            if not left:
                write_facts(memory, name, entity.type, [None])
            forget_turns(memory, name, "facts", lambda turn, n=name, u=unwanted: _parted(n, turn)[1] in u)
            count += len(entity.observations) - len(left)
            known[name] = replace(entity, observations=left)
        return count, missing


def delete_relations(memory: Memory, unwanted: Sequence[KnownRelation]) -> int:
    """Forget relations; returns how many there were."""
    with LOCK:
        graph = read_knowledge(memory)
        gone = set(unwanted) & set(graph.relations)
        names = [one.name for one in graph.entities]
        for source in dict.fromkeys(one.source for one in gone):
            forget_turns(memory, source, "relations", lambda turn, s=source: relation_of(turn, s, names) in gone)
        return len(gone)


# --- steps -------------------------------------------------------------------------------------


def write_facts(memory: Memory, name: str, kind: str, contents: Sequence[str | None], order: int = 0) -> None:
    """Say what was observed of an entity; None says only that it is there."""
    label, now = _labelled(name, kind), datetime.now(UTC) + timedelta(microseconds=order)
    meta = {"kind": "entity", "name": name, "type": kind}
    texts = [label if one is None else f"{label}: {one}" for one in contents]
    _write(memory, name, "facts", [Turn(SPEAKER, text, now, meta=meta) for text in texts])


def _write(memory: Memory, name: str, part: str, turns: Sequence[Turn]) -> None:
    """Add turns to a part of an entity's talk. What was forgotten before and is said again gets another id."""
    if not turns:
        return
    talk, session = _place_of(memory, name, part)
    taken = memory.browse.texts_in(talk, session)
    named = [replace(turn, id=free_id(memory.redactor.mask(turn.text).text, taken)) for turn in turns]
    report = memory.remember_session(talk, session, named, title=name, source=NAME)
    if report.purged_turns:
        raise BadInput("Some of this was purged before and cannot be added again. Reword it to keep it.")


def free_id(text: str, taken: dict[str, str | None]) -> str:
    """The id that the import gives these words, or the next one if it stands for others or was forgotten."""
    id = free = content_id(text)
    number = 1
    while taken.get(free, text) != text:
        number += 1
        free = f"{id}-{number}"
    taken[free] = text
    return free


def _place_of(memory: Memory, name: str, part: str) -> tuple[str, str]:
    """The conversation and the session of a part of an entity, as the import names them."""
    talk = talk_id(f"mcp-memory-{name[:MAX_SHOWN]}", name)
    return memory.redactor.mask_name(talk), memory.redactor.mask_name(f"{talk}-{part}")


def forget_turns(memory: Memory, name: str, part: str, meant) -> None:  # type: ignore[no-untyped-def]
    """Forget those turns of a part that are meant."""
    talk, session = _place_of(memory, name, part)
    ids = [turn.id for turn in memory.browse.turns_in(talk, session) if turn.id is not None and meant(turn)]
    if ids:
        memory.forget(ids, conversation=talk, session=session)
