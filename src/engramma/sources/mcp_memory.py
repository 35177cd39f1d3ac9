"""The memory file of the reference MCP server: JSON lines of entities and relations.

    {"type":"entity","name":"Ann","entityType":"person","observations":["keeps bees"]}
    {"type":"relation","from":"Ann","to":"Ben","relationType":"knows"}

Also the one object {"entities": [...], "relations": [...]} that the server's read_graph returns. An
entity is a conversation of its own: "Ann (person): keeps bees" is a turn, "Ann knows Ben" another.
Their ids come from their words, so a file that was edited adds only what is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Session, Turn
from .clock import written_time
from .ids import content_id, talk_id
from .json_files import Located, first_value, read_json_values
from .reader import ReaderOptions
from .sessions import fill_times, no_times

NAME = "mcp-memory"
DESCRIPTION = "memory.json of the reference MCP memory server: entities and relations"

SPEAKER = "MCP memory"
MAX_SHOWN = 80  # characters of an entity's name in its conversation's id; the hash behind it is of the whole

_GRAPH = re.compile(r'\{\s*"(entities|relations)"\s*:\s*\[')
_FIELDS = re.compile(r'"(observations"\s*:\s*\[|relationType"\s*:\s*")')
# Forks of the server write when an entity was made or changed.
_TIME_KEYS = ("createdAt", "lastModified")
_LINES_TRIED = 20


def looks_like(head: str, path: Path) -> bool:
    start = head.lstrip()
    if not start.startswith("{"):
        return False
    found = [first_value(row) for row in start.split("\n", _LINES_TRIED)[:_LINES_TRIED]]
    if any(isinstance(value, dict) and (_is_entity(value) or _is_relation(value)) for value in found):
        return True
    return bool(_GRAPH.match(start)) and bool(_FIELDS.search(start))


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path), options)
    taken = False
    refused: list[str] = []
    for record in read_json_values(path):
        if isinstance(record, Problem):
            refused = refused or [f"{record.where}: {record.reason}"]
            yield record
            continue
        for where, item in _items(record):
            taken = reading.take(where, item) or taken
        yield from reading.problems
        reading.problems.clear()
    if not taken:
        raise UnreadableSource("; ".join([f"{path} holds no entities and no relations", *refused]))
    yield from reading.conversations()
    if reading.timeless:
        yield no_times(str(path), reading.timeless, options.fallback_time)


@dataclass(slots=True)
class _Reading:
    """One pass over a file: the turns of each entity, what it observes apart from its relations."""

    path: str
    options: ReaderOptions
    facts: dict[str, list[Turn]] = field(default_factory=dict)
    relations: dict[str, list[Turn]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    timeless: int = 0

    def take(self, where: str, value: object) -> bool:
        if not isinstance(value, dict):
            self.problems.append(Problem(self.path, where, "not a JSON object; skipped"))
        elif _is_relation(value):
            text = f"{value['from']} {value['relationType']} {value['to']}"
            turn = Turn(SPEAKER, text, self.time(value, where), content_id(text), meta={"kind": "relation"})
            self.relations.setdefault(value["from"], []).append(turn)
            return True
        elif _is_entity(value):
            self.entity(value, where)
            return True
        else:
            reason = "neither an entity with a name nor a relation with both ends; skipped"
            self.problems.append(Problem(self.path, where, reason))
        return False

    def entity(self, value: dict[str, object], where: str) -> None:
        name, kind, observations = str(value["name"]), value.get("entityType"), value.get("observations")
        label = f"{name} ({kind})" if isinstance(kind, str) and kind.strip() else name
        said_at = self.time(value, where)
        if observations is not None and not isinstance(observations, list):
            self.problems.append(Problem(self.path, where, "observations is not a list; only the name was kept"))
        listed = observations if isinstance(observations, list) else []
        texts: list[str] = []
        for number, item in enumerate(listed, start=1):
            words = _words(item)
            if words:
                texts.append(f"{label}: {words}")
            else:
                self.problems.append(Problem(self.path, f"{where}, observation {number}", "no text; skipped"))
        # An entity that nothing is known of is still one, of its type.
        turns = [Turn(SPEAKER, text, said_at, content_id(text), meta={"kind": "entity"}) for text in texts or [label]]
        self.facts.setdefault(name, []).extend(turns)

    def conversations(self) -> Iterator[Conversation]:
        for name in dict.fromkeys([*self.facts, *self.relations]):
            conversation = talk_id(f"mcp-memory-{name[:MAX_SHOWN]}", name)
            # In sessions of their own: an observation that is added later stands behind the others.
            parts = (("facts", self.facts.get(name, [])), ("relations", self.relations.get(name, [])))
            self.timeless += not any(turn.said_at for _, turns in parts for turn in turns)
            sessions = [Session(f"{conversation}-{kind}", self.timed(turns)) for kind, turns in parts if turns]
            yield Conversation(conversation, tuple(sessions), title=name, source=NAME)

    def timed(self, turns: list[Turn]) -> tuple[Turn, ...]:
        times = fill_times([turn.said_at for turn in turns], start=self.options.fallback_time)
        return tuple(replace(turn, said_at=time) for turn, time in zip(turns, times, strict=True))

    def time(self, value: dict[str, object], where: str) -> datetime | None:
        for key in _TIME_KEYS:
            if value.get(key) is not None:
                try:
                    return written_time(value[key])
                except ValueError as error:
                    reason = f"kept without {key}: {error}"
                    self.problems.append(Problem(self.path, where, reason))
        return None


def _items(record: Located) -> Iterator[Located]:
    """The entities and relations of one top value: itself, or those of a whole graph."""
    value = record[1]
    if not isinstance(value, dict) or "type" in value or not value.keys() & {"entities", "relations"}:
        yield record
        return
    for key, kind in (("entities", "entity"), ("relations", "relation")):
        listed = value.get(key)
        for number, item in enumerate(listed if isinstance(listed, list) else [], start=1):
            typed = {"type": kind, **item} if isinstance(item, dict) else item
            yield f"{key} {number}", typed


def _is_entity(value: dict[str, object]) -> bool:
    return (
        value.get("type") == "entity"
        and _filled(value.get("name"))
        and bool(value.keys() & {"observations", "entityType"})
    )


def _is_relation(value: dict[str, object]) -> bool:
    return value.get("type") == "relation" and all(_filled(value.get(key)) for key in ("from", "to", "relationType"))


def _filled(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _words(item: object) -> str | None:
    """An observation's text; some forks write an object with its content."""
    if isinstance(item, dict):
        item = item.get("content", item.get("text"))
    return item if isinstance(item, str) and item.strip() else None
